"""First call: a new process imports pointerjump and finds components, with programs built or cached."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Measure

from pointerjump.accel.runtime.session import Session

FIRST_CALL = """
import sys
import numpy as np
import pointerjump as pj
ends = np.random.default_rng(1).integers(0, 1 << 17, (2, 1 << 20))
pj.components((ends[0], ends[1]), device=sys.argv[1])
"""
NO_CALL = """
import numpy, scipy.sparse
numpy.random.default_rng(1).integers(0, 1 << 17, (2, 1 << 20))
"""


@pytest.mark.parametrize("programs", ["built", "kept from before"])
def test_first_call(measure: Measure, session: Session, tmp_path: Path, programs: str) -> None:
    """Time the whole process; subtract `test_empty_process`. Every driver's cache follows XDG_CACHE_HOME."""
    caches = (tmp_path / str(i) for i in range(100))
    first = next(caches)

    def run() -> None:
        cache = next(caches) if programs == "built" else first
        start(FIRST_CALL, session.device.device, XDG_CACHE_HOME=str(cache))

    measure("first call", run, None)


def test_empty_process(measure: Measure) -> None:
    """Time the same process without pointerjump: Python, NumPy, scipy.sparse and the edges."""
    measure("first call", lambda: start(NO_CALL), None)


def start(program: str, *arguments: str, **environment: str) -> None:
    """Run a program in a new process."""
    subprocess.run([sys.executable, "-c", program, *arguments], check=True, env=os.environ | environment)
