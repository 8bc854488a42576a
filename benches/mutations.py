"""Do the tests see what is wrong? Puts faults into a copy of the package, one by one, and runs tests on it.

    python benches/mutations.py [--only ROOM,...] [--check]

A fault is a piece of text, found by a regular expression that must match exactly once in the files of a glob,
and what stands there instead. The expression has to follow where code is written anew: `--check` says which
ones match no longer, and runs no test. Each fault names the tests that are to see it; they stop at the first
that does. The exit code is 1 if one was not seen.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 1800
"""How long the tests of one fault may take: a fault that makes them hang is seen."""


class Fault(NamedTuple):
    """What goes wrong, where, and which tests are to see it."""

    room: str
    what: str
    old: str
    new: str
    tests: str
    files: str = "src/pointerjump/**/*.py"


FAULTS = [
    Fault(
        "kernel",
        "paths are shortened by one step, however long they are",
        r"while (\(\(above = LOAD\(&parent\[up\]\)\) != up\))",
        r"if \1",
        "tests/accel/test_kernels.py -k 'nasty and afforest'",
        "kernels_cl/shortcut.h",
    ),
    Fault(
        "kernel of ids",
        "ids with equal hashes are taken for equal",
        r"\(seen == mine \|\| is_equal\(id, ID_OF\(REFERENCE\(seen\)\)\)\)",
        "(seen == mine || true)",
        "tests/tables/test_interning.py",
        "kernels_cl/interning.cl",
    ),
    Fault(
        "reference",
        "of two trees, the one with the smaller root goes below the other",
        r"h, low = max\(p1, p2\), min\(p1, p2\)",
        "h, low = min(p1, p2), max(p1, p2)",
        "tests/reference/test_reference.py -k afforest",
        "reference/afforest.py",
    ),
    Fault(
        "driver",
        "one neighbor more counts as linked than were",
        r"len\(rounds\) if init",
        "len(rounds) + 1 if init",
        "tests/accel/test_kernels.py -k 'nasty and afforest'",
        "accel/afforest.py",
    ),
    Fault(
        "disjoint set",
        "a forest that is merged into another loses its last vertex",
        r"(some = min\(\w+, count - begin)\)",
        r"\1 - (count > 1))",
        "tests/sets/test_disjoint_set.py",
        "accel/disjoint_set.py",
    ),
    Fault(
        "formats",
        "columns of a rectangular matrix are taken for its rows",
        r"targets \+ \(size\.vertices - size\.columns\)",
        "targets",
        "tests/formats",
        "src/pointerjump/formats/*.py",
    ),
    Fault(
        "files written",
        "a file that could not be finished is left in place of the old one",
        r"        aside\.replace\(target\)\n    finally:\n",
        "    finally:\n        aside.replace(target)\n",
        "tests/hostile/test_output_files.py",
        "src/pointerjump/formats/outputs.py",
    ),
    Fault(
        "tables",
        "null ids are ids",
        r"if ids\.null_count:",
        "if False:",
        "tests/tables/test_tables.py tests/tables/test_table_components.py",
    ),
    Fault(
        "where",
        "a bound between two integers leaves out the smaller one",
        r'"<=" if smaller else ">"',
        '"<" if smaller else ">"',
        "tests/tables/test_where.py",
    ),
    Fault(
        "face",
        "of several largest components the last is taken",
        r"labels == np\.argmax\(sizes\)",
        "labels == len(sizes) - 1 - np.argmax(sizes[::-1])",
        "tests/graphs/test_face.py tests/graphs/test_scipy.py tests/images/test_regions.py",
    ),
    Fault(
        "command line",
        "a failed check ends with exit code 0",
        r"(?s)if why_not is not None:\s+raise click\.exceptions\.Exit\(FAILED\)",
        "pass",
        "tests/cli",
        "src/pointerjump/cli/*.py",
    ),
    Fault(
        "registry",
        "edges that are few are taken for very many",
        r"input\.stored >= VERY_MANY",
        "input.stored < VERY_MANY",
        "tests/registry",
        "src/pointerjump/registry/*.py",
    ),
    Fault(
        "Dask",
        "the last row of each part is lost where rows are shared out",
        r"rows \* begin // of, rows \* end // of",
        "rows * begin // of, (rows - 1) * end // of",
        "tests/parallel/test_dask_components.py",
    ),
    Fault(
        "forests that merge",
        "roots of the merged forests are not joined with their trees",
        r"place\[forest\.root\] for place, forest",
        "place for place, forest",
        "tests/parallel/test_parts.py tests/parallel/test_executors.py tests/tables/test_table_forests.py",
    ),
    Fault(
        "images",
        "pixels that touch only at a corner are no neighbors",
        r"sum\(map\(abs, offset\)\) <= connectivity",
        "sum(map(abs, offset)) < connectivity",
        "tests/images/test_label.py",
        "src/pointerjump/images.py",
    ),
    Fault(
        "chunks of images",
        "the first chunk and the last do not meet where an axis wraps",
        r"if count > 1 and \(i > 0 or wraps\)",
        "if count > 1 and i > 0",
        "tests/images/test_label_chunks.py",
    ),
    Fault(
        "streams",
        "the sets of several devices are not all joined",
        r"zip\(sets\[::2\], sets\[1::2\], strict=False\)",
        "zip(sets[::2], sets[2::2], strict=False)",
        "tests/sets/test_streams.py",
    ),
    Fault(
        "checkpoints",
        "a checkpoint counts a block that is not linked yet",
        r"(?s)(with run\.seconds\.timed\(\"compute\"\):\s+linkers\.merge\(batch\)\n)(\s+end = batch\.end\n)",
        r"\2                \1",
        "tests/sets/test_streams.py",
    ),
    Fault(
        "memory",
        "twice the memory there is is enough",
        r"if size > room:",
        "if size > 2 * room:",
        "tests/hostile/test_memory.py tests/images/test_label_memory.py",
        "src/pointerjump/memory.py",
    ),
    Fault(
        "verifier",
        "components that are merged under one label pass",
        r"len\(np\.unique\(label\)\) != count",
        "len(np.unique(label)) > count",
        "tests/graphs/test_verifier.py",
    ),
]


def place_of(fault: Fault, root: Path) -> tuple[Path, str] | str:
    """Return the file with the fault and its text then; or, in words, why there is no such place."""
    found = []
    for file in sorted(root.glob(fault.files)):
        text, times = re.subn(fault.old, fault.new, file.read_text())
        found += [(file, text)] * times
    return found[0] if len(found) == 1 else f"{len(found)} places match {fault.old}"


def copied(to: Path) -> Path:
    """Copy all that git knows of, and return a folder in which the copy's folders are the package."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, to / name)
    package = to / "package" / "pointerjump"
    package.mkdir(parents=True)
    for part in [
        *(to / "src/pointerjump").iterdir(),
        *map(to.joinpath, ("accel", "reference", "kernels_cl")),
    ]:
        (package / part.name).symlink_to(part)
    return package.parent


