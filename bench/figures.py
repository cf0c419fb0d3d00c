"""figures.py: the figures that the project set itself (registered/figures.toml) against what was measured: wanted, measured, verdict, reason.

What:       rows(measured, failed) -> a dict a figure: id, part, wanted, measured, verdict, reason.
            Verdicts: "reached", "not reached", "not measured" (a workload failed, was left out, or ran at another size) and "not interpreted"
            (the run's control or placebo did not hold). A reason is the section of profiles.md of that id; one that is missing is said so.
Held by: bench/selftest."""
import tomllib
from pathlib import Path

import report

here = Path(__file__).resolve().parent
NO_PROFILE = "no profile explains it yet"


def profiles(text):
    """{id: text} of the sections "## id" of profiles.md."""
    sections = {}
    for part in text.split("\n## ")[1:]:
        head, _, body = part.partition("\n")
        sections[head.split()[0].rstrip(":")] = " ".join(body.split())
    return sections


def worst(entries):
    """The entry that is farthest on the wrong side of its bound."""
    def over(e):
        share = e["value"] / e["bound"] if e["bound"] else e["value"]
        return -share if e["at_least"] else share
    return max(entries, key=over)


def expectation_text(entries):
    e = worst(entries)
    mark = "" if e["interpreted"] else "~"
    text = f"{mark}{report.amount(e['value'], e['unit'])} (wanted {'at least' if e['at_least'] else 'at most'} {report.amount(e['bound'], e['unit'])})"
    if len(entries) == 1:
        return text
    reached = sum(x["reached"] for x in entries)
    return f"{reached} of {len(entries)} cells; farthest {e['cell']} {text}"


def full_sizes():
    """{workload: registered rows}."""
    loaded = (tomllib.loads(p.read_text()) for p in (here / "registered").glob("*.toml") if p.stem != "figures")
    return {d["workload"]: d["rows"] for d in loaded}


def by_expectations(figure, by_name, failed, sizes):
    """(verdict, measured) of a figure that is made of expectations."""
    verdict, lines = "reached", []
    for name, what in (of.split(": ", 1) for of in figure["of"]):
        result, judged = by_name.get(name, (None, None))
        entries = [e for e in judged["expected"] if e["what"] == what] if judged else []
        if not entries:
            why = f"{name} failed: {failed[name]}" if name in failed else f"{name} was not run" if judged is None else f"not measured at {result['rows']:,} rows"
            lines.append(f"{what}: {why}")
            verdict = "not measured"
            continue
        lines.append(f"{what}: {expectation_text(entries)}")
        reached = all(e["reached"] for e in entries)
        if result["rows"] < sizes.get(name, 0):   # of a smaller run: shown, but it is not this figure
            lines[-1] += f", {'reached' if reached else 'not reached'} at {result['rows']:,} rows"
            verdict = "not measured"
        elif not judged["valid"] and verdict != "not measured":
            verdict = "not interpreted"
        elif verdict == "reached" and not reached:
            verdict = "not reached"
    return verdict, "\n".join(lines)


def by_plots(figure, by_name):
    result, judged = by_name.get("scaling", (None, None))
    if result is None:
        return "not measured", "scaling was not run"
    verdict, lines = "reached", []
    for x, (low, high) in figure["plots"].items():
        plots = [p for p in result.get("plots", []) if p["x"] == x and p["sentence"]]
        at = [point[0] for p in plots for s in p["series"] for point in s["points"]]
        lines.append(f"{x}: {len(plots)} plots, {min(at):,.0f} to {max(at):,.0f}" if at else f"{x}: no plot")
        if not at or min(at) > low or max(at) < high:
            verdict = "not reached"
    return verdict if judged["valid"] else "not interpreted", "; ".join(lines)


def by_table(figure, by_name):
    name, title = figure["table"].split(": ", 1)
    result, _ = by_name.get(name, (None, None))
    if result is None:
        return "not measured", f"{name} was not run"
    tables = [t for t in result.get("tables", []) if t["title"].startswith(title)]
    return ("reached", "\n".join(f"{row[0]}: {report.value_text(row[1])}" for row in tables[0]["rows"])) if tables else ("not reached", "no such table")


def rows(measured, failed=None, registered=None, reasons=None):
    """A dict a figure; measured is [(result, figures, judged)], failed is {workload: why}."""
    registered = registered or tomllib.loads((here / "registered" / "figures.toml").read_text())
    reasons = profiles((here / "profiles.md").read_text()) if reasons is None else reasons
    by_name = {result["workload"]: (result, judged) for result, _, judged in measured}
    out, sizes = [], full_sizes()
    for figure in registered["figure"]:
        if "of" in figure:
            verdict, text = by_expectations(figure, by_name, failed or {}, sizes)
        else:
            verdict, text = by_plots(figure, by_name) if "plots" in figure else by_table(figure, by_name)
        reason = "" if verdict == "reached" else reasons.get(figure["id"], NO_PROFILE if verdict == "not reached" else "")
        out.append({"id": figure["id"], "part": figure["part"], "wanted": figure["wanted"], "measured": text, "verdict": verdict, "reason": reason})
    return out


def registered_otherwise():
    """Expectations ("WORKLOAD: what") of all registrations, and those that no figure is made of."""
    figures = tomllib.loads((here / "registered" / "figures.toml").read_text())["figure"]
    used = {of for f in figures for of in f.get("of", [])}
    every = [f"{d['workload']}: {e['what']}" for p in sorted((here / "registered").glob("*.toml")) if p.stem != "figures"
             for d in [tomllib.loads(p.read_text())] for e in d.get("expect", [])]
    return every, [e for e in every if e not in used], sorted(used - set(every))
