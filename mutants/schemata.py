#!/usr/bin/env python3
"""schemata.py: from one-hunk patches to one tree that holds every fault.

    schemata.py --check [--root DIR]     every patch has its header, applies, can be rendered, has its witness (ci/tidy runs this)
    schemata.py --render OUT [--root DIR] a copy of the tree in OUT with `if (on(N)) { mutated } else { original }`, and OUT/mutants.json
    schemata.py --refresh [--root DIR]   writes patches anew whose lines have moved (mutants/refresh)

A hunk of whole statements becomes a choice between two blocks (form `statement`). Where it touches a declaration, a condition or half of
a statement, the body of its function is doubled (form `body`), and the reach counter sits before the first changed statement.
Held by: ci/gate_test."""
import argparse
import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

EFFECTS = ("wrong-result", "race", "hang", "crash", "none")
HEADER = ("Mutant", "Invariant", "Layer", "Effect", "Witness")
LAYERS = "base io pages sql exact store txn log plane catalog plan exec engine shell".split()
KEYWORDS = "return if for while do switch throw delete break continue goto co_return co_yield co_await case default else".split()


class Bad(Exception):
    pass


@dataclass
class Patch:
    path: Path
    header: dict
    file: str = ""
    line: int = 0                                # of the hunk's first line, from 1
    hunk: list = field(default_factory=list)     # (' ', '-' or '+', text)
    id: int = -1
    start: int = 0                               # index of the first changed line in the source
    form: str = ""

    @property
    def name(self):
        return self.header["Mutant"]

    def old(self):
        return [text for mark, text in self.hunk if mark != "+"]

    def changed(self):
        """(context lines before, removed lines, lines that replace them) of the smallest range that holds every change."""
        marks = [i for i, (mark, _) in enumerate(self.hunk) if mark != " "]
        first, last = marks[0], marks[-1]
        middle = self.hunk[first:last + 1]
        return first, [t for m, t in middle if m != "+"], [t for m, t in middle if m != "-"]


def read_patch(path):
    header, patch, lines = {}, None, path.read_text().split("\n")
    at = 0
    while at < len(lines) and not lines[at].startswith("--- "):
        m = re.match(r"([A-Z]\w+):\s*(.*\S)", lines[at])
        if m:
            header[m.group(1)] = m.group(2)
        at += 1
    for key in HEADER:
        if key not in header:
            raise Bad(f"{path.name}: the header has no {key}")
    if header["Mutant"] != path.stem:
        raise Bad(f"{path.name}: Mutant is {header['Mutant']}, not the file's name")
    if header["Effect"] not in EFFECTS:
        raise Bad(f"{path.name}: Effect {header['Effect']} is none of {', '.join(EFFECTS)}")
    if header["Layer"] not in LAYERS:
        raise Bad(f"{path.name}: {header['Layer']} is not a layer")
    patch = Patch(path, header)
    if at + 1 >= len(lines) or not lines[at + 1].startswith("+++ b/"):
        raise Bad(f"{path.name}: no `--- a/FILE` and `+++ b/FILE`")
    patch.file = lines[at + 1][len("+++ b/"):].strip()
    if not patch.file.startswith(f"src/{header['Layer']}/"):
        raise Bad(f"{path.name}: {patch.file} is not in src/{header['Layer']}/")
    hunks = [i for i, text in enumerate(lines) if text.startswith("@@ ")]
    if len(hunks) != 1:
        raise Bad(f"{path.name}: {len(hunks)} hunks, not one")
    m = re.match(r"@@ -(\d+)", lines[hunks[0]])
    patch.line = int(m.group(1))
    body = lines[hunks[0] + 1:]
    while body and body[-1] == "":
        body.pop()
    patch.hunk = [(text[:1] or " ", text[1:]) for text in body if not text.startswith("\\")]
    if any(mark not in " +-" for mark, _ in patch.hunk) or all(mark == " " for mark, _ in patch.hunk):
        raise Bad(f"{path.name}: the hunk is not one of ' ', '-' and '+' lines, or changes nothing")
    return patch


