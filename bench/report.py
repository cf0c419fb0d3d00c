"""report.py: a judged result as tables and sentences; as text for a terminal. page.py makes them HTML.

Held by: bench/selftest."""

PEERS = ("sqlite", "duckdb_text", "duckdb_enum")
CALLS = 10   # of a cell, over both loops, if they fit into its time
TITLES = {"sqlite": "SQLite", "duckdb": "DuckDB"}


def duration(seconds):
    if seconds is None:
        return "-"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            value = seconds / scale
            return f"{value:.3g} {unit}" if value < 999.5 else f"{value:,.0f} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def times(ratio):
    """(1.234, True) -> "1.23x"; "~" if a cell of it is not interpreted."""
    if ratio is None:
        return "-"
    value, interpreted = ratio
    text = f"{value:,.0f}x" if value >= 100 else f"{value:.3g}x"
    return text if interpreted else "~" + text


def megabytes(n):
    return f"{n / 1e6:,.1f} MB"


def shown(cell):
    """A cell's median; [n] if so few calls fitted into its time, * if it is not interpreted."""
    return "-" if cell is None else duration(cell.value) + (f" [{cell.samples}]" if cell.samples < CALLS else "") + ("" if cell.interpreted else " *")


def amount(value, unit):
    if unit == "s":
        return duration(value)
    if unit == "bytes":
        return megabytes(value) if value >= 1e5 else f"{value:,.1f} B"
    return f"{value:,.3g}x" if unit == "x" and value < 100 else f"{value:,.0f}x" if unit == "x" else f"{value:,.4g}{' ' + unit if unit else ''}"


def own_arms(figures):
    return [a for a in figures.result["arms"] if a not in PEERS]


def peers_of(figures):
    return [p for p in ("sqlite", "duckdb") if any(figures.cell(n, p) for n in figures.queries)]


def query_tables(figures):
    arms, own = list(figures.result["arms"]), own_arms(figures)
    label = {a: figures.result["arms"][a]["label"] for a in arms}
    queries = list(figures.queries) + [n for n in figures.others if n.rsplit(" ", 1)[0] in figures.result["queries"]]
    if not queries:
        return []
    rows = []
    for name in queries:
        row = [name]
        for arm in own:
            cell = figures.cell(name, arm)
            row += [duration(cell.first) if cell else "-", shown(cell), figures.path(name, arm)]
        rows.append(row + [shown(figures.cell(name, a)) for a in arms if a in PEERS])
    header = ["query"] + [h for a in own for h in (f"{a} first", "warm", "path")] + [label[a] for a in arms if a in PEERS]
    ratios = [[name] + [times(figures.ratio(name, a, p, first)) for a in own for p in peers_of(figures) for first in (False, True)] for name in queries]
    return [("Time of a call (warm: median of both loops; [n]: of n calls, since ten do not fit into the cell's time; * not interpreted: the loops differ by over 25 %)", header, rows),
            ("Ratio peer / HoloDb (above 1: HoloDb is faster; ~ a cell is not interpreted; DuckDB: the faster arm; first: HoloDb's first call, the peer warm)",
             ["query"] + [f"{TITLES[p]} / {a}{' first' if first else ''}" for a in own for p in peers_of(figures) for first in (False, True)], ratios)]


