"""density.py: whether each file has enough generated faults for its executable lines (mutants/generate, mutants/generated)."""
import re
from collections import defaultdict

import schemata

LINES_A_FAULT = 5


def layer_files(root, layers):
    return [path for layer in layers for path in sorted((root / "src" / layer).iterdir())
            if path.suffix in (".cc", ".h") and not re.search(r"_test\.cc$|^test_", path.name)]


def executable_lines(text):
    """Lines inside of functions that hold more than a brace."""
    code = schemata.blanked(text)
    lines = set()
    for start, end in schemata.functions(code):
        first = code.count("\n", 0, start)
        lines |= {first + i for i, line in enumerate(code[start + 1:end].split("\n")) if re.search(r"\w", line)}
    return len(lines)


def thin(root, layers, faults):
    """The files with fewer than one fault for LINES_A_FAULT executable lines."""
    counts = defaultdict(int)
    for fault in faults:
        counts[fault["file"]] += 1
    out = []
    for path in layer_files(root, layers):
        name, lines = str(path.relative_to(root)), executable_lines(path.read_text())
        if lines > counts[name] * LINES_A_FAULT:
            out.append(f"{name}: {counts[name]} faults for {lines} executable lines")
    return out
