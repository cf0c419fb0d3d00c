"""report.py: a judged result as text for a terminal and as one HTML file that needs no network.

Held by: bench/selftest."""
import html
import math

ARMS = ("engine", "summary", "sqlite", "duckdb_text", "duckdb_enum")
STAGES = ("INSERT", "UPDATE", "DELETE")


def duration(seconds):
    if seconds is None:
        return "-"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            value = seconds / scale
            return f"{value:.3g} {unit}" if value < 999.5 else f"{value:,.0f} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def times(ratio):
    """(1.234, True) -> "1.23x"; "~" if a cell of it is not interpreted."""
    if ratio is None:
        return "-"
    value, interpreted = ratio
    text = f"{value:,.0f}x" if value >= 100 else f"{value:.3g}x"
    return text if interpreted else "~" + text


def megabytes(n):
    return f"{n / 1e6:,.1f} MB"


def per_invoice(figures, arm):
    """Bytes an invoice: (growth of the process by the load, primary key's index as the engine counts it)."""
    result = figures.result
    raw = result["arms"][arm]
    grown = (raw["memory"]["loaded"]["resident"] - raw["memory"]["empty"]["resident"]) / result["rows"]
    key = [i["bytes"] for i in raw.get("indexes", []) if i["table"] == "invoices" and i["kind"] == "primary" and i["bytes"] is not None]
    return grown, key[0] / result["rows"] if key else None


def tables(figures):
    """The report's tables: [(title, header, rows)]; both forms print these."""
    result, arms = figures.result, [a for a in ARMS if a in figures.result["arms"]]
    label = {a: result["arms"][a]["label"] for a in arms}
    peers = [p for p in ("sqlite", "duckdb") if figures.cell("Q1", p)]
    title = {"sqlite": "SQLite", "duckdb": "DuckDB"}
    queries = [n for n in figures.cells if n not in STAGES]
    out = []
    rows = []
    for name in queries:
        row = [name]
        for arm in ("engine", "summary"):
            row += [duration(figures.cell(name, arm).first), shown(figures.cell(name, arm)), figures.path(name, arm)]
        rows.append(row + [shown(figures.cell(name, a)) for a in arms if a not in ("engine", "summary")])
    out.append(("Time of a call (warm: median of both loops; * not interpreted: the loops differ by over 25 %)",
                ["query", "engine first", "warm", "path", "summary first", "warm", "path"] + [label[a] for a in arms if a not in ("engine", "summary")], rows))
    out.append(("Ratio peer / HoloDb (above 1: HoloDb is faster; ~ a cell is not interpreted; DuckDB: the faster arm)",
                ["query"] + [f"{title[p]} / {a}" for a in ("engine", "summary") for p in peers],
                [[name] + [times(figures.ratio(name, a, p)) for a in ("engine", "summary") for p in peers] for name in queries]))
    stage_rows = []
    for kind in STAGES:
        cells = figures.cells.get(kind)
        if cells:
            stage_rows.append([kind] + [shown(cells.get(f"holodb_{i}")) for i in range(3)] + [shown(cells.get("sqlite_0"))]
                              + [times(figures.ratio(kind, f"holodb_{i}", f"sqlite_{i}")) for i in range(3)])
    out.append((f"Single-row changes, autocommit, prepared ({result['changes']['per_stage']:,} of each; ratio SQLite / HoloDb in the same stage)",
                ["change", "no summary", "s1", "s1, s2", "SQLite", "ratio, none", "ratio, one", "ratio, two"], stage_rows))
    loads = [[label[a], f"{result['arms'][a]['load']['rows_per_s']:,.0f}", duration(result["arms"][a]["load"]["invoices_s"])] for a in arms]
    loads += [[f"HoloDb with {name}" if name != "none" else "HoloDb engine, again", f"{raw['rows_per_s']:,.0f}", duration(raw["invoices_s"])]
              for name, raw in result["bulk_load"].items()]
    out.append(("Bulk load of the invoices", ["arm", "rows/s", "time"], loads))
    memory = []
    for a in arms:
        raw = result["arms"][a]["memory"]
        grown, key = per_invoice(figures, a)
        memory.append([label[a]] + [megabytes(raw[when]["resident"]) for when in ("empty", "loaded", "queried")]
                      + [megabytes(raw["queried"]["peak"]), f"{grown:.1f}", "-" if key is None else f"{key:.1f}"])
    out.append(("Memory: a process an engine, as the kernel counts it (bytes an invoice: growth by the load, customers included; of it the primary key's index)",
                ["arm", "empty", "loaded", "after queries", "peak", "bytes an invoice", "key bytes"], memory))
    summaries = {i["index"]: i for i in result["arms"]["summary"].get("indexes", []) if i["kind"] == "summary"}
    out.append(("Summaries", ["summary", "build over rows", "cells", "bytes"],
                [[n, duration(result["build_s"].get(n)), f"{i['cells']:,.0f}", f"{i['bytes']:,.0f}"] for n, i in summaries.items()]))
    return out


