"""Small inputs: a call of ours beside the least that Python and the driver can do, and beside the host alone.

    python benches/small.py [--device cpu] [--json FILE]

Three calls of 10 to 100,000 edges or elements: ``connected_components`` of a scipy matrix, ``components`` of
two arrays, and ``list_rank``. Everything has run before. All three sides return new arrays, and take turns.

- The *floor* runs our kernel by pyopencl alone: the kernel is built and its scratch is there. A call checks
  that the ids are in range, each array by one pass of NumPy, makes buffers over the arrays, sets the kernel's
  arguments, launches it, waits, and copies the answer. It knows beforehand what it is given.
- The *host* is scipy's function for the matrix, the same and the making of the matrix for arrays, and for
  lists a sequential walk compiled by numba, which checks nothing.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import pyopencl as cl
import scipy.sparse as sp
from chart_times import walk
from rich.console import Console
from rich.table import Table
from scipy.sparse.csgraph import connected_components as scipy_components

import pointerjump as pj
from pointerjump.accel.plan import Plan
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.generators import generate_list
from pointerjump.registry.selection import select
from pointerjump.solving.inputs import graph_input
from pointerjump.solving.lists import list_input
from pointerjump.solving.run import Instance, Seconds, order

SIZES = (10, 100, 1_000, 10_000, 100_000)
ROUNDS, AT_A_TIME = 40, 10
OURS, FLOOR, HOST = "pointerjump", "floor", "host"
Call = Callable[[], npt.NDArray[Any]]


def floor(
    problem: Any, input: Instance, arrays: list[npt.NDArray[Any]], items: int, session: Session
) -> Call:
    """Return the least that runs the kernel that ``auto`` runs, on arrays that it reads where they are."""
    wanted = order(problem, "auto", session, {})
    choice = select(wanted.asked, input.facts(), session.tuning)
    plan: Plan = input.planned(choice, input.placed(choice.form, session, Seconds()))
    assert plan.one_launch, f"{choice.algorithm.name} takes several launches"
    [launch] = plan.begin
    kernel, where, arguments = launch._kernel, launch._where, list(launch._arguments)  # type: ignore[attr-defined]
    first = next(i for i, argument in enumerate(arguments) if isinstance(argument, cl.Buffer))
    answer = plan.labels or plan.result
    flags, shown = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR, session.shows_writes
    unsigned = [array.view(f"u{array.itemsize}") for array in arrays]

    def least() -> npt.NDArray[Any]:
        for array in unsigned:
            if np.maximum.reduce(array) > 10 * items:
                raise ValueError
        for i, array in enumerate(arrays, first):
            arguments[i] = cl.Buffer(session.context, flags, 0, array)
        kernel.set_args(*arguments)
        cl.enqueue_nd_range_kernel(*where)
        if shown and answer.hostbuf is not None:  # a large answer is not in an array of the host
            session.queue.finish()
            copied: npt.NDArray[Any] = answer.hostbuf[:items].copy()
            return copied
        found = np.empty(items, np.int32)
        cl.enqueue_copy(session.queue, found, answer)
        return found

    least.__dict__["plan"] = plan  # which keeps the kernel from others
    return least


def tasks(m: int, session: Session) -> dict[str, dict[str, Call]]:
    """Return the three sides of each call, for so many edges or elements."""
    sources, targets = np.random.default_rng(m).integers(0, m, (2, m), np.int32)

    def made() -> Any:
        return sp.coo_array((np.ones(m), (sources, targets)), (m, m)).tocsr()

    matrix, successors = made(), generate_list(f"list:length={m},seed=1")
    walked = numba.njit(walk)

    def on_host() -> npt.NDArray[Any]:
        ranks = np.empty(m, np.int32)
        walked(successors, ranks)
        return ranks

    pair = (sources, targets)
    return {
        "matrix": {
            OURS: lambda: pj.connected_components(matrix, directed=False, device=session)[1],
            FLOOR: floor("components", graph_input(matrix), [matrix.indptr, matrix.indices], m, session),
            HOST: lambda: scipy_components(matrix, directed=False)[1],
        },
        "arrays": {
            OURS: lambda: pj.components(pair, vertices=m, device=session).labels,
            FLOOR: floor("components", graph_input(pair, m), [sources, targets], m, session),
            HOST: lambda: scipy_components(made(), directed=False)[1],
        },
        "list": {
            OURS: lambda: pj.list_rank(successors, device=session),
            FLOOR: floor("list-ranking", list_input(successors), [successors], m, session),
            HOST: on_host,
        },
    }


def microseconds(sides: dict[str, Call]) -> dict[str, float]:
    """Return the median time of a call, of some at a time in turn, once all have the same answer."""
    for who, call in sides.items():
        np.testing.assert_array_equal(call(), sides[OURS](), err_msg=who)
    samples: dict[str, list[float]] = {who: [] for who in sides}
    for _ in range(ROUNDS):
        for who, call in sides.items():
            for _ in range(AT_A_TIME):
                began = perf_counter()
                call()
                samples[who].append(perf_counter() - began)
    return {who: 1e6 * median(seconds) for who, seconds in samples.items()}


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    session = session_for(arguments.device)
    table = Table(
        "", "edges", FLOOR, OURS, "ours / floor", HOST, "ours / host", title=f"{session.device}, us"
    )
    found = []
    for m in SIZES:
        for name, sides in tasks(m, session).items():
            us = microseconds(sides)
            ratios = us[OURS] / us[FLOOR], us[OURS] / us[HOST]
            cells = (
                f"{us[FLOOR]:.1f}",
                f"{us[OURS]:.1f}",
                f"{ratios[0]:.2f}",
                f"{us[HOST]:.1f}",
                f"{ratios[1]:.2f}",
            )
            table.add_row(name, f"{m:,}", *cells)
            found.append({"input": name, "edges": m, **us})
    Console().print(table)
    if arguments.json:
        arguments.json.write_text(json.dumps({"device": session.device.as_dict(), "rows": found}, indent=1))


if __name__ == "__main__":
    main()
