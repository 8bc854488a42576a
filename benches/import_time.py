"""How long ``import pointerjump`` takes in a fresh process: the median of 15, less an empty one's."""

from __future__ import annotations

import statistics
import subprocess
import sys
from time import perf_counter


def process(code: str) -> float:
    """Return the wall time of a Python process that runs `code`."""
    began = perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return perf_counter() - began


if __name__ == "__main__":
    pairs = [(process("pass"), process("import pointerjump")) for _ in range(15)]
    gain = statistics.median(b - a for a, b in pairs)
    print(f"import pointerjump: {gain * 1e3:.1f} ms over an empty process")
