"""page.py: judged results as one HTML file that needs no network: a summary, ratio bars and curves on log scales, tables.

Held by: bench/selftest."""
import html
import math

import report

STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:1100px;margin:2rem auto;padding:0 1rem;color:#1b1b1b;background:#fff}
h1{font-size:1.4rem}h2{font-size:1.05rem;margin-top:2rem}table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:13px;display:block;overflow-x:auto}
td,th{padding:.15rem .6rem;text-align:right;border-bottom:1px solid #ddd;white-space:nowrap}td:first-child,th:first-child{text-align:left}
.wide td,.wide th{text-align:left;white-space:normal;vertical-align:top}.bad{color:#a3122b;font-weight:600}.good{color:#1a6b3a}svg{max-width:100%}svg text{font:12px system-ui,sans-serif;fill:#333}
summary{font-size:1.2rem;font-weight:600;margin-top:1.5rem;cursor:pointer}
.mark{position:fixed;inset:0;display:flex;align-items:center;justify-content:center;pointer-events:none;font:700 18vw system-ui,sans-serif;color:#a3122b;opacity:.1;transform:rotate(-24deg)}"""
COLOURS = {"sqlite": "#3b6ea5", "duckdb": "#d08a1d"}
CURVES = ("#1a6b3a", "#3b6ea5", "#d08a1d", "#a3122b", "#6a4c93", "#4a4a4a", "#0f8b8d", "#b5651d")
esc = html.escape


def log_axis(values, low_at_most=None, high_at_least=None):
    low = math.floor(math.log10(min(values + ([low_at_most] if low_at_most else []))))
    high = math.ceil(math.log10(max(values + ([high_at_least] if high_at_least else []))))
    return low, max(high, low + 1)


def power_label(decade, unit):
    if unit == "s":
        return report.duration(10.0 ** decade * 1.0000001)
    if unit in ("B", "B/s") and decade >= 3:
        thousands = min(decade // 3, 4)
        return f"{10 ** (decade - 3 * thousands)} {' kMGT'[thousands]}{unit}"
    return f"{10 ** decade:,}{unit}" if decade >= 0 else f"{10.0 ** decade:g}{unit}"


def bars(figures, arm):
    """Ratio bars on a log scale; what is left of 1 is a loss, and is red."""
    peers = report.peers_of(figures)
    names = [n for n in figures.cells if any(figures.ratio(n, arm, p) for p in peers)]
    ratios = {(n, p): figures.ratio(n, arm, p) for n in names for p in peers}
    known = [r[0] for r in ratios.values() if r]
    if not known:
        return ""
    low, high = log_axis(known, 0.9, 10)
    left, width, bar, gap = 150, 720, 9, 8
    step = len(peers) * bar + gap
    height = len(names) * step + 30
    x = lambda value: left + (math.log10(value) - low) / (high - low) * width
    parts = [f'<svg viewBox="0 0 {left + width + 90} {height}" role="img" aria-label="ratio of the peers to the {esc(arm)} arm, logarithmic">']
    for decade in range(low, high + 1):
        at = x(10.0 ** decade)
        parts.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="0" y2="{height - 20}" stroke="{"#333" if decade == 0 else "#ddd"}"/>'
                     f'<text x="{at:.1f}" y="{height - 6}" text-anchor="middle">{power_label(decade, "x")}</text>')
    for i, name in enumerate(names):
        y = i * step
        parts.append(f'<text x="{left - 8}" y="{y + step / 2 + 1:.1f}" text-anchor="end">{esc(name)}</text>')
        for j, peer in enumerate(peers):
            ratio = ratios[name, peer]
            if ratio is None:
                continue
            a, b = sorted((x(1.0), x(ratio[0])))
            colour = COLOURS[peer] if ratio[0] >= 1 else "#a3122b"
            parts.append(f'<rect x="{a:.1f}" y="{y + j * bar:.1f}" width="{max(b - a, 1):.1f}" height="{bar - 1}" fill="{colour}" '
                         f'opacity="{1 if ratio[1] else 0.35}"><title>{esc(name)}: {report.TITLES[peer]} / {arm} = {report.times(ratio)}</title></rect>'
                         f'<text x="{b + 4:.1f}" y="{y + j * bar + bar - 1:.1f}" style="font-size:9px">{report.times(ratio)}</text>')
    legend = " ".join(f'<span style="color:{COLOURS[p]}">&#9632;</span> {report.TITLES[p]}' for p in peers)
    return (f"<h2>How many times faster HoloDb is, {esc(arm)} arm (log scale; {legend}; <span class=bad>&#9632;</span> slower; pale: not interpreted)</h2>"
            + "".join(parts) + "</svg>")


def curve(plot):
    """{title, x, y_unit, series[{name, points[[x, y]]}], sentence}: lines, both axes logarithmic."""
    points = [p for s in plot["series"] for p in s["points"] if p[0] > 0 and p[1] > 0]
    if not points:
        return ""
    unit = plot.get("y_unit", "s")
    (x0, x1), (y0, y1) = log_axis([p[0] for p in points]), log_axis([p[1] for p in points])
    ticks = [(10.0 ** d, power_label(d, "")) for d in range(x0, x1 + 1)]
    if max(p[0] for p in points) < 10:   # few threads: a tick each, and no empty decade
        ticks = [(p, f"{p:g}") for p in sorted({p[0] for p in points})]
        x1 = math.log10(max(ticks[-1][0], 2))
    left, top, width, height = 80, 10, 620, 280
    x = lambda v: left + (math.log10(v) - x0) / (x1 - x0) * width
    y = lambda v: top + height - (math.log10(v) - y0) / (y1 - y0) * height
    parts = [f'<svg viewBox="0 0 940 {top + height + 45}" role="img" aria-label="{esc(plot["title"])}">']
    for tick, label in ticks:
        parts.append(f'<line x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{top}" y2="{top + height}" stroke="#ddd"/>'
                     f'<text x="{x(tick):.1f}" y="{top + height + 16}" text-anchor="middle">{label}</text>')
    for d in range(y0, y1 + 1):
        parts.append(f'<line x1="{left}" x2="{left + width}" y1="{y(10.0 ** d):.1f}" y2="{y(10.0 ** d):.1f}" stroke="#ddd"/>'
                     f'<text x="{left - 6}" y="{y(10.0 ** d) + 4:.1f}" text-anchor="end">{power_label(d, unit)}</text>')
    parts.append(f'<text x="{left + width / 2}" y="{top + height + 36}" text-anchor="middle">{esc(plot["x"])}</text>')
    for i, series in enumerate(plot["series"]):
        colour = CURVES[i % len(CURVES)]
        shown = [p for p in series["points"] if p[0] > 0 and p[1] > 0]
        path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in shown)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="3" fill="{colour}"><title>{esc(series["name"])}: {a:,.0f}, {report.amount(b, unit)}</title></circle>' for a, b in shown]
        parts.append(f'<text x="{left + width + 14}" y="{top + 14 + i * 17}" style="fill:{colour}">&#9632; {esc(series["name"])}</text>')
    return f'<h2>{esc(plot["title"])}</h2><p>{esc(plot["sentence"])}</p>{"".join(parts)}</svg>'


def table(title, header, rows, wide=False):
    return (f"<h2>{esc(title)}</h2><table{' class=wide' if wide else ''}><tr>" + "".join(f"<th>{esc(c)}</th>" for c in header) + "</tr>"
            + "".join("<tr>" + "".join(f"<td>{esc(c)}</td>" for c in row) + "</tr>" for row in rows) + "</table>")


def section(result, figures, judged):
    first, second = report.heading(result)
    body = [f"<p>{esc(second)}</p>"]
    bad = lambda line: "NOT " in line or line.startswith("path:")
    body.append("<ul>" + "".join(f'<li class="{"bad" if bad(line) else "good"}">{esc(line)}</li>' for line in report.verdict_lines(figures, judged)) + "</ul>")
    body += [bars(figures, arm) for arm in report.own_arms(figures)]
    body += [curve(plot) for plot in result.get("plots", [])]
    body += [table(*t) for t in report.tables(figures)]
    body.append(table("Statements", ["query", "statement"], [[n, q["sql"]] for n, q in result["queries"].items()], True))
    body.append(table("Settings", ["arm", "settings"], [[a["label"], "; ".join(f"{k}: {v}" for k, v in a.get("settings", {}).items())] for a in result["arms"].values()], True))
    return first, "".join(body)


def whole(title, body, ungated):
    mark = '<div class="mark">UNGATED</div><p class="bad">UNGATED: the mutation gate has not passed for this source. Work in progress.</p>' if ungated else ""
    return (f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{esc(title)}</title>'
            f'<style>{STYLE}</style><body><h1>{esc(title)}</h1>{mark}{body}</body></html>\n')


def as_html(result, figures, judged):
    title, body = section(result, figures, judged)
    return whole(title, body, not result.get("gate"))


def summary_html(measured):
    """One page over all workloads: every registered figure first."""
    rows = report.summary_rows(measured)
    reached = sum(r[2] == "reached" for r in rows)
    parts = [f"<p>{reached} of {len(rows)} registered figures were reached. Every loss stands below with its figures; workloads follow, each with its tables.</p>",
             "<table class=wide><tr><th>workload</th><th>figure</th><th>verdict</th><th>measured</th></tr>"]
    for workload, what, verdict, detail in rows:
        style = "good" if verdict == "reached" else "bad"
        parts.append(f'<tr><td>{esc(workload)}</td><td>{esc(what)}</td><td class={style}>{esc(verdict)}</td><td>{esc(detail)}</td></tr>')
    parts.append("</table>")
    for result, figures, judged in measured:
        title, body = section(result, figures, judged)
        parts.append(f"<details><summary>{esc(title)}</summary>{body}</details>")
    first = measured[0][0]
    return whole(f"HoloDb, all workloads; source {first['source_id'][:12]}; {first['time']}", "".join(parts), any(not r.get("gate") for r, _, _ in measured))