def anchor(patch, lines):
    """Sets patch.start. The hunk's old lines must be in the file once, or at the stated place."""
    old = patch.old()
    places = [i for i in range(len(lines) - len(old) + 1) if lines[i:i + len(old)] == old]
    if patch.line - 1 in places:
        place = patch.line - 1
    elif len(places) == 1:
        place = places[0]
    else:
        raise Bad(f"{patch.path.name}: stale: its lines are {'not' if not places else 'more than once'} in {patch.file}")
    patch.line = place + 1
    patch.start = place + patch.changed()[0]


def blanked(text):
    """The text with comments and the insides of literals replaced by blanks; every character keeps its place."""
    def blank(match):
        piece = match.group(0)
        keep = piece[0] if piece[0] in "\"'" else ""
        return keep + re.sub(r"[^\n]", " ", piece[len(keep):len(piece) - len(keep)]) + keep
    return re.sub(r'//[^\n]*|/\*.*?\*/|R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])\'', blank, text, flags=re.S)


CONTAINER = re.compile(r"\b(namespace|class|struct|union|enum)\b[^()]*$|\bextern\s*\"\s*\"\s*$")


def functions(code):
    """[(offset of the body's {, offset of its })] of the outermost functions. code is blanked."""
    found, stack, mark, after_init, parens = [], [], 0, False, 0
    for m in re.finditer(r"[{};()]|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", code, re.M):
        at, what = m.start(), m.group(0)
        if what[0] not in "{};()":
            mark = m.end() if not stack or stack[-1][1] == "container" else mark
            continue
        if what in "()":
            parens += 1 if what == "(" else -1
            continue
        if what == ";":
            if parens == 0:
                mark, after_init = at + 1, False
            continue
        if what == "{":
            inside = any(kind == "function" for _, kind in stack)
            header = re.sub(r"\balignas\s*\([^)]*\)|\[\[[^\]]*\]\]", "", code[mark:at]).rstrip()
            if inside:
                kind = "inner"
            elif parens > 0:
                kind = "init"
            elif CONTAINER.search(header):
                kind = "container"
            elif after_init and header == "":
                kind = "function"
            elif re.search(r"\w$", header) and not re.search(r"\b(const|noexcept|override|final|mutable|try)$|->[^;{}]*$", header):
                kind = "init"    # a member's initializer a_{1}, or a variable's
            elif ")" in header:
                kind = "function"
            else:
                kind = "init"
            stack.append((at, kind))
            mark = at + 1
            continue
        if not stack:
            raise Bad("braces do not match")
        start, kind = stack.pop()
        after_init = kind == "init"
        if kind == "function":
            found.append((start, at))
        mark = at + 1
    return found


def whole_statements(text):
    """True if text is whole statements without a declaration that could be used after it."""
    code = blanked(text).strip()
    if code == "":
        return True
    if code[-1] not in ";}" or not re.match(r"[\w:*+\-({]", code) or re.match(r"(else|case|default)\b", code):
        return False
    depth, statement = 0, ""
    for c in code:
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth < 0:
                return False
        if depth == 0 and c in ";}":
            if is_declaration((statement + c).strip()):
                return False
            statement = ""
        else:
            statement += c
    return depth == 0


def is_declaration(statement):
    if re.match(r"(const|auto|static|constexpr|using|typename|unsigned|signed|thread_local|typedef|struct|class|enum)\b", statement):
        return True
    m = re.match(r"([A-Za-z_][\w:]*)(<.*>)?[\s*&]+[A-Za-z_]\w*\s*([=;{(\[])", statement, re.S)
    return bool(m) and m.group(1) not in KEYWORDS