def shown(cell):
    return "-" if cell is None else duration(cell.value) + ("" if cell.interpreted else " *")


def verdict_lines(figures, judged):
    """Sentences: what held, what did not, every loss."""
    lines = []
    for c in judged["controls"]:
        lines.append(f"control {c['query']}, {c['arms'][1]} / {c['arms'][0]}: {c['ratio']:.2f} ({'held' if c['held'] else 'NOT HELD'}: {c['low']}..{c['high']}"
                     + (f", paths {', '.join(c['paths'])}" if c["paths"] else "") + ")")
    for p in judged["placebo"]:
        what = "held" if p["held"] else f"NOT HELD: should have changed {p['unchanged']}, should not {p['changed']}"
        lines.append(f"placebo, {p['arm']}: {what}")
    if not judged["valid"]:
        lines.append("NOT INTERPRETED: a control or the placebo did not hold; the figures below say nothing")
    for what in dict.fromkeys(e["what"] for e in judged["expected"]):
        group = [e for e in judged["expected"] if e["what"] == what]
        lost = [e for e in group if not e["reached"]]
        behind = "; ".join(f"{e['cell']} {times((e['ratio'], e['interpreted']))}" for e in lost)
        lines.append(f"{'reached' if not lost else 'NOT REACHED'}: {what} ({len(group) - len(lost)} of {len(group)}{'; behind: ' + behind if lost else ''})")
    for p in judged["paths"]:
        if not p["held"]:
            lines.append(f"path: {p['query']} in the {p['arm']} arm is by {p['found'] or 'nothing named'}, registered {p['expected']}")
    return lines


def heading(result):
    gate = f"gate passed {result['gate']['time']}" if result.get("gate") else "UNGATED: work in progress, not a result"
    return (f"W1 {result['workload']}: {result['rows']:,} invoices, {result['customers']:,} customers; source {result['source_id'][:12]}; {gate}",
            f"{result['machine']['cpu']}, {result['machine']['cores']} cores, {result['machine']['kernel']}; {result['machine']['compiler']}; {result['time']}")


