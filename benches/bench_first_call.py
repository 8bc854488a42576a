"""First call: a new process imports pointerjump and solves something, with programs built or cached."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Measure

from pointerjump.accel.runtime.session import Session

EDGES = (
    "import sys, numpy as np, scipy.sparse\n"
    "a, b = np.random.default_rng(1).integers(0, 1 << 17, (2, 1 << 20))\n"
)
TABLE = (
    "import sys, numpy as np, scipy.sparse, pyarrow as pa\n"
    "ids = np.random.default_rng(1).integers(0, 1 << 17, (2, 1 << 18)).astype(str)\n"
    "table = pa.table([pa.array(each) for each in ids], ['left', 'right'])\n"
)
CALLS = {
    "arrays": (EDGES, "pj.components((a, b), device=sys.argv[1])"),
    "table": (TABLE, "pj.components(table, source='left', target='right', device=sys.argv[1])"),
    "list": (EDGES, "pj.list_rank(np.minimum(np.arange(1 << 20) + 1, (1 << 20) - 1), device=sys.argv[1])"),
    "image": (EDGES, "pj.label(a.reshape(1 << 10, -1) % 2 == 0, device=sys.argv[1])"),
}
"""Programs: what comes before the first call, and the call."""


@pytest.mark.parametrize("programs", ["built", "kept from before"])
@pytest.mark.parametrize("call", CALLS)
def test_first_call(measure: Measure, session: Session, tmp_path: Path, call: str, programs: str) -> None:
    """Time the whole process; subtract `test_no_call`. Every driver's cache follows XDG_CACHE_HOME.

    Where programs are built, the device is tried, too.
    """
    caches = (tmp_path / str(i) for i in range(100))
    first = next(caches)
    before, called = CALLS[call]

    def run() -> None:
        cache = next(caches) if programs == "built" else first
        program = f"{before}import pointerjump as pj\n{called}"
        start(program, session.device.device, XDG_CACHE_HOME=str(cache))

    measure(f"first call, {call}", run, None)


@pytest.mark.parametrize("call", CALLS)
def test_no_call(measure: Measure, call: str) -> None:
    """Time the same process without pointerjump: Python, NumPy, scipy.sparse, and the making of the input."""
    measure(f"first call, {call}", lambda: start(CALLS[call][0]), None)


def start(program: str, *arguments: str, **environment: str) -> None:
    """Run a program in a new process, which keeps Python's bytecode, as an installed package does."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([sys.executable, "-c", program, *arguments], check=True, env=kept | environment)