class Source:
    def __init__(self, name, text):
        self.name, self.text, self.code = name, text, blanked(text)
        self.lines = text.split("\n")
        self.offsets = [0]
        for line in self.lines:
            self.offsets.append(self.offsets[-1] + len(line) + 1)
        self.functions = functions(self.code)

    def function_at(self, start, end):
        for body in self.functions:
            if body[0] < start and end <= body[1] + 1:
                return body
        return None

    def starts_statement(self, offset, body_start):
        before = self.code[body_start:offset]
        line = self.code[offset:].lstrip()
        depth = before.count("(") - before.count(")")
        return before.rstrip()[-1:] in (";", "{", "}") and depth == 0 and not re.match(r"\}|else\b|case\b|default\b|,", line)


def whole_function(source, start, end, old, new):
    """The body of a function that lies whole in the removed lines, if the new lines are the same function with another body."""
    inside = [body for body in source.functions if start <= body[0] and body[1] < end]
    texts = ["\n".join(lines) for lines in (old, new)]
    found = [functions(blanked(text)) for text in texts]
    same = all(len(f) == 1 for f in found) and texts[0][:found[0][0][0]] == texts[1][:found[1][0][0]]
    return inside[0] if len(inside) == 1 and same else None


def plan_file(source, patches):
    """Sets form of each patch, and groups those of form body by function. Returns (statement patches, {body: patches})."""
    spans, simple, doubled = {}, [], {}
    for patch in patches:
        _, old, new = patch.changed()
        start = source.offsets[patch.start]
        end = source.offsets[patch.start + len(old)] if old else start
        body = source.function_at(start, end) or whole_function(source, start, end, old, new)
        if body is None:
            raise Bad(f"{patch.path.name}: {source.name}:{patch.start + 1} is not inside of one function")
        before = source.code[body[0]:start].rstrip()[-1:]
        simple_form = (body[0] < start and before in (";", "{", "}", ")") and whole_statements("\n".join(old)) and whole_statements("\n".join(new))
                       and patch.header.get("Form") != "body" and not (before == ")" and (not old or len(old) > 1)))
        if simple_form and any(a < end and start < b for f, a, b in spans.values() if f == body):
            simple_form = False
        spans[patch.name] = (body, start, max(end, start + 1))
        patch.form = "statement" if simple_form else "body"
    taken = {spans[p.name][0] for p in patches if p.form == "body"}
    for patch in patches:
        body = spans[patch.name][0]
        if body in taken:
            patch.form = "body"
            doubled.setdefault(body, []).append(patch)
        else:
            simple.append(patch)
    return simple, doubled


def render_file(source, patches):
    simple, doubled = plan_file(source, patches)
    edits = []
    for patch in simple:
        _, old, new = patch.changed()
        start, end = source.offsets[patch.start], source.offsets[patch.start + len(old)]
        end = end if old else start
        removed, added = "\n".join(old), "\n".join(new)
        edits.append((start, end, f"{{ if (::holodb_mutant::on({patch.id})) {{\n{added}\n}} else {{\n{removed}\n}} }}\n"))
    for (start, end), group in doubled.items():
        original, text = source.text[start + 1:end], ""
        for patch in group:
            _, old, new = patch.changed()
            if source.offsets[patch.start] <= start:   # the whole function was replaced
                added = "\n".join(new)
                low, high = functions(blanked(added))[0]
                text += f"if (::holodb_mutant::on({patch.id})) {{{added[low + 1:high]}}} else "
                continue
            a = source.offsets[patch.start]
            b = source.offsets[patch.start + len(old)] if old else a
            hit = patch.start
            while source.offsets[hit] > start and not source.starts_statement(source.offsets[hit], start):
                hit -= 1
            place = max(source.offsets[hit], start + 1)
            count = f"::holodb_mutant::hit({patch.id});\n"
            added = "\n".join(new) + ("\n" if new else "")
            text += f"if (::holodb_mutant::chosen({patch.id})) {{{source.text[start + 1:place]}{count}{source.text[place:a]}{added}{source.text[b:end]}}} else "
        edits.append((start + 1, end, f"\n{text}{{{original}}}\n"))
    text = source.text
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return '#include "base/mutant_runtime.h"\n' + text


