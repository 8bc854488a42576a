"""A worker of ``compare.py``: times calls of the package that is on its path, when asked to.

Questions and answers are lines of JSON. It calls only public functions that even the first checkout that ran
(0ca67fd) has, so that any two checkouts can be compared.
"""

from __future__ import annotations

import json
import os
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

Run = Callable[[], Any]
"""The call that is timed; it returns labels or ranks, on the host or the device."""

TURN_SECONDS, TURN_CALLS = 0.02, 3  # a turn takes at least this long, and this many calls

# -- inputs ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Inputs:
    """The folder that `make_inputs` filled, and the device to run on."""

    folder: Path
    device: str | None

    def arrays(self, graph: str, *names: str) -> tuple[npt.NDArray[Any], ...]:
        """Return some of a graph's arrays: offsets, neighbors, sources, targets."""
        with np.load(self.folder / f"{graph}.npz") as stored:
            return tuple(stored[name] for name in names)

    @cache  # noqa: B019  there is only one object in a process
    def resident(self, graph: str) -> Any:
        """Return a graph on the device; it is put there once."""
        import pointerjump as pj

        return pj.to_device(pj.Graph(*self.arrays(graph, "offsets", "neighbors")), self.device)


def make_inputs(folder: Path, scale: int) -> None:
    """Generate the inputs of all workers: graphs of 2**scale vertices or four times as many, and a list."""
    import pointerjump as pj

    side = 2 << scale // 2
    specs = {
        "urand": f"urand:scale={scale},degree=16,seed=1",
        "kron": f"kron:scale={scale},degree=16,seed=1",
        "road": f"grid2d:rows={side},columns={side},keep=0.62,seed=1",
    }
    for name, spec in specs.items():
        graph = pj.generate(spec)
        rows = {"offsets": graph.offsets, "neighbors": graph.neighbors}
        np.savez(folder / f"{name}.npz", **rows, **edges_as_they_come(graph))
    pj.write(graph, folder / "road.el")  # the last graph of the loop
    np.save(folder / "list.npy", pj.generate(f"list:length={8 << scale},seed=1"))


def edges_as_they_come(graph: Any) -> dict[str, npt.NDArray[np.int64]]:
    """Return each edge once, in random order and direction."""
    rng = np.random.default_rng(1)
    sources = np.repeat(np.arange(graph.vertices), np.diff(graph.offsets))
    ends = np.stack([sources, graph.neighbors])[:, sources < graph.neighbors]
    return dict(zip(("sources", "targets"), rng.permuted(rng.permutation(ends, axis=1), axis=0), strict=True))


# -- benchmarks ------------------------------------------------------------------------------------


def on_device(inputs: Inputs, graph: str, algorithm: str) -> Run:
    """Return a run of the kernels on a graph that is on the device, until the device is done."""
    resident = inputs.resident(graph)

    def run() -> Any:
        labels = resident.label(algorithm, labels="representative")
        labels.queue.finish()
        return labels

    return run


def from_arrays(inputs: Inputs, graph: str) -> Run:
    """Return a run from edge arrays to labels."""
    import pointerjump as pj

    edges = inputs.arrays(graph, "sources", "targets")
    return lambda: pj.components(edges, device=inputs.device).labels


def from_few(inputs: Inputs, edges: int) -> Run:
    """Return a run from a few random edges to labels, which shows the overhead of a call."""
    import pointerjump as pj

    vertices = edges // 4
    sources, targets = np.random.default_rng(edges).integers(0, vertices, (2, edges))
    return lambda: pj.components((sources, targets), device=inputs.device, vertices=vertices).labels


def from_matrix(inputs: Inputs, graph: str) -> Run:
    """Return a run from a scipy matrix to labels."""
    import scipy.sparse as sp

    import pointerjump as pj

    offsets, neighbors = inputs.arrays(graph, "offsets", "neighbors")
    shape = (len(offsets) - 1,) * 2
    matrix = sp.csr_array((np.ones(len(neighbors), np.bool_), neighbors, offsets), shape=shape)
    return lambda: pj.connected_components(matrix, device=inputs.device)[1]


def from_text(inputs: Inputs, file: str) -> Run:
    """Return a run from a text file to labels."""
    import pointerjump as pj

    return lambda: pj.components(inputs.folder / file, device=inputs.device).labels


