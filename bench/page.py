"""page.py: judged results as one HTML file that needs no network: a summary, ratio bars and curves on log scales, tables.

Held by: bench/selftest."""
import html
import math

import figures as figures_module
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
    left, width, bar, gap = 200, 690, 9, 8
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


def picture(figures, arm):
    """The ratio bars of an arm as an SVG file of its own."""
    drawn = bars(figures, arm)
    if not drawn:
        return ""
    svg = drawn[drawn.index("<svg"):]
    _, _, width, height = (float(v) for v in svg.split('viewBox="', 1)[1].split('"', 1)[0].split())
    top = 64
    result = figures.result
    title = f"{result.get('title', result['workload'])}, {result['rows']:,} rows: how many times faster HoloDb ({arm} arm) answers, log scale{'' if result.get('gate') else ' (UNGATED)'}"
    legend = "".join(f'<tspan dx="12" style="fill:{COLOURS[p]}">&#9632;</tspan><tspan dx="4">{report.TITLES[p]}</tspan>' for p in report.peers_of(figures))
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 {-top} {width:g} {height + top:g}" font-family="system-ui,sans-serif" font-size="12" fill="#333">'
            f'<rect x="0" y="{-top}" width="100%" height="100%" fill="#fff"/><text x="12" y="{20 - top}" font-size="14" font-weight="600">{esc(title)}</text>'
            f'<text x="12" y="{42 - top}">{legend}<tspan dx="12" style="fill:#a3122b">&#9632;</tspan><tspan dx="4">slower</tspan>'
            f'<tspan dx="12">{esc(result["machine"]["cpu"])}, {result["machine"]["cores"]} cores; source {result["source_id"][:12]}</tspan></text>')
    return head + svg[svg.index(">") + 1:] + "\n"


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


def figure_table(rows):
    """Every figure: wanted, measured, verdict, and for what was not reached the profile that explains it."""
    lines = []
    for r in rows:
        style = "good" if r["verdict"] == "reached" else "bad"
        reason = f'<span class={"bad" if r["reason"] == figures_module.NO_PROFILE else "plain"}>{esc(r["reason"])}</span>'
        measured = "<br>".join(esc(line) for line in r["measured"].splitlines())
        lines.append(f'<tr id="{esc(r["id"])}"><td>{esc(r["part"])}</td><td>{esc(r["wanted"])}</td><td>{measured}</td><td class={style}>{esc(r["verdict"])}</td><td>{reason}</td></tr>')
    return ("<table class=wide><tr><th>workload</th><th>wanted</th><th>measured</th><th>verdict</th><th>why not</th></tr>" + "".join(lines) + "</table>")


def timing_sentence(result):
    t = result.get("timing")
    if not t:
        return ""
    return (f"A warm cell is the median over two loops: {t['batches']:.0f} batches of at least {report.duration(t['batch_s'])} if a call takes under 1 ms, else {t['calls_max']:.0f} calls, or as "
            f"many as fit into {report.duration(t['cell_s'])} but at least {t['calls_min']:.0f}; a call of over {report.duration(t['long_call_s'])} is made twice (its first call is one loop). "
            "Cells of fewer than ten calls say so: [n]. The rule is the same for every engine; rows of all engines were compared in full before any of it.")


def overview(measured):
    """What is drawn beside the figures: W1's ratios, where its bytes go, the curves."""
    parts = []
    for result, figures, judged in measured:
        if result["workload"] == "billing":
            parts += [bars(figures, arm) for arm in report.own_arms(figures)] + [table(*t) for t in report.limit_table(figures)]
    for result, figures, judged in measured:
        parts += [curve(plot) for plot in result.get("plots", [])]
    return "".join(parts)


def summary_html(measured, failed=None, figure_rows=()):
    """One page over all workloads: every figure first, then pictures, every registered expectation, and each workload."""
    if not measured:
        return whole("HoloDb: nothing was measured", "".join(f"<p class=bad>{esc(n)}: {esc(why)}</p>" for n, why in (failed or {}).items()), True)
    first = measured[0][0]
    count = lambda verdict: sum(r["verdict"] == verdict for r in figure_rows)
    lost = [r for r in figure_rows if r["verdict"] == "not reached"]
    machine = report.heading(first)
    parts = [f"<p>{esc(machine[0].split('; ', 1)[1])}<br>{esc(machine[1].rsplit(', ', 1)[0])}; {sum(r['seconds'] for r, _, _ in measured) / 60:.0f} minutes of measuring</p>",
             f"<p><b>{count('reached')} of {len(figure_rows)} figures were reached</b>, {len(lost)} were not, {count('not measured')} were not measured, {count('not interpreted')} are not interpreted. "
             f"{sum(r['reason'] == figures_module.NO_PROFILE for r in lost)} of those not reached have no profile yet. Ratios are the peer's warm median over HoloDb's, on this machine, in this run.</p>",
             f"<p>{esc(timing_sentence(first))}</p>"]
    parts += [f'<p class=bad>{esc(name)} gave no result: {esc(why)}</p>' for name, why in (failed or {}).items()]
    for result, _, judged in measured:
        if not judged["valid"]:
            parts.append(f'<p class=bad>{esc(result["workload"])}: a control or the placebo did not hold: its figures are not interpreted</p>')
        for earlier in result.get("earlier", []):
            ratios = ", ".join(f"{c[2]} / {c[1]} {c[3]:.2f}" for c in earlier["controls"])
            parts.append(f'<p class=bad>{esc(result["workload"])}: an earlier run at {esc(earlier["time"])} was not valid (controls {esc(ratios)}); this is another one</p>')
    parts += ["<h2>Every figure that was wanted</h2>", figure_table(figure_rows), overview(measured)]
    rows = report.summary_rows(measured)
    reached = sum(r[2] == "reached" for r in rows)
    parts.append(f"<details><summary>Every registered expectation: {reached} of {len(rows)} reached</summary>"
                 "<table class=wide><tr><th>workload</th><th>expectation</th><th>verdict</th><th>measured</th></tr>")
    for workload, what, verdict, detail in rows:
        style = "good" if verdict == "reached" else "bad"
        parts.append(f'<tr><td>{esc(workload)}</td><td>{esc(what)}</td><td class={style}>{esc(verdict)}</td><td>{esc(detail)}</td></tr>')
    parts.append("</table></details>")
    for result, figures, judged in measured:
        title, body = section(result, figures, judged)
        parts.append(f"<details><summary>{esc(title)}</summary>{body}</details>")
    return whole(f"HoloDb, all workloads; source {first['source_id'][:12]}; {first['time']}", "".join(parts), any(not r.get("gate") for r, _, _ in measured))