def as_text(result, figures, judged):
    lines = [*heading(result), ""] + verdict_lines(figures, judged)
    for title, header, rows in tables(figures):
        widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
        lines += ["", title]
        for row in [header, *rows]:
            lines.append("  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))).rstrip())
    if not result.get("gate"):
        lines += ["", "UNGATED"]
    return "\n".join(lines) + "\n"


STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:1100px;margin:2rem auto;padding:0 1rem;color:#1b1b1b;background:#fff}
h1{font-size:1.4rem}h2{font-size:1.05rem;margin-top:2rem}table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:13px;display:block;overflow-x:auto}
td,th{padding:.15rem .6rem;text-align:right;border-bottom:1px solid #ddd;white-space:nowrap}td:first-child,th:first-child{text-align:left}
.bad{color:#a3122b;font-weight:600}.good{color:#1a6b3a}svg text{font:12px system-ui,sans-serif;fill:#333}
.mark{position:fixed;inset:0;display:flex;align-items:center;justify-content:center;pointer-events:none;font:700 18vw system-ui,sans-serif;color:#a3122b;opacity:.1;transform:rotate(-24deg)}"""
COLOURS = {"sqlite": "#3b6ea5", "duckdb": "#d08a1d"}
LABELS = {"sqlite": "SQLite", "duckdb": "DuckDB"}


def bars(figures, arm):
    """Ratio bars on a log scale; what is left of 1 is a loss, and is red."""
    names = [n for n in figures.cells if n not in STAGES]
    peers = [p for p in ("sqlite", "duckdb") if figures.cell("Q1", p)]
    ratios = {(n, p): figures.ratio(n, arm, p) for n in names for p in peers}
    known = [r[0] for r in ratios.values() if r]
    if not known:
        return "<p>No peer was measured.</p>"
    low, high = math.floor(math.log10(min(known + [0.9]))), math.ceil(math.log10(max(known + [10])))
    left, width, bar, gap = 100, 760, 9, 8
    step = len(peers) * bar + gap
    height = len(names) * step + 30
    x = lambda value: left + (math.log10(value) - low) / (high - low) * width
    parts = [f'<svg viewBox="0 0 {left + width + 90} {height}" role="img" aria-label="ratio of the peers to the {arm} arm, logarithmic">']
    for decade in range(low, high + 1):
        at = x(10.0 ** decade)
        parts.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="0" y2="{height - 20}" stroke="{"#333" if decade == 0 else "#ddd"}"/>'
                     f'<text x="{at:.1f}" y="{height - 6}" text-anchor="middle">{10 ** decade:,}x</text>' if decade >= 0 else
                     f'<line x1="{at:.1f}" x2="{at:.1f}" y1="0" y2="{height - 20}" stroke="#ddd"/><text x="{at:.1f}" y="{height - 6}" text-anchor="middle">{10.0 ** decade:g}x</text>')
    for i, name in enumerate(names):
        y = i * step + gap / 2
        parts.append(f'<text x="{left - 8}" y="{y + step / 2 + 1:.1f}" text-anchor="end">{name}</text>')
        for j, peer in enumerate(peers):
            ratio = ratios[name, peer]
            if ratio is None:
                continue
            a, b = sorted((x(1.0), x(ratio[0])))
            colour = COLOURS[peer] if ratio[0] >= 1 else "#a3122b"
            parts.append(f'<rect x="{a:.1f}" y="{y + j * bar:.1f}" width="{max(b - a, 1):.1f}" height="{bar - 1}" fill="{colour}" '
                         f'opacity="{1 if ratio[1] else 0.35}"><title>{name}: {LABELS[peer]} / {arm} = {times(ratio)}</title></rect>'
                         f'<text x="{b + 4:.1f}" y="{y + j * bar + bar - 1:.1f}" style="font-size:9px">{times(ratio)}</text>')
    return "".join(parts) + "</svg>"


def as_html(result, figures, judged):
    esc = html.escape
    first, second = heading(result)
    body = [f"<h1>{esc(first)}</h1><p>{esc(second)}</p>"]
    if not result.get("gate"):
        body.append('<div class="mark">UNGATED</div><p class="bad">UNGATED: the mutation gate has not passed for this source. Work in progress.</p>')
    body.append("<ul>" + "".join(f'<li class="{"bad" if "NOT " in line or line.startswith("path:") else "good"}">{esc(line)}</li>'
                                 for line in verdict_lines(figures, judged)) + "</ul>")
    for arm, what in (("summary", "with the two summaries"), ("engine", "without a summary")):
        legend = " ".join(f'<span style="color:{COLOURS[p]}">&#9632;</span> {LABELS[p]}' for p in COLOURS if figures.cell("Q1", p))
        body.append(f"<h2>How many times faster HoloDb is, {what} (log scale; {legend}; <span class=bad>&#9632;</span> slower; pale: not interpreted)</h2>{bars(figures, arm)}")
    for title, header, rows in tables(figures):
        body.append(f"<h2>{esc(title)}</h2><table><tr>" + "".join(f"<th>{esc(c)}</th>" for c in header) + "</tr>"
                    + "".join("<tr>" + "".join(f"<td>{esc(c)}</td>" for c in row) + "</tr>" for row in rows) + "</table>")
    body.append("<h2>Statements</h2><table>" + "".join(f'<tr><td>{n}</td><td style="text-align:left;white-space:normal">{esc(q["sql"])}</td></tr>'
                                                        for n, q in result["queries"].items()) + "</table>")
    body.append("<h2>Settings</h2><table>" + "".join(f'<tr><td>{esc(a["label"])}</td><td style="text-align:left;white-space:normal">'
                                                      + esc("; ".join(f"{k}: {v}" for k, v in a["settings"].items())) + "</td></tr>"
                                                      for a in result["arms"].values()) + "</table>")
    return f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{esc(first)}</title><style>{STYLE}</style><body>{"".join(body)}</body></html>\n'