RUNTIME_H = '''// Generated by mutants/schemata.py: which fault is on, and how often its line ran.
#pragma once
#include <atomic>
#include <cstdint>
#include <type_traits>
namespace holodb_mutant {
extern int selected;                    // set before any static initializer runs
extern std::atomic<uint64_t>* reached;  // mapped from the file HOLODB_MUTANT_REACH: it outlives a crash
inline bool count() noexcept { reached->fetch_add(1, std::memory_order_relaxed); return true; }
constexpr bool chosen(int n) noexcept {
  if (std::is_constant_evaluated()) return false;
  return __builtin_expect(selected == n, 0);
}
constexpr bool on(int n) noexcept {
  if (std::is_constant_evaluated()) return false;
  return __builtin_expect(selected == n, 0) && count();
}
constexpr void hit(int n) noexcept {
  if (!std::is_constant_evaluated() && selected == n) count();
}
}  // namespace holodb_mutant
'''
RUNTIME_CC = '''// Generated by mutants/schemata.py.
#include "base/mutant_runtime.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace holodb_mutant {
namespace { std::atomic<uint64_t> g_unmapped{0}; const char* const kNames[] = {@NAMES@nullptr}; }
int selected = -1;
std::atomic<uint64_t>* reached = &g_unmapped;
namespace {
__attribute__((constructor(101))) void select_mutant() {
  const char* name = std::getenv("HOLODB_MUTANT");
  if (name == nullptr || *name == 0) return;
  for (int i = 0; kNames[i] != nullptr; ++i) {
    if (std::strcmp(kNames[i], name) == 0) selected = i;
  }
  if (selected < 0) _exit(99);
  const char* file = std::getenv("HOLODB_MUTANT_REACH");
  if (file == nullptr) return;
  const int fd = open(file, O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, 8) != 0) _exit(98);
  void* place = mmap(nullptr, 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (place == MAP_FAILED) _exit(98);
  reached = static_cast<std::atomic<uint64_t>*>(place);
}
}  // namespace
}  // namespace holodb_mutant
'''


def load(root):
    """(patches in order, problems). Each patch is anchored in its source."""
    patches, problems, sources = [], [], {}
    for path in sorted((root / "mutants").glob("*.patch")):
        try:
            patch = read_patch(path)
            file = root / patch.file
            if not file.is_file():
                raise Bad(f"{path.name}: {patch.file} does not exist")
            if patch.file not in sources:
                sources[patch.file] = Source(patch.file, file.read_text())
            anchor(patch, sources[patch.file].lines)
            patch.id = len(patches)
            patches.append(patch)
        except Bad as bad:
            problems.append(str(bad))
    return patches, problems, sources


def check_witness(root, patch):
    witness = patch.header["Witness"]
    if witness in ("none", "stress"):
        if patch.header["Effect"] not in ("race", "none") and patch.name != "canary":
            return f"{patch.path.name}: a fault of effect {patch.header['Effect']} needs a witness"
        return None
    if not (root / witness).is_file():
        return f"{patch.path.name}: there is no {witness}"
    if witness.endswith(".sql") and not (root / witness).with_suffix(".out").is_file():
        return f"{patch.path.name}: there is no {Path(witness).with_suffix('.out')}"
    return None


def rendered(root):
    patches, problems, sources = load(root)
    files = {}
    for name, source in sources.items():
        try:
            files[name] = render_file(source, [p for p in patches if p.file == name])
        except Bad as bad:
            problems.append(str(bad))
    return patches, problems, files


def tree_files(root):
    if (root / ".git").exists():
        listed = subprocess.run(["git", "-c", f"safe.directory={root}", "-C", root, "ls-files", "-z", "-co", "--exclude-standard"], capture_output=True, check=True)
        names = set(listed.stdout.decode().split("\0")) - {""}
    else:
        names = {str(p.relative_to(root)) for p in root.rglob("*") if p.is_file() and p.relative_to(root).parts[0] != "build"}
    return sorted(n for n in names if (root / n).is_file())


