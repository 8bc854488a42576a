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
SECONDS = 600
"""How long the tests of one fault may take: a fault that makes them hang is seen."""


FAULTS = r"""
kernel: paths are shortened by one step, however long they are
    kernels_cl/shortcut.h: tests/accel/test_kernels.py -k 'nasty and afforest'
    - while (\(\(above = LOAD\(&parent\[up\]\)\) != up\))
    + if \1
kernel of ids: ids with equal hashes are taken for equal
    kernels_cl/interning.cl: tests/tables/test_interning.py
    - \(seen == mine \|\| is_equal\(id, ID_OF\(REFERENCE\(seen\)\)\)\)
    + (seen == mine || true)
reference: one neighbor more counts as linked than were
    reference/afforest.py: tests/reference/test_reference.py -k afforest
    - neighbor_rounds if init == \"own\"
    + neighbor_rounds + 1 if init == "own"
driver: trees are not flattened in the end
    accel/afforest.py: tests/accel/test_kernels.py -k 'nasty and afforest'
    - flatten=\[compress_all\]
    + flatten=[]
disjoint set: a forest that is merged into another loses its last vertex
    accel/disjoint_set.py: tests/sets/test_disjoint_set.py
    - (some = min\(\w+, count - begin)\)
    + \1 - (count > 1))
formats: columns of a rectangular matrix are taken for its rows
    src/pointerjump/formats/*.py: tests/formats
    - return sources, targets \+ rows
    + return sources, targets
files written: a file that could not be finished is left in place of the old one
    src/pointerjump/formats/outputs.py: tests/hostile/test_output_files.py
    -         aside\.replace\(target\)\n    finally:\n
    +     finally:\n        aside.replace(target)\n
tables: null ids are ids
    src/pointerjump/**/*.py: tests/tables/test_tables.py tests/tables/test_table_components.py
    - there = has_value\(ids\)
    + there = np.ones(len(ids), np.bool_)
where: a bound between two integers leaves out the smaller one
    src/pointerjump/**/*.py: tests/tables/test_where.py
    - "<=" if operator in \("<", "<="\) else ">"
    + "<" if operator in ("<", "<=") else ">"
face: of several largest components the last is taken
    src/pointerjump/**/*.py: tests/graphs/test_face.py tests/graphs/test_scipy.py tests/images/test_regions.py
    - labels == np\.argmax\(sizes\)
    + labels == len(sizes) - 1 - np.argmax(sizes[::-1])
command line: a failed check ends with exit code 0
    src/pointerjump/cli/*.py: tests/cli
    - (?s)if why_not is not None:\s+raise click\.exceptions\.Exit\(terminal\.FAILED\)
    + pass
registry: edges that are many are taken for few
    src/pointerjump/registry/*.py: tests/registry
    - in_order or not input\.few_edges
    + in_order or input.few_edges
Dask: the last row of each part is lost where rows are shared out
    src/pointerjump/**/*.py: tests/parallel/test_dask_components.py
    - len\(forest\.ids\) \* end // of
    + (len(forest.ids) - 1) * end // of
forests that merge: roots of the merged forests are not joined with their trees
    src/pointerjump/**/*.py: tests/parallel/test_executors.py
    - "root": self\.ids\.take\(self\.root\)
    + "root": self.ids
images: pixels that touch only at a corner are no neighbors
    src/pointerjump/base/images.py: tests/images/test_label.py
    - sum\(map\(abs, offset\)\) <= connectivity
    + sum(map(abs, offset)) < connectivity
chunks of images: the first chunk and the last do not meet where an axis wraps
    src/pointerjump/**/*.py: tests/images/test_label_chunks.py
    - if count > 1 and \(wraps or not joins_ends\):
    + if count > 1 and not joins_ends:
streams: the sets of several devices are not all joined
    src/pointerjump/**/*.py: tests/sets/test_streams.py
    - zip\(sets\[::2\], sets\[1::2\], strict=False\)
    + zip(sets[::2], sets[2::2], strict=False)
checkpoints: a checkpoint counts a block that is not linked yet
    src/pointerjump/**/*.py: tests/sets/test_streams.py
    - (with seconds\.timed\("compute"\), named\(\):\n\s+merge\(piece\))\n(\s+)(end = piece\.end)\n
    + \3\n\2\1\n
memory: twice the memory there is is enough
    src/pointerjump/base/memory.py: tests/hostile/test_memory.py tests/images/test_label_memory.py
    - if size > room:
    + if size > 2 * room:
verifier: components that are merged under one label pass
    src/pointerjump/**/*.py: tests/graphs/test_verifier.py
    - len\(np\.unique\(label\)\) != count
    + len(np.unique(label)) > count
"""
"""Each fault's room, and what goes wrong; the files, and the tests that see it; the text before and after."""


class Fault(NamedTuple):
    """One of the above."""

    room: str
    what: str
    files: str
    tests: str
    old: str
    new: str


FOUR_LINES = re.compile(r"^(\S.*?): (.*)\n    (\S+): (.*)\n    - (.*)\n    \+ (.*)$", re.MULTILINE)


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
        command += shlex.split(fault.tests)
        done = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, text=True, timeout=SECONDS
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
    chosen = [Fault(*found) for found in FOUR_LINES.findall(FAULTS)]
    if arguments.only:
        chosen = [fault for fault in chosen if fault.room in arguments.only.split(",")]
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
