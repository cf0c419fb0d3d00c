#!/usr/bin/env python3
"""gate.py: the mutation gate. Use ci/gate, which installs what this needs.

Order: tidy; release library without a selector; one tree with every fault, built three times (g++; clang with ASan and UBSan; g++ with tsan);
models, proofs and algebra; all suites healthy; the matrix; witnesses; 5 % of the cells again; all suites healthy again; matrix.json, stamp.json.
Held by: ci/gate_test."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path

top = Path(__file__).resolve().parent.parent
SUITES = {"unit": "gcc", "oracle": "gcc", "properties": "gcc", "fuzz": "clang", "stress": "tsan"}
FOUR = ("unit", "oracle", "properties", "fuzz")
NO_EXEMPTION = ("dropped_carry", "missed_delete", "stale_join_limb")
EXACT_LAYERS = ("exact", "store", "txn", "plane")
CAUGHT, SURVIVED, EXEMPT, NOT_REACHED, UNDECIDED, ERROR = "caught", "survived", "exempt", "not reached", "undecided", "error"
HEALTHY_S_MAX, MEMORY_BYTES = 15.0, 6 << 30
SAMPLE, SAMPLE_MINUTES, SAMPLE_BUDGET_S = 150, 2, 8    # of the generated faults
KILLS = 20
STRESS_REPLAYS = 5     # a race need not show at once


@dataclass
class Run:
    code: int
    out: str
    err: str
    cpu_s: float
    wall_s: float
    timed_out: bool
    reached: int


def run(command, build, mutant=None, cpu_s=60.0):
    """Runs one process (shell text if command is a string) in its own session, directory and limits."""
    with tempfile.TemporaryDirectory(prefix="gate") as name:
        home = Path(name)
        (home / "work").mkdir()
        env = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TMPDIR": name, "HOME": name}
        limits = "hard_rss_limit_mb=4096"
        env["ASAN_OPTIONS"] = f"{limits}:detect_leaks=1:allocator_may_return_null=1"
        env["TSAN_OPTIONS"] = f"{limits}:halt_on_error=1:second_deadlock_stack=1"
        env["UBSAN_OPTIONS"] = "print_stacktrace=1"
        reach = home / "reach"
        if mutant:
            env.update(HOLODB_MUTANT=mutant, HOLODB_MUTANT_REACH=str(reach))
        wall_max = 4 * cpu_s + 20

        def limit():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
            resource.setrlimit(resource.RLIMIT_CPU, (int(cpu_s) + 1, int(cpu_s) + 2))
            if build == "gcc":   # the sanitizers reserve more address space than they use
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))

        start = time.monotonic()
        with open(home / "out", "wb") as out, open(home / "err", "wb") as err:
            process = subprocess.Popen(["bash", "-c", "exec " + command] if isinstance(command, str) else command, stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=err, cwd=home / "work", env=env, start_new_session=True, preexec_fn=limit)
            killer = threading.Timer(wall_max, lambda: os.killpg(process.pid, signal.SIGKILL))
            killer.start()
            _, status, usage = os.wait4(process.pid, 0)
            killer.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - start
        try:
            os.killpg(process.pid, signal.SIGKILL)   # whatever it left behind in its own group
        except ProcessLookupError:
            pass
        cpu = usage.ru_utime + usage.ru_stime
        code = process.returncode
        timed_out = code == -signal.SIGXCPU or (code in (-signal.SIGKILL, 128 + signal.SIGXCPU) and (cpu >= cpu_s or wall >= wall_max))
        count = int.from_bytes(reach.read_bytes()[:8], "little") if reach.is_file() else 0
        text = [(home / n).read_bytes()[-(1 << 20):].decode("utf-8", "replace") for n in ("out", "err")]
        return Run(code, text[0], text[1], cpu, wall, timed_out, count)


FAIL = re.compile(r"^FAIL suite=(\S+) case=('(?:[^']|'\\'')*'|\S+) invariant=(\S+) seed=(\d+) kind=(wrong-result|self-check|crash)$", re.M)
SUITE = re.compile(r"^SUITE suite=(\S+) cases=(\d+) failed=(\d+) checks=(\d+)$", re.M)


def failures(done, suite):
    """[(case, invariant, seed, kind, replay)] of the structured failures that the run printed."""
    found, lines = [], done.out.split("\n")
    sanitizer = re.search(r"SUMMARY: (\w+Sanitizer)|runtime error:|WARNING: ThreadSanitizer", done.err)
    for i, line in enumerate(lines):
        m = FAIL.match(line)
        if not m or m.group(1) != suite:
            continue
        replay = next((t[len("REPLAY "):] for t in lines[i + 1:i + 3] if t.startswith("REPLAY ")), None)
        kind = "sanitizer" if m.group(5) == "crash" and sanitizer else m.group(5)
        found.append((m.group(2), m.group(3), int(m.group(4)), kind, replay))
    return found


def healthy_problem(done, suite, checks_min=1):
    """Why a run without a fault is not a good one, or None."""
    if done.timed_out:
        return "timed out"
    m = SUITE.search(done.out)
    if done.code != 0:
        return f"exit {done.code}"
    if not m or m.group(1) != suite:
        return "no SUITE line"
    if int(m.group(2)) == 0 or int(m.group(4)) < checks_min or int(m.group(3)) != 0:
        return f"not a good run: {m.group(0)}"
    return None


@dataclass
class Cell:
    mutant: str
    suite: str
    verdict: str
    kind: str = ""
    case: str = ""
    invariant: str = ""
    seed: int = 0
    replay: str = ""
    reached: int = 0
    cases: int = 0
    failed: int = 0
    cpu_s: float = 0.0
    note: str = ""


def judge_cell(program, suite, build, mutant, healthy_cpu_s):
    """Runs one suite on one fault, and its replay on both builds. mutant: {name, effect, layer}."""
    allowed = max(3 * healthy_cpu_s, 10.0)
    done = run([str(program)], build, mutant["name"], allowed)
    cell = Cell(mutant["name"], suite, ERROR, reached=done.reached, cpu_s=round(done.cpu_s, 2))
    m = SUITE.search(done.out)
    if m:
        cell.cases, cell.failed = int(m.group(2)), int(m.group(3))
    found = failures(done, suite)
    if done.timed_out:
        cell.verdict, cell.kind, cell.note = (CAUGHT, "time-out", "") if mutant["effect"] == "hang" and done.reached else (UNDECIDED, "", f"over {allowed:.0f} s of CPU")
        return cell
    if done.code == 0:
        cell.verdict = SURVIVED if done.reached else NOT_REACHED
        problem = healthy_problem(done, suite)
        if problem:
            cell.verdict, cell.note = ERROR, problem
        return cell
    if not found:
        cell.note = f"exit {done.code} without a FAIL line: " + " ".join((done.err or done.out).split())[-300:]
        return cell
    if not done.reached:
        cell.note = "failed, but the mutated line never ran"
        return cell
    strict = mutant["effect"] == "wrong-result" and suite in ("oracle", "properties")
    order = ("wrong-result", "sanitizer", "crash", "self-check")
    found.sort(key=lambda f: order.index(f[3]))
    case, cell.invariant, cell.seed, cell.kind, replay = found[0]
    cell.case, cell.replay = case, replay or ""
    if strict and cell.kind != "wrong-result":
        cell.verdict, cell.note = UNDECIDED, f"a wrong result must be caught as one here, not as {cell.kind}"
        return cell
    if not replay:
        cell.note = "a FAIL line without its REPLAY line"
        return cell
    for _ in range(STRESS_REPLAYS if suite == "stress" else 1):
        again = run(replay, build, mutant["name"], allowed)
        if again.code != 0 and failures(again, suite):
            break
    else:
        cell.note = f"the replay does not fail on the mutant (exit {again.code})"
        return cell
    well = run(replay, build, None, allowed)
    problem = healthy_problem(well, suite, checks_min=0)   # a property of RapidCheck counts no assertion when it holds
    if problem:
        cell.note = f"the replay does not pass on the healthy build: {problem}"
        return cell
    cell.verdict = CAUGHT
    return cell


def required(mutants):
    """[(mutant, suite)]. A race is required of stress alone; the controls of every suite."""
    cells = []
    for mutant in mutants:
        control = mutant["name"] in ("null", "canary")
        suites = SUITES if control else ("stress",) if mutant["effect"] == "race" else FOUR
        cells += [(mutant, suite) for suite in suites]
    return cells


def read_exempt(path, mutants):
    """({(mutant, suite): why}, problems)."""
    exempt, problems, by_name = {}, [], {m["name"]: m for m in mutants}
    for line in path.read_text().splitlines() if path.is_file() else []:
        parts = [p.strip() for p in line.strip().strip("|").split("|")]
        if not line.startswith("|") or len(parts) != 3 or parts[0] in ("mutant", "---") or set(parts[0]) <= set("-: "):
            continue
        name, suite, why = parts[0].strip("`"), parts[1].strip("`"), parts[2]
        mutant = by_name.get(name)
        if mutant is None or suite not in SUITES or not why:
            problems.append(f"exempt.md: {name}, {suite}: no such mutant or suite, or no reason")
        elif name in NO_EXEMPTION or name in ("null", "canary"):
            problems.append(f"exempt.md: {name} may not be exempted")
        elif mutant["effect"] == "wrong-result" and mutant["layer"] in EXACT_LAYERS and suite in ("oracle", "properties"):
            problems.append(f"exempt.md: a wrong result of {mutant['layer']} may not be exempted from {suite}")
        else:
            exempt[(name, suite)] = why
    cells = [c for c in required(mutants) if c[1] in FOUR]
    if len(exempt) * 10 > len(cells):
        problems.append(f"exempt.md: {len(exempt)} of {len(cells)} cells, more than 10 %")
    return exempt, problems


def generated_problem(code, lines):
    """Why the sample of generated faults is not good, or None."""
    if code != 0:
        return f"exit {code}"
    m = re.search(r"^generated: (\d+) faults, (\d+) judged, (\d+) caught, \d+ survived, 0 files with too few$", lines[-1]) if lines else None
    return None if m and int(m.group(3)) > 0 else "no good closing line"


def wanted_verdict(cell):
    return SURVIVED if cell.mutant == "null" else CAUGHT


class Gate:
    def __init__(self, options):
        self.options, self.problems, self.start = options, [], time.monotonic()
        self.gate = top / "build" / "gate"
        self.programs, self.healthy = {}, {}
        self.partial = bool(options.only or options.suite)
        self.jobs = os.cpu_count() or 1

    def say(self, text):
        print(f"[{time.monotonic() - self.start:5.0f} s] {text}", flush=True)

    def problem(self, text):
        self.problems.append(text)
        self.say(f"PROBLEM {text}")

    def quiet(self, name, command, **more):
        done = subprocess.run(command, cwd=top, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **more)
        if done.returncode != 0:
            print("\n".join(done.stdout.splitlines()[-60:]))
            self.problem(f"{name} failed (exit {done.returncode})")
        return done.returncode == 0

    def source_id(self):
        return subprocess.run([top / "ci" / "source_id"], capture_output=True, text=True, check=True).stdout.strip()

    def build_release(self):
        lib = f"set -euo pipefail; source {top}/ci/lib.sh; configure release -DHOLODB_TESTS=ON"
        if not self.quiet("configuring the release", ["bash", "-c", lib, "ci/gate"]):
            return
        if not self.quiet("the release build", ["cmake", "--build", "build/release", "--target", "holodb", "holodb_static", "holodb_shared", "kills"]):
            return
        for name in ("libholodb.a", "libholodb.so", "holodb"):
            data = (top / "build" / "release" / name).read_bytes()
            symbols = subprocess.run(["nm", "-a", top / "build" / "release" / name], capture_output=True, text=True).stdout
            if b"HOLODB_MUTANT" in data or "holodb_mutant" in symbols:
                self.problem(f"{name} contains a selector of mutants")

    def build_trees(self):
        tree, self.gate_dirs = self.gate / "tree", {}
        if not self.quiet("rendering the mutants", [sys.executable, "mutants/schemata.py", "--render", str(tree)]):
            return False
        self.mutants = json.loads((tree / "mutants.json").read_text())
        common = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS=-w", "-DHOLODB_OPTIMIZE=-O1", "-DHOLODB_TESTS=ON"]
        kinds = {"gcc": [], "clang": ["-DHOLODB_SANITIZE=address", "-DHOLODB_VERIFY=ON", "-DCMAKE_C_COMPILER=clang-19", "-DCMAKE_CXX_COMPILER=clang++-19"],
                 "tsan": ["-DHOLODB_SANITIZE=thread"]}
        targets = {"gcc": ["unit", "oracle", "properties", "holodb", "holodb_static"], "clang": ["fuzz", "unit"], "tsan": ["stress"]}
        env = {**os.environ, "CCACHE_BASEDIR": str(tree), "CCACHE_NOHASHDIR": "1"}
        good = True
        for kind, flags in kinds.items():
            if self.options.suite and kind not in {SUITES[s] for s in self.options.suite}:
                continue
            build = self.gate / kind
            if not (build / "build.ninja").is_file():
                good &= self.quiet(f"configuring {kind}", ["cmake", "-S", str(tree), "-B", str(build), *common, *flags], env=env)
            self.say(f"building the {kind} tree")
            good &= self.quiet(f"building the {kind} tree", ["cmake", "--build", str(build), "-j", str(self.jobs), "--target", *targets[kind]], env=env)
        return good

    def find_programs(self):
        for suite, kind in SUITES.items():
            if self.options.suite and suite not in self.options.suite:
                continue
            found = [p for p in (self.gate / kind).rglob(suite) if p.is_file() and os.access(p, os.X_OK)]
            if len(found) != 1:
                self.problem(f"the {kind} tree has {len(found)} programs named {suite}")
            else:
                self.programs[suite] = (found[0], kind)

    def run_healthy(self, when):
        """Every suite without a fault, one at a time, so that its CPU time is fair."""
        for suite, (program, kind) in self.programs.items():
            done = run([str(program)], kind, None, 120.0)
            problem = healthy_problem(done, suite)
            least = min(done.cpu_s, done.wall_s)
            self.say(f"healthy {when}: {suite} {done.cpu_s:.1f} s of CPU, {done.wall_s:.1f} s, {(SUITE.search(done.out) or [''])[0]}")
            if problem:
                print(done.out[-1500:] + done.err[-3000:])
                self.problem(f"{suite} is not green {when} the matrix: {problem}")
            elif least > HEALTHY_S_MAX:
                self.problem(f"{suite} takes {least:.1f} s, more than {HEALTHY_S_MAX:.0f}")
            self.healthy.setdefault(suite, done.cpu_s)
        if when == "before" and "fuzz" in self.programs:
            unit = [p for p in (self.gate / "clang").rglob("unit") if p.is_file() and os.access(p, os.X_OK)]
            done = run([str(unit[0])], "clang", None, 300.0)
            self.say(f"healthy before: unit under ASan and UBSan {done.cpu_s:.1f} s of CPU")
            if healthy_problem(done, "unit"):
                print(done.out[-1500:] + done.err[-3000:])
                self.problem(f"unit under ASan and UBSan: {healthy_problem(done, 'unit')}")

    def judge(self, mutant, suite):
        program, kind = self.programs[suite]
        return judge_cell(program, suite, kind, mutant, self.healthy[suite])

    def matrix(self, exempt):
        cells, work = [], []
        for mutant, suite in required(self.mutants):
            if self.options.only and mutant["name"] not in self.options.only or suite not in self.programs:
                continue
            if (mutant["name"], suite) in exempt:
                cells.append(Cell(mutant["name"], suite, EXEMPT, note=exempt[(mutant["name"], suite)]))
            else:
                work.append((mutant, suite))
        work.sort(key=lambda w: -self.healthy[w[1]])
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for cell in pool.map(lambda w: self.judge(*w), work):
                cells.append(cell)
                if cell.verdict != wanted_verdict(cell):
                    self.problem(f"{cell.suite} x {cell.mutant}: {cell.verdict} {cell.note}")
        # A changed verdict means that the verdicts of this gate cannot be trusted.
        judged = sorted((c for c in cells if c.verdict != EXEMPT), key=lambda c: hashlib.sha256(f"{self.id} {c.mutant} {c.suite}".encode()).digest())
        by_name = {m["name"]: m for m in self.mutants}
        for cell in judged[:max(1, (len(judged) + 19) // 20)] if judged else []:
            again = self.judge(by_name[cell.mutant], cell.suite)
            if again.verdict != cell.verdict:
                self.problem(f"{cell.suite} x {cell.mutant}: {cell.verdict}, then {again.verdict}")
        return sorted(cells, key=lambda c: (c.mutant, list(SUITES).index(c.suite)))

    def witnesses(self):
        """Right on the healthy build, wrong on the mutant."""
        program = self.gate / "gcc" / "holodb"
        if not program.is_file():
            return
        for mutant in self.mutants:
            path = top / mutant["witness"]
            if mutant["witness"] in ("none", "stress") or self.options.only and mutant["name"] not in self.options.only:
                continue
            if path.suffix == ".sql":
                command = f"{shlex.quote(str(program))} -csv -f {shlex.quote(str(path))}"
                wanted = path.with_suffix(".out").read_text()
                right = [run(command, "gcc", name, 60.0).out == wanted for name in (None, mutant["name"])]
            else:
                binary = self.gate / "gcc" / f"witness_{mutant['name']}"
                command = ["g++", "-std=c++20", "-O1", "-w", *(f"-I{self.gate}/tree/{d}" for d in ("src/include", "src", "")), path, self.gate / "gcc" / "libholodb.a", "-pthread", "-o", binary]
                if not self.quiet(f"building the witness of {mutant['name']}", command):
                    continue
                done = [run([str(binary)], "gcc", name, 60.0).code for name in (None, mutant["name"])]
                right = [code == 0 for code in done]
                if done[1] not in (0, 1):
                    self.problem(f"the witness of {mutant['name']} exits with {done[1]} on it, not 1")
            if right != [True, False]:
                self.problem(f"the witness of {mutant['name']} is {'right' if right[0] else 'wrong'} without it and {'right' if right[1] else 'wrong'} with it")

    def formal(self, name, *programs, arguments=()):
        """A check of its own: the last line of each program is its verdict, which goes with its exit status."""
        for program in programs:
            path = top / "spec" / name / program
            if not path.is_file():
                self.problem(f"there is no spec/{name}/{program}")
                continue
            start = time.monotonic()
            try:
                done = subprocess.run([str(path), *arguments], cwd=top, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
            except subprocess.TimeoutExpired:
                self.problem(f"spec/{name}/{program} took more than 600 s")
                continue
            lines = done.stdout.splitlines()
            self.say(f"{name}/{program} {time.monotonic() - start:.0f} s: {lines[-1] if lines else ''}")
            verdict = re.search(r"cases=(\d+) failed=0\b|^([1-9]\d*) passed, 0 failed$", lines[-1]) if lines else None
            if done.returncode != 0 or not verdict or verdict.group(1) == "0":
                print("\n".join(lines[-30:]))
                self.problem(f"spec/{name}/{program} failed (exit {done.returncode})")

    def generated(self):
        """A fixed core of the generated faults and a sample of them, drawn by the source's hash."""
        command = [sys.executable, "mutants/generated", "--sample", str(SAMPLE), "--minutes", str(SAMPLE_MINUTES), "--budget", str(SAMPLE_BUDGET_S)]
        done = subprocess.run(command, cwd=top, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        lines = done.stdout.splitlines()
        problem = generated_problem(done.returncode, lines)
        if problem:
            print("\n".join(lines[-80:]))
            self.problem(f"mutants/generated: {problem}")
        self.say(lines[-1] if lines else "mutants/generated said nothing")

    def kills(self):
        """Processes that are killed under load; ci/campaign kills many more."""
        program = top / "build" / "release" / "oracle" / "kills"
        if not program.is_file():
            self.problem("there is no program kills")
            return
        try:
            done = subprocess.run([program, "--count", str(KILLS), "--directory", str(self.gate / "kills.d")], capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            self.problem(f"{KILLS} kills took more than 300 s")
            return
        last = (done.stdout.splitlines() or [""])[-1]
        self.say(f"processes killed under load: {last}")
        if done.returncode != 0 or last != f"{KILLS} passed, 0 failed":
            print(done.stdout[-2000:] + done.stderr[-2000:])
            self.problem("a process was killed, and what it had been told was not there")

    def stamp(self, matrix_text):
        def version(*command):
            return subprocess.run(command, capture_output=True, text=True).stdout.split("\n")[0]
        wanted = [w for w in re.sub(r"#.*|\[\w+\]", "", (top / "ci" / "packages.txt").read_text()).split()]
        packages = dict(line.split(" ", 1) for line in subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${Version}\n", *wanted],
                                                                     capture_output=True, text=True).stdout.splitlines())
        flags = {}
        for kind, build in (("release", top / "build" / "release"), *((k, self.gate / k) for k in ("gcc", "clang", "tsan"))):
            entry = next(e for e in json.loads((build / "compile_commands.json").read_text()) if e["file"].endswith("/src/base/check.cc"))
            flags[kind] = " ".join(word for word in entry["command"].split() if re.match(r"-[^Ioc]", word))
        shared = top.parent / "shared" / "corpora"
        stamp = {"source_id": self.id, "compilers": [version("g++", "--version"), version("clang++-19", "--version")], "flags": flags, "packages": packages,
                 "matrix_sha256": hashlib.sha256(matrix_text.encode()).hexdigest(), "skips": [], "corpus": "present" if shared.is_dir() else "absent",
                 "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
        (self.gate / "stamp.json").write_text(json.dumps(stamp, indent=1) + "\n")

    def everything(self):
        self.gate.mkdir(parents=True, exist_ok=True)
        for name in ("stamp.json", "matrix.json"):
            (self.gate / name).unlink(missing_ok=True)
        self.id = self.source_id()
        self.say(f"source {self.id}")
        self.quiet("ci/tidy", [sys.executable, "ci/tidy"])
        if not self.partial:
            self.build_release()
        if self.problems and not self.partial and not self.options.keep_going:
            return self.close([])
        if not self.build_trees():
            return self.close([])
        names = {m["name"] for m in self.mutants}
        for name in {"null", "canary", *NO_EXEMPTION} - names:
            self.problem(f"there is no mutants/{name}.patch")
        exempt, problems = read_exempt(top / "mutants" / "exempt.md", self.mutants)
        for text in problems:
            self.problem(text)
        self.find_programs()
        if not self.partial:
            self.kills()
            self.formal("models", "run", "run_test", "run_spin", "run_structures", "run_log", "run_pages", "run_events", "run_durable", "run_spin_durable")
            self.formal("proofs", "run")
            self.formal("algebra", "run", arguments=[str(p) for p, _ in [self.programs.get("properties", ("", ""))]])
        self.run_healthy("before")
        if self.problems and not self.options.keep_going and not self.partial:
            return self.close([])
        cells = self.matrix(exempt)
        self.witnesses()
        if not self.partial:
            self.run_healthy("after")
        self.close(cells)

    def close(self, cells):
        good = sum(c.verdict == wanted_verdict(c) for c in cells)
        exempted = [c for c in cells if c.verdict == EXEMPT]
        names = list(SUITES)
        for mutant in sorted({c.mutant for c in cells}):
            row = {c.suite: c for c in cells if c.mutant == mutant}
            print(f"  {mutant:28}" + "".join(f"{row[s].verdict if s in row else '-':13}" for s in names))
        for cell in exempted:
            print(f"  exempt: {cell.mutant} x {cell.suite}: {cell.note}")
        table = {}
        for cell in cells:
            table.setdefault(cell.mutant, {})[cell.suite] = cell.verdict
        text = json.dumps({"source_id": self.id, "complete": not self.partial and bool(cells), "matrix": table,
                           "healthy_cpu_s": {s: round(t, 2) for s, t in self.healthy.items()}, "cells": [asdict(c) for c in cells],
                           "problems": self.problems}, indent=1) + "\n"
        (self.gate / "matrix.json").write_text(text)
        if self.source_id() != self.id:
            self.problem("the source changed while the gate ran")
        if not cells:
            self.problem("nothing was judged")
        if not self.problems and not self.partial:
            self.stamp(text)
        self.say(f"gate: {good} of {len(cells)} cells as required, {len(exempted)} exempt, {len(self.problems)} problems"
                 + (" (partial: no stamp)" if self.partial else "" if self.problems else ": stamped"))
        sys.exit(1 if self.problems else 0)


def main():
    args = argparse.ArgumentParser(description="the mutation gate; see mutants/README.md")
    args.add_argument("--only", action="append", help="this mutant only (repeat for more); writes no stamp")
    args.add_argument("--suite", action="append", choices=list(SUITES), help="this suite only (repeat for more); writes no stamp")
    args.add_argument("--keep-going", action="store_true", help="judge the matrix although a step before it failed")
    Gate(args.parse_args()).everything()


if __name__ == "__main__":
    main()