def write_tree(root, out, wanted):
    """Writes the files of `wanted`, {name: bytes}, and leaves no others."""
    for path in out.rglob("*"):
        if path.is_file() and str(path.relative_to(out)) not in wanted:
            path.unlink()
    for name, data in wanted.items():   # an unchanged file keeps its time, so that only what changed is compiled again
        path = out / name
        if not path.is_file() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        if name in wanted and (root / name).is_file() and (root / name).stat().st_mode & 0o100:
            path.chmod(0o755)


def render(root, out):
    patches, problems, files = rendered(root)
    if problems:
        sys.exit("\n".join(problems))
    wanted = {name: (root / name).read_bytes() for name in tree_files(root)}
    wanted.update({name: text.encode() for name, text in files.items()})
    wanted["src/base/mutant_runtime.h"] = RUNTIME_H.encode()
    wanted["src/base/mutant_runtime.cc"] = RUNTIME_CC.replace("@NAMES@", "".join(f'"{p.name}", ' for p in patches)).encode()
    listed = [{"id": p.id, "name": p.name, "file": p.file, "line": p.start + 1, "form": p.form, **{k.lower(): p.header[k] for k in HEADER[1:]}} for p in patches]
    wanted["mutants.json"] = (json.dumps(listed, indent=1) + "\n").encode()
    write_tree(root, out, wanted)
    print(f"{len(patches)} mutants in {len(files)} files")


def refresh(root):
    for path in sorted((root / "mutants").glob("*.patch")):
        patch = read_patch(path)
        lines = (root / patch.file).read_text().split("\n")
        try:
            anchor(patch, lines)
        except Bad:
            # The changed lines alone, without their context and indentation, may still be there once.
            _, old, new = patch.changed()
            places = [i for i in range(len(lines) - len(old) + 1) if old and [t.strip() for t in lines[i:i + len(old)]] == [t.strip() for t in old]]
            if len(places) != 1:
                print(f"{path.name}: cannot be re-anchored; write it anew")
                continue
            patch.start = places[0]
            shift = len(lines[places[0]]) - len(lines[places[0]].lstrip()) - (len(old[0]) - len(old[0].lstrip()))
            patch.hunk = [("-", t) for t in lines[places[0]:places[0] + len(old)]]
            patch.hunk += [("+", " " * max(shift, 0) + (t[-shift:] if shift < 0 else t)) for t in new]
        first, last = patch.start, patch.start + len([m for m, _ in patch.hunk if m != "+"]) - patch.hunk.index(next(h for h in patch.hunk if h[0] != " "))
        changed = [h for h in patch.hunk]
        while changed and changed[0][0] == " ":
            changed.pop(0)
        while changed and changed[-1][0] == " ":
            changed.pop()
        last = first + sum(1 for m, _ in changed if m != "+")
        low, high = max(0, first - 3), min(len(lines), last + 3)
        hunk = [(" ", t) for t in lines[low:first]] + changed + [(" ", t) for t in lines[last:high]]
        header = path.read_text().split("\n--- ")[0]
        olds, news = sum(1 for m, _ in hunk if m != "+"), sum(1 for m, _ in hunk if m != "-")
        text = f"{header}\n--- a/{patch.file}\n+++ b/{patch.file}\n@@ -{low + 1},{olds} +{low + 1},{news} @@\n" + "".join(m + t + "\n" for m, t in hunk)
        if text != path.read_text():
            path.write_text(text)
            print(f"{path.name}: refreshed")


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    args.add_argument("--check", action="store_true")
    args.add_argument("--refresh", action="store_true")
    args.add_argument("--render", type=Path)
    given = args.parse_args()
    if given.refresh:
        refresh(given.root)
    elif given.render:
        given.render.mkdir(parents=True, exist_ok=True)
        render(given.root, given.render)
    else:
        patches, problems, _ = rendered(given.root)
        problems += [p for p in (check_witness(given.root, patch) for patch in patches) if p]
        print("\n".join(problems), end="\n" if problems else "")
        sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
