"""judge.py: what a result means: medians, ratios, whether control and placebo held, which expectations were reached.

Used by bench/run, bench/compare and bench/report.py. Held by: bench/selftest."""
import statistics

LOOPS_DIFFER_MAX = 0.25   # more than this between the two loops of a cell: not interpreted
ACCESS = ("zone sums", "block cells", "summary ", "limb ", "index ", "scan")


class Cell:
    """One figure: an arm's seconds for one thing. value is the median over both loops."""

    def __init__(self, raw):
        loops = [raw[name]["samples"] for name in ("loop1", "loop2") if name in raw]
        self.first = raw.get("first_s")
        self.medians = [statistics.median(samples) for samples in loops]
        self.value = statistics.median([sample for samples in loops for sample in samples])
        self.samples = sum(len(samples) for samples in loops)
        low, high = min(self.medians), max(self.medians)
        self.spread = (high - low) / low if low > 0 else 0.0
        self.interpreted = len(loops) == 2 and self.spread <= LOOPS_DIFFER_MAX


class Figures:
    """All cells of a result by name ("Q1", "Q6 prepared", "INSERT") and arm."""

    def __init__(self, result):
        self.result = result
        self.cells = {}
        for name, query in result["queries"].items():
            if name == "Q6":
                for how, arms in result["lookup"].items():
                    self.cells[f"Q6 {how}"] = {arm: Cell(raw) for arm, raw in arms.items()}
                for arm, cell in self.cells["Q6 prepared"].items():
                    cell.first = query["cells"][arm]["first_s"]
            else:
                self.cells[name] = {arm: Cell(raw) for arm, raw in query["cells"].items()}
        self.controls = {name: {arm: Cell(raw) for arm, raw in control["cells"].items()} for name, control in result.get("controls", {}).items()}
        for kind, arms in result.get("changes", {}).get("cells", {}).items():
            self.cells[kind.upper()] = {arm: Cell(raw) for arm, raw in arms.items()}

    def cell(self, name, arm):
        """The arm's cell, or None. "duckdb" is the faster one of its arms."""
        arms = self.cells.get(name) or self.controls.get(name, {})
        if arm != "duckdb":
            return arms.get(arm)
        return min((arms[a] for a in ("duckdb_text", "duckdb_enum") if a in arms), key=lambda c: c.value, default=None)

    def ratio(self, name, arm, against):
        """(peer / arm, interpreted), or None if either was not measured."""
        mine, other = self.cell(name, arm), self.cell(name, against)
        if mine is None or other is None or mine.value <= 0:
            return None
        return other.value / mine.value, mine.interpreted and other.interpreted

    def path(self, name, arm):
        """The first access node of the arm's plan: "summary s1", "scan"."""
        where = "controls" if name in self.controls else "queries"
        for line in self.result[where].get(name.split(" ")[0], {}).get("plans", {}).get(arm, []):
            line = line.strip()
            for access in ACCESS:
                if line.startswith(access):
                    return " ".join(line.split()[:2]) if access in ("zone sums", "block cells", "summary ", "limb ") else access.strip()
        return ""


def judge(figures, registered):
    """{"valid", "controls", "placebo", "expected", "paths"}: each with what was wanted, what came out, and whether it held."""
    result = figures.result
    judged = {"controls": [], "placebo": [], "expected": [], "paths": []}
    for control in registered.get("control", []):
        a, b = control["arms"]
        ratio = figures.ratio(control["query"], b, a)
        if ratio is None:
            continue   # a peer that was not asked for
        paths = [figures.path(control["query"], arm) for arm in (a, b)] if "path" in control else []
        held = control["low"] <= ratio[0] <= control["high"] and all(path == control["path"] for path in paths)
        judged["controls"].append({**control, "ratio": ratio[0], "paths": paths, "held": held})
    placebo = registered["placebo"]
    for arm in placebo["arms"]:
        changed = set(result["placebo"][arm])
        missed, wrong = sorted(set(placebo["changes"]) - changed), sorted(changed - set(placebo["changes"]))
        judged["placebo"].append({"arm": arm, "unchanged": missed, "changed": wrong, "held": not missed and not wrong})
    for expected in registered.get("expect", []):
        if not expected.get("rows_min", 0) <= result["rows"] <= expected.get("rows_max", result["rows"]):
            continue   # registered for another size
        for name in expected["cells"]:
            ratio = figures.ratio(name, expected["arm"], expected["against"])
            if ratio is not None:
                judged["expected"].append({"what": expected["what"], "cell": name, "arm": expected["arm"], "against": expected["against"],
                                           "ratio": ratio[0], "ratio_min": expected["ratio_min"], "interpreted": ratio[1],
                                           "reached": ratio[0] >= expected["ratio_min"]})
    # Which path is cheapest depends on the size; the registered ones are for the registered size.
    for arm, paths in (registered.get("paths", {}) if result["rows"] >= registered["rows"] else {}).items():
        for path, names in paths.items():
            for name in names:
                found = figures.path(name, arm)
                judged["paths"].append({"arm": arm, "query": name, "expected": path, "found": found, "held": found == path})
    judged["valid"] = bool(judged["controls"]) and all(c["held"] for c in judged["controls"] + judged["placebo"]) and result.get("rows_equal") is True
    return judged
