"""Graphs stored on a device, for repeated runs and for results that stay on the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pointerjump.accel.device_arrays import require_queue
from pointerjump.accel.labels import number_in_place
from pointerjump.accel.plan import Plan
from pointerjump.accel.residents.graphs import ResidentRows
from pointerjump.accel.runtime.session import Session
from pointerjump.accel.runtime.sessions import require_same_device, session_for
from pointerjump.base.edges import Ids
from pointerjump.base.graph import Graph
from pointerjump.errors import GraphError
from pointerjump.registry.algorithm import Form, InputFacts, Value
from pointerjump.registry.selection import Choice, ask, select
from pointerjump.solving.inputs import HostGraph, as_graph
from pointerjump.solving.result import check_labels
from pointerjump.solving.run import Seconds

if TYPE_CHECKING:
    import pyopencl as cl
    import pyopencl.array as cl_array


class DeviceGraph(HostGraph):
    """A :class:`Graph` stored on an OpenCL device.

    Every function that accepts a graph also accepts a DeviceGraph. The graph is transferred only once. The
    first run of an algorithm builds its kernels, and later runs reuse them.

    Parameters
    ----------
    graph : object
        Anything that :func:`pointerjump.components` accepts. Devices that share the host's memory, such as
        CPUs, use the graph's arrays in place, so the arrays must not be modified.
    device : optional
        See :func:`pointerjump.to_device`.
    rows : tuple of two Buffers, optional
        The offsets and neighbors of the graph, if they are already on the device.

    Examples
    --------
    >>> import pointerjump as pj
    >>> d = pj.to_device(([0, 1], [1, 2]), device="cpu")
    >>> pj.components(d).count
    1
    >>> d.label(labels="representative").get().tolist()
    [0, 0, 0]
    """

    def __init__(
        self, graph: Any, device: object = None, *, rows: tuple[cl.Buffer, cl.Buffer] | None = None
    ) -> None:
        self.session: Session = session_for(device)
        super().__init__(as_graph(graph).symmetrized())
        self.resident = ResidentRows(self.host, self.session, rows)
        self.session.finish()
        numbering, stored = self.host.numbering(), self.host.directed_edges
        self._facts = InputFacts(self.host.vertices, stored, on_device=True, **numbering._asdict())
        self._plans: dict[tuple[str, tuple[tuple[str, Value], ...]], Plan] = {}

    @property
    def directed_edges(self) -> int:
        """The number of directed edges stored. Each edge is stored in both directions."""
        return self.host.directed_edges

    @classmethod
    def from_arrays(cls, offsets: cl_array.Array, neighbors: cl_array.Array) -> DeviceGraph:
        """Create a graph from CSR rows in pyopencl arrays.

        The rows must store both directions of every edge. They are copied to the host once for validation.
        Later runs use the arrays in place. Both arrays must be int32, except that `offsets` must be int64 if
        `neighbors` has 2**31 or more entries. They must be contiguous, belong to the same context and have an
        in-order queue.
        """
        for array, what in ((offsets, "offsets"), (neighbors, "neighbors")):
            require_queue(array, f"the array of {what}", GraphError)
            if not array.flags.c_contiguous:
                raise GraphError(
                    f"the array of {what} is not contiguous: give one that "
                    "pyopencl.array.to_device(queue, ...) makes"
                )
        if offsets.context != neighbors.context:
            raise GraphError("offsets and neighbors are in two OpenCL contexts: put both in one")
        graph = Graph(offsets.get(), neighbors.get())
        if (offsets.dtype, neighbors.dtype) != (graph.offsets.dtype, graph.neighbors.dtype):
            raise GraphError(
                f"offsets are {offsets.dtype} and neighbors {neighbors.dtype}: the kernels read "
                f"{graph.offsets.dtype} and int32; convert with .astype()"
            )
        if not graph.symmetric:
            raise GraphError(
                "the rows do not hold both directions of every edge: add the other direction, or give the "
                "edges to Graph.from_edges"
            )
        # The buffer of a slice begins before the slice, so the slice is copied into a buffer of its own.
        offsets, neighbors = (a.copy() if a.offset else a for a in (offsets, neighbors))
        neighbors.queue.finish()  # runs use the queue of `offsets`, and would not wait for this one
        if neighbors.size == 0:  # an empty array has no buffer
            return cls(graph, offsets.queue)
        return cls(graph, offsets.queue, rows=(offsets.base_data, neighbors.base_data))

    # -- runs --------------------------------------------------------------------------------------

    def label(
        self, algorithm: str = "auto", labels: str = "consecutive", **variant: object
    ) -> cl_array.Array:
        """Find the components, and return the labels of all vertices as a pyopencl array of int32.

        The array is on the device, and later runs do not overwrite it. See :func:`pointerjump.components` for
        the parameters.
        """
        check_labels(labels)
        session, n = self.session, self.host.vertices
        with session.running():
            plan = self.plan(algorithm, **variant)
            plan.run()
            found = session.copy_of(plan.result, n, "the labels")
            if labels == "consecutive":
                number_in_place(session, found, n, str(variant.get("reads", "plain")))
            if session.device.host_memory:
                session.finish()  # on such devices the run reads host arrays, which the caller may free
        return session.array(found, n)

    def plan(self, algorithm: str = "auto", /, **choices: object) -> Plan:
        """Return the plan for a run on this graph. The plan for each variant is made once and then reused."""
        return self.planned(self.choose(algorithm, **choices), self.resident)

    def choose(self, algorithm: str = "auto", /, **choices: object) -> Choice:
        """Return the algorithm and variant that a run on this graph would use."""
        tuning = self.session.tuning
        return select(ask("components", algorithm, choices, tuning), self.facts(), tuning)

    # -- as the input of a run ---------------------------------------------------------------------

    def facts(self) -> InputFacts:
        return self._facts

    def placed(self, form: Form, session: Session, seconds: Seconds) -> ResidentRows:
        seconds["transfer"] = 0.0
        return self.resident

    def planned(self, choice: Choice, resident: ResidentRows) -> Plan:
        """Return the plan for an algorithm and variant. Each plan is made once and then reused."""
        key = (choice.algorithm.name, tuple(choice.variant.items()))
        with self.session.running():  # some algorithms run kernels to make a plan
            if key not in self._plans:
                self._plans[key] = super().planned(choice, resident)
            return self._plans[key]

    def __repr__(self) -> str:
        return (
            f"DeviceGraph(vertices={self.host.vertices}, directed_edges={self.host.directed_edges}, "
            f"device={self.session.device.device!r})"
        )


def to_device(
    graph: Any, device: object = None, *, vertices: int | None = None, ids: Ids | None = None
) -> DeviceGraph:
    """Transfer a graph to a device, so that repeated runs do not have to transfer it again.

    Parameters
    ----------
    graph : object
        Anything that :func:`pointerjump.components` accepts.
    device : str, Device, pyopencl Device, Context or CommandQueue, optional
        The device to use. A string must be ``"cpu"``, ``"gpu"``, a value in the format of ``PYOPENCL_CTX`` or
        part of the name of a platform or device. Defaults to the fastest device that works.
    vertices, ids : optional
        See :func:`pointerjump.components`. The errors are also described there.

    Examples
    --------
    >>> import pointerjump as pj
    >>> d = pj.to_device("star:vertices=10", device="cpu")
    >>> pj.components(d).sizes.tolist()
    [10]
    """
    if isinstance(graph, DeviceGraph):
        require_same_device(graph.session, device)
        as_graph(graph, vertices=vertices, ids=ids)  # raises an error if the number of vertices differs
        return graph
    session = session_for(device)
    return DeviceGraph(as_graph(graph, vertices=vertices, ids=ids), session)