def limit_table(figures):
    """What each query touches, what the machine allows, and the share of it that was reached."""
    touched, bandwidth = figures.result.get("bytes_touched", {}), figures.metrics.get("bandwidth.all_threads")
    if not touched or not bandwidth:
        return []
    arms = [a for a in ("engine", "summary") if a in figures.result["arms"]]
    rows = []
    for name, size in touched.items():
        limit, at_bandwidth = figures.limits.get(name), size / bandwidth
        row = [name, megabytes(size), duration(at_bandwidth), duration(limit)]
        for arm in arms:
            cell, path = figures.cell(name, arm), figures.path(name, arm)
            if cell is None:
                row += ["-"] * 5
                continue
            scans, scanned_first = path in ("scan", ""), path in ("scan", "") or path.startswith("limb")
            row += [path, f"{at_bandwidth / cell.first:.0%}" if cell.first and scanned_first else "-", f"{cell.first / limit:.3g}x" if limit and cell.first else "-",
                    f"{at_bandwidth / cell.value:.0%}" if scans else "-", f"{cell.value / limit:.3g}x" if limit else "-"]
        rows.append(row)
    title = (f"Where the bytes go: bytes that a scan reads at least (columns as narrow as their values), the time of that at the {bandwidth / 1e9:.1f} GB/s which an own loop "
             "reads on all threads in this run, and the share of that rate which HoloDb reached where it scanned (a call answered from kept cells reads none of them: -; above "
             "100 %: the columns are in a cache). Loop: the question as a hand-written loop, and HoloDb in multiples of it")
    return [(title, ["query", "bytes", "at bandwidth", "loop"] + [h for a in arms for h in (f"{a} path", "first share", "first / loop", "warm share", "warm / loop")], rows)]


def spent_table(figures):
    spent = figures.result.get("spent", [])
    if not spent:
        return []
    phases, processes = list(dict.fromkeys(s["phase"] for s in spent)), list(dict.fromkeys(s["process"] for s in spent))
    seconds = lambda phase, process: sum(s["s"] for s in spent if s["phase"] == phase and (process is None or s["process"] == process))
    rows = [[p, f"{seconds(p, None):,.1f}"] + [f"{seconds(p, q):,.1f}" for q in processes] for p in phases]
    rows.append(["all", f"{sum(s['s'] for s in spent):,.1f}"] + [f"{sum(s['s'] for s in spent if s['process'] == q):,.1f}" for q in processes])
    return [("Where the time of this run went (seconds in each engine's process, with the making of rows)", ["phase", "all", *processes], rows)]


def other_tables(figures):
    """Cells beside the queries: one table for all that have the same arms."""
    out, left = [], {n: a for n, a in figures.others.items() if n.rsplit(" ", 1)[0] not in figures.result["queries"]}
    while left:
        arms = list(next(iter(left.values())))
        same = [n for n, a in left.items() if list(a) == arms]
        out.append((f"Cells: {', '.join(arms)} (median; * not interpreted)", ["", *arms], [[n] + [shown(left[n][a]) for a in arms] for n in same]))
        for n in same:
            del left[n]
    return out


def resource_tables(figures):
    m, out = figures.metrics, []
    loads = [n.split(".")[1:-1] for n in m if n.startswith("load.") and n.endswith(".rows_per_s")]
    if loads:
        rows = []
        for parts in loads:
            arm = ".".join(parts)
            tables = [f"{n.rsplit('.', 1)[1].removesuffix('_s')} {duration(v)}" for n, v in m.items() if n.startswith(f"load.{arm}.") and n.endswith("_s") and not n.endswith(("per_s", "per_cpu_s"))]
            rows.append([arm, f"{m[f'load.{arm}.rows_per_s']:,.0f}", "; ".join(tables)])
        out.append(("Bulk load (rows/s of the table with most rows)", ["arm", "rows/s", "tables"], rows))
    memory = [[a] + [megabytes(m[f"memory.{a}.{w}"]) if f"memory.{a}.{w}" in m else "-" for w in ("empty", "loaded", "queried")]
              + [f"{m[f'bytes_row.{a}']:.1f}"] for a in figures.result["arms"] if f"bytes_row.{a}" in m]
    if memory:
        out.append((f"Memory: a process an engine, as the kernel counts it (bytes a row: growth by the load, over {figures.result['rows']:,} rows)",
                    ["arm", "empty", "loaded", "after queries", "bytes a row"], memory))
    indexes = [[arm, i["table"], i["index"], i["kind"], "-" if i["cells"] is None else f"{i['cells']:,.0f}", "-" if i["bytes"] is None else f"{i['bytes']:,.0f}"]
               for arm, raw in figures.result["arms"].items() for i in raw.get("indexes", [])]
    if indexes:
        out.append(("Indexes", ["arm", "table", "index", "kind", "cells", "bytes"], indexes))
    known = ("load.", "memory.", "bytes_row.", "index.")
    rest = [[n, f"{v:,.4g}"] for n, v in m.items() if not n.startswith(known)]
    if rest:
        out.append(("Other figures (_s seconds; others as named)", ["figure", "value"], rest))
    return out


