"""judge.py: what a result means: medians, ratios, whether control and placebo held, which expectations were reached.

Used by bench/run, bench/compare and bench/report.py. bench/registered/README.md says what an expectation may ask. Held by: bench/selftest."""
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
    """All cells of a result by name ("Q1", "Q6 prepared", "INSERT") and arm; its metrics, some derived here."""

    def __init__(self, result):
        self.result = result
        make = lambda arms: {arm: Cell(raw) for arm, raw in arms.items() if "loop1" in raw}
        self.queries = {name: make(query["cells"]) for name, query in result["queries"].items()}
        self.queries = {name: arms for name, arms in self.queries.items() if arms}
        self.others = {name: make(arms) for name, arms in result.get("cells", {}).items()}
        self.controls = {name: make(control["cells"]) for name, control in result.get("controls", {}).items()}
        # Results kept before workloads shared one layout.
        for how, arms in result.get("lookup", {}).items():
            self.others[f"Q6 {how}"] = make(arms)
        for kind, arms in result.get("changes", {}).get("cells", {}).items():
            self.others[kind.upper()] = make(arms)
        self.cells = self.queries | self.others
        for name, arms in self.others.items():
            base = result["queries"].get(name.removesuffix(" prepared"))
            for arm, cell in arms.items():
                if base and name.endswith(" prepared"):
                    cell.first = base["cells"][arm]["first_s"]
        self.limits = result.get("limits", {})
        self.metrics = dict(result.get("metrics", {}))
        for arm in result["arms"]:
            loaded, empty = (self.metrics.get(f"memory.{arm}.{when}") for when in ("loaded", "empty"))
            if loaded is not None and empty is not None:
                self.metrics[f"bytes_row.{arm}"] = (loaded - empty) / result["rows"]

    def cell(self, name, arm):
        """The arm's cell, or None. "duckdb" is the faster one of its arms, "peers" the fastest of all."""
        arms = self.cells.get(name) or self.controls.get(name, {})
        several = {"duckdb": ("duckdb_text", "duckdb_enum"), "peers": ("sqlite", "duckdb_text", "duckdb_enum")}
        if arm not in several:
            return arms.get(arm)
        return min((arms[a] for a in several[arm] if a in arms), key=lambda c: c.value, default=None)

    def ratio(self, name, arm, against, first=False):
        """(peer / arm, interpreted), or None if either was not measured. first: the arm's first call, against the peer's warm one."""
        mine, other = self.cell(name, arm), self.cell(name, against)
        if mine is None or other is None:
            return None
        value = mine.first if first else mine.value
        return (other.value / value, (first or mine.interpreted) and other.interpreted) if value else None

    def metric(self, names, best=max):
        """A metric, or the best of several."""
        known = [self.metrics[n] for n in ([names] if isinstance(names, str) else names) if n in self.metrics]
        return best(known) if known else None

    def plan(self, name, arm):
        where = self.result.get("controls", {}) if name in self.controls else self.result["queries"]
        return where.get(name, where.get(name.removesuffix(" prepared").removesuffix(" text"), {})).get("plans", {}).get(arm, [])

    def path(self, name, arm):
        """The first access node of the arm's plan: "summary s1", "scan"."""
        for line in self.plan(name, arm):
            line = line.strip()
            for access in ACCESS:
                if line.startswith(access):
                    return " ".join(line.split()[:2]) if access in ("zone sums", "block cells", "summary ", "limb ") else access.strip()
        return ""


def names_of(expected, figures):
    """Cells that an expectation names, or those of its groups."""
    groups = expected.get("groups", [])
    return expected.get("cells", []) + [n for n, q in figures.result["queries"].items() if q.get("group") in groups]


def one(expected, figures, name):
    """(value, bound, unit, reached, interpreted) of a cell under an expectation, or None if it was not measured."""
    arm, first = expected["arm"], expected.get("first", False)
    if "ratio_min" in expected:
        ratio = figures.ratio(name, arm, expected["against"], first)
        return ratio and (ratio[0], expected["ratio_min"], "x", ratio[0] >= expected["ratio_min"], ratio[1])
    cell = figures.cell(name, arm)
    if cell is None:
        return None
    value = cell.first if first else cell.value
    if "seconds_max" in expected:
        return value, expected["seconds_max"], "s", value <= expected["seconds_max"], first or cell.interpreted
    if "limit_max" in expected:
        limit = figures.limits.get(name)
        return limit and (value / limit, expected["limit_max"], "x", value / limit <= expected["limit_max"], first or cell.interpreted)
    bound = max(expected["first_ratio_max"] * cell.value, expected["first_seconds"])
    return cell.first, bound, "s", cell.first <= bound, cell.interpreted


def expectation(expected, figures):
    """Entries of one expectation: a cell each, or their median, or a metric."""
    entry = lambda name, value, bound, unit, reached, interpreted=True: {
        "what": expected["what"], "cell": name, "value": value, "bound": bound, "unit": unit, "reached": bool(reached), "interpreted": bool(interpreted),
        "at_least": "ratio_min" in expected or "min" in expected}
    if "metric" in expected:
        value = figures.metric(expected["metric"])
        if "over" in expected:
            over = figures.metric(expected["over"], min if "max" in expected else max)
            value = value / over if value is not None and over else None
        if value is None:
            return []
        bound = expected.get("min", expected.get("max"))
        name = expected["metric"] if isinstance(expected["metric"], str) else expected["metric"][0]
        return [entry(name, value, bound, expected.get("unit", "x" if "over" in expected else ""), value >= bound if "min" in expected else value <= bound)]
    found = [(name, *result) for name in names_of(expected, figures) if (result := one(expected, figures, name))]
    if expected.get("median") and found:
        values = statistics.median(f[1] for f in found)
        _, _, bound, unit, _, _ = found[0]
        reached = values >= bound if "ratio_min" in expected else values <= bound
        return [entry(f"median of {len(found)}", values, bound, unit, reached, all(f[5] for f in found))]
    return [entry(*f) for f in found]


def judge(figures, registered):
    """{"valid", "controls", "placebo", "expected", "paths"}: each with what was wanted, what came out, and whether it held."""
    result = figures.result
    judged = {"controls": [], "placebo": [], "expected": [], "paths": [], "not_measured": []}
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
        entries = expectation(expected, figures)
        judged["expected"] += entries
        if not entries:
            judged["not_measured"].append(expected["what"])
    # Which path is cheapest depends on the size; the registered ones are for the registered size.
    for arm, paths in (registered.get("paths", {}) if result["rows"] >= registered["rows"] else {}).items():
        for path, names in paths.items():
            for name in names:
                found = figures.path(name, arm)
                judged["paths"].append({"arm": arm, "query": name, "expected": path, "found": found, "held": found == path})
    judged["valid"] = bool(judged["controls"]) and all(c["held"] for c in judged["controls"] + judged["placebo"]) and result.get("rows_equal") is True
    return judged