def verdict(fault: Fault, copy: Path, package: Path) -> str:
    """Put a fault into the copy, run its tests, and take it out again; return the test that saw it first."""
    place = place_of(fault, copy)
    if isinstance(place, str):
        return place
    file, text = place
    right = file.read_text()
    file.write_text(text)
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            [*command, *shlex.split(fault.tests)],
            cwd=copy,
            env=environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"seen: the tests hang for {SECONDS} s"
    finally:
        file.write_text(right)
    first = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    if done.returncode == 1 and first:
        return f"seen: {first[1]}"
    return (
        "NOT SEEN" if done.returncode == 0 else f"pytest ended with {done.returncode}: {done.stdout[-300:]}"
    )


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="rooms, separated by commas")
    parser.add_argument(
        "--check", action="store_true", help="only look whether each fault still has its place"
    )
    arguments = parser.parse_args()
    chosen = [fault for fault in FAULTS if fault.room in (arguments.only or fault.room).split(",")]
    all_seen = True
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary) / "checkout"
        package = copied(copy)
        for fault in chosen:
            place = place_of(fault, copy)
            where = place if isinstance(place, str) else str(place[0].relative_to(copy))
            said = where if arguments.check else verdict(fault, copy, package)
            all_seen &= said.startswith("seen") or (not isinstance(place, str) and arguments.check)
            print(f"{fault.room:20} {fault.what}\n{'':20} {said}", flush=True)
    sys.exit(not all_seen)


if __name__ == "__main__":
    main()