def value_text(value):
    if isinstance(value, dict):
        return duration(value.get("s"))
    return f"{value:,.6g}" if isinstance(value, (int, float)) and not isinstance(value, bool) else "-" if value is None else str(value)


def tables(figures):
    """The report's tables: [(title, header, rows)]; both forms print these."""
    own = [(t["title"], t["header"], [[value_text(v) for v in row] for row in t["rows"]]) for t in figures.result.get("tables", [])]
    return query_tables(figures) + limit_table(figures) + own + other_tables(figures) + resource_tables(figures) + spent_table(figures)


def expected_lines(judged):
    """[(what, reached, detail)], an expectation each."""
    out = []
    for what in dict.fromkeys(e["what"] for e in judged["expected"]):
        group = [e for e in judged["expected"] if e["what"] == what]
        lost = [e for e in group if not e["reached"]]
        text = lambda e: f"{e['cell']} {'' if e['interpreted'] else '~'}{amount(e['value'], e['unit'])} (wanted {amount(e['bound'], e['unit'])})"
        detail = text(group[0]) if len(group) == 1 else f"{len(group) - len(lost)} of {len(group)}" + ("; " + "; ".join(text(e) for e in lost) if lost else "")
        out.append((what, not lost, detail))
    return out + [(what, None, "not measured in this run") for what in judged.get("not_measured", [])]


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
    for what, reached, detail in expected_lines(judged):
        lines.append(f"{'not measured' if reached is None else 'reached' if reached else 'NOT REACHED'}: {what}: {detail}")
    for p in judged["paths"]:
        if not p["held"]:
            lines.append(f"path: {p['query']} in the {p['arm']} arm is by {p['found'] or 'nothing named'}, registered {p['expected']}")
    return lines


def heading(result):
    gate = f"gate passed {result['gate']['time']}" if result.get("gate") else "UNGATED: work in progress, not a result"
    return (f"{result.get('title', result['workload'])}: {result['rows']:,} rows; source {result['source_id'][:12]}; {gate}",
            f"{result['machine']['cpu']}, {result['machine']['cores']} cores, {result['machine']['kernel']}; {result['machine']['compiler']}; {result['time']}, {result['seconds']:,.0f} s")


def text_table(title, header, rows):
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    return ["", title] + ["  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))).rstrip() for row in [header, *rows]]


def as_text(result, figures, judged):
    lines = [*heading(result), ""] + verdict_lines(figures, judged)
    for table in tables(figures):
        lines += text_table(*table)
    lines += [f"{p['title']}: {p['sentence']}" for p in result.get("plots", [])]
    if not result.get("gate"):
        lines += ["", "UNGATED"]
    return "\n".join(lines) + "\n"


def summary_rows(measured):
    """[(workload, what, verdict, detail)] over [(result, figures, judged)]: every registered figure."""
    rows = []
    for result, _, judged in measured:
        for what, reached, detail in expected_lines(judged):
            verdict = "not measured" if reached is None else "reached" if reached else "NOT REACHED"
            rows.append((result["workload"], what, verdict if judged["valid"] else verdict + " (run not valid)", detail))
    return rows


def figures_text(rows):
    """The table of every figure (figures.rows), for a terminal."""
    reached = sum(r["verdict"] == "reached" for r in rows)
    lines = ["", f"every figure: {reached} of {len(rows)} reached"]
    for r in rows:
        lines.append(f"{r['verdict']:15} {r['part']}: {r['wanted']}")
        lines += [f"{'':16}{line}" for line in r["measured"].splitlines()]
        if r["reason"]:
            lines.append(f"{'':16}reason: {r['reason']}")
    return "\n".join(lines)