def ranks(inputs: Inputs, algorithm: str) -> Run:
    """Return a run from a successor array to ranks."""
    import pointerjump as pj

    successors = np.load(inputs.folder / "list.npy")
    return lambda: pj.list_rank(successors, algorithm=algorithm, device=inputs.device)


BENCHMARKS: dict[str, Callable[[Inputs], Run]] = {
    "on the device: urand, auto": lambda i: on_device(i, "urand", "auto"),
    "on the device: urand, afforest": lambda i: on_device(i, "urand", "afforest"),
    "on the device: urand, ecl-cc": lambda i: on_device(i, "urand", "ecl-cc"),
    "on the device: kron, auto": lambda i: on_device(i, "kron", "auto"),
    "on the device: road, auto": lambda i: on_device(i, "road", "auto"),
    "on the device: road, ecl-cc": lambda i: on_device(i, "road", "ecl-cc"),
    "arrays to labels: urand": lambda i: from_arrays(i, "urand"),
    "arrays to labels: road": lambda i: from_arrays(i, "road"),
    "arrays to labels: 1,000 edges": lambda i: from_few(i, 1_000),
    "arrays to labels: 30,000 edges": lambda i: from_few(i, 30_000),
    "matrix to labels: kron": lambda i: from_matrix(i, "kron"),
    "text file to labels: road": lambda i: from_text(i, "road.el"),
    "list ranking: random-splitter": lambda i: ranks(i, "random-splitter"),
}
FIRST_CALL = "import and first call"

# -- questions and answers -------------------------------------------------------------------------


def first_call(inputs: Inputs) -> dict[str, Any]:
    """Import the package and find components for the first time in this process."""
    edges = inputs.arrays("urand", "sources", "targets")
    began = perf_counter()
    import pointerjump as pj

    found = pj.components(edges, device=inputs.device)
    seconds = perf_counter() - began
    require_one_checkout()
    return {
        "benchmarks": [FIRST_CALL, *BENCHMARKS],
        "device": f"{found.stats['device']} ({found.stats['platform']})",
        "seconds": [seconds],
        "answer": digest(found.labels),
    }


def require_one_checkout() -> None:
    """Raise an error if modules of another checkout were imported, as an editable install makes possible."""
    site = Path(os.environ["PYTHONPATH"].split(os.pathsep)[0])
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "pointerjump" and site not in Path(module.__file__ or site / name).parents:
            raise ImportError(f"there is no {name} in this checkout")


def digest(answer: Any) -> int:
    """Return a checksum of an answer."""
    return zlib.crc32(answer.get() if hasattr(answer, "get") else answer)


def turn(run: Run) -> list[float]:
    """Time several calls, after one that warms up threads and caches."""
    run()
    seconds: list[float] = []
    while len(seconds) < TURN_CALLS or sum(seconds) < TURN_SECONDS:
        began = perf_counter()
        run()
        seconds.append(perf_counter() - began)
    return seconds


def prepare(inputs: Inputs, name: str, runs: dict[str, Run]) -> dict[str, Any]:
    """Prepare a benchmark; return a checksum of its answer."""
    runs[name] = BENCHMARKS[name](inputs)
    answer = digest(runs[name]())
    require_one_checkout()
    return {"answer": answer}


def attempt(do: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """Return the answer of `do`, or the error; a checkout may lack what is called, and fail in any way."""
    try:
        return do(*arguments)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def serve(inputs: Inputs) -> None:
    """Send the result of the first call, and then answer questions until standard input ends."""
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # so that what drivers and compilers print is not taken for an answer

    def say(answer: dict[str, Any]) -> None:
        print(json.dumps(answer), file=channel, flush=True)

    first = attempt(first_call, inputs)
    say(first)
    runs: dict[str, Run] = {}
    for line in sys.stdin:
        question, name = json.loads(line)
        if name == FIRST_CALL:
            say(first)
        elif question == "prepare":
            say(attempt(prepare, inputs, name, runs))
        else:
            say({"seconds": turn(runs[name])})


if __name__ == "__main__":
    what, folder, argument = sys.argv[1:]
    if what == "inputs":
        make_inputs(Path(folder), int(argument))
    else:
        serve(Inputs(Path(folder), argument or None))
