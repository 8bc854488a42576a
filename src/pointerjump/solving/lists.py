"""Ranking and scanning linked lists."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.device_arrays import in_kind, require_queue
from pointerjump.accel.list_scan import has_doubles
from pointerjump.accel.residents.lists import ResidentLists, place_lists
from pointerjump.accel.runtime.icd import context_of
from pointerjump.accel.runtime.sessions import session_for
from pointerjump.base.images import is_on_device
from pointerjump.base.integers import as_array
from pointerjump.base.linked_lists import SuccessorArray, as_positions, as_successors, require_lists
from pointerjump.errors import AlgorithmError, DeviceError, ListError
from pointerjump.registry.algorithm import Form, InputFacts
from pointerjump.registry.selection import Choice, ask
from pointerjump.solving.inputs import session_of
from pointerjump.solving.run import REFERENCE, Instance, Order, Run, Seconds, is_reference, order, solve

if TYPE_CHECKING:
    import pyopencl.array as cl_array

    from pointerjump.accel.plan import Plan
    from pointerjump.accel.runtime.session import Session


@in_kind
def list_rank(
    successors: npt.ArrayLike, *, algorithm: str = "auto", device: Any = None, **variant: object
) -> SuccessorArray:
    """Rank linked lists: find each element's distance to the last element of its list.

    Parameters
    ----------
    successors : array_like of int, shape (n,)
        The successor of each element. The last element of a list is its own successor. The array may contain
        several lists.
    algorithm, device, **variant
        See :func:`components`. Only algorithms for list ranking are accepted.

    Raises
    ------
    ListError
        If the array does not represent linked lists: a successor is out of range, two elements have the same
        successor, or there is a cycle.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.list_rank([2, 1, 3, 3]).tolist()
    [2, 0, 1, 0]
    """
    wanted = order("list-ranking", algorithm, device, variant, session_of(successors))
    return _ranked(wanted, list_input(successors))[0]


def list_input(successors: Any) -> HostLists:
    return HostLists(successors) if session_of(successors) is None else successors


def rank_lists(wanted: Order, lists: HostLists) -> tuple[SuccessorArray, dict[str, Any]]:
    found, run = _ranked(wanted, lists)
    return found, run.stats()


def _ranked(wanted: Order, lists: HostLists) -> tuple[SuccessorArray, Run]:
    return solve(wanted, lists, lambda session, plan: plan.answer(session, lists.elements))


class HostLists(Instance):
    """Linked lists on the host, as the input of a run. The successors are validated during the run."""

    def __init__(self, successors: npt.ArrayLike) -> None:
        self.given = as_positions(successors)
        self.elements = len(self.given)

    def facts(self) -> InputFacts:
        return InputFacts(self.elements, form="lists")

    def for_reference(self, seconds: Seconds) -> tuple[SuccessorArray]:
        successors = as_successors(self.given)
        require_lists(successors)
        return (successors,)

    def placed(self, form: Form, session: Session, seconds: Seconds) -> ResidentLists:
        with seconds.timed("transfer"):
            return place_lists(self.given, session)


class DeviceList(HostLists):
    """Linked lists stored on an OpenCL device, for repeated runs.

    A DeviceList can be passed to :func:`pointerjump.list_rank` instead of an array.

    Parameters
    ----------
    successors : array_like of int, shape (n,)
        See :func:`pointerjump.list_rank`. The array must not be modified later: devices that share the host's
        memory, such as CPUs, use an int32 array in place, and error messages quote its values.
    device : optional
        See :func:`pointerjump.to_device`.

    Examples
    --------
    >>> import pointerjump as pj
    >>> lists = pj.DeviceList([2, 1, 3, 3], device="cpu")
    >>> pj.list_rank(lists).tolist(), lists.rank().get().tolist()
    ([2, 0, 1, 0], [2, 0, 1, 0])
    """

    def __init__(self, successors: npt.ArrayLike, device: object = None) -> None:
        self.session: Session = session_for(device)
        super().__init__(successors)
        self.resident = place_lists(self.given, self.session)
        if self.resident.host is not None:
            self.given = self.resident.host
        self._kept: tuple[Any, Plan] | None = None
        self._asked: object = None

    def rank(
        self, algorithm: str = "auto", *, out: cl_array.Array | None = None, **variant: object
    ) -> cl_array.Array:
        """Rank the lists, and return the ranks as a pyopencl array on the device.

        See :func:`pointerjump.list_rank` for `algorithm`, `variant` and the errors. If `out` is passed, the
        ranks are written to `out`, which is then returned. `out` must be a contiguous array of int32 with
        shape (n,), in the context of this device. By default, a new array is returned, which later runs do
        not overwrite.
        """
        if out is not None:
            self._check_out(out)

        def copied(session: Session, plan: Plan) -> cl_array.Array:
            if plan.read:
                plan.read()  # raises an error if the run has failed
            if out is None:
                return session.array(session.copy_of(plan.result, self.elements, "the ranks"), self.elements)
            if self.elements:
                session.copy(
                    out.base_data, plan.result, self.elements, first=out.offset // out.dtype.itemsize
                )
                session.finish()  # the caller may read the array in any queue
            return out

        asked = algorithm, variant, self.session.shapes
        if self._kept and not variant and self._asked == asked:
            # Selecting again would take as long as ranking a short list.
            with self.session.running():
                plan = self._kept[1]
                plan.run()
                return copied(self.session, plan)
        ranks = solve(order("list-ranking", algorithm, None, variant, self.session), self, copied)[0]
        self._asked = asked
        return ranks

    def _check_out(self, out: cl_array.Array) -> None:
        kind = type(out).__name__
        require_queue(out, "out", ListError)
        if not is_on_device(out) or (out.dtype, out.shape) != (np.int32, (self.elements,)):
            shape = f" of {out.dtype}, shape {out.shape}" if hasattr(out, "dtype") else ""
            raise ListError(
                f"out is of type {kind}{shape}: give a pyopencl array of int32, shape ({self.elements},)"
            )
        if not out.flags.c_contiguous or context_of(out.queue) != self.session.context:
            raise ListError("out must be contiguous, and in the context of the device that the lists are on")

    def placed(self, form: Form, session: Session, seconds: Seconds) -> ResidentLists:
        seconds["transfer"] = 0.0
        return self.resident

    def planned(self, choice: Choice, resident: ResidentLists) -> Plan:
        """Return the last plan if it is for this algorithm and variant and can be run again.

        Otherwise, make a new one.
        """
        asked = choice.algorithm.name, dict(choice.variant), self.session.shapes
        if self._kept is None or self._kept[0] != asked:
            plan = super().planned(choice, resident)
            self._kept, self._asked = (asked, plan) if plan.kept else None, None
            return plan
        return self._kept[1]

    def __repr__(self) -> str:
        return f"DeviceList(elements={self.elements}, device={self.session.device.device!r})"


# -- scans -------------------------------------------------------------------------------------------


# If either value is NaN, these functions return NaN. The result of Python's min would depend on the order.
def _least(x: Any, y: Any) -> Any:
    return x if x <= y or x != x else y


def _greatest(x: Any, y: Any) -> Any:
    return x if x >= y or x != x else y


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "multiply": operator.mul,
    "min": _least,
    "max": _greatest,
}
"""The operators that :func:`list_scan` recognizes by name."""

_ALSO_CALLED = {"sum": "add", "prod": "multiply", "product": "multiply", "mul": "multiply"}
"""Aliases of the operators: their names in other libraries."""

_OF_NUMPY: dict[Any, str] = {np.add: "add", np.multiply: "multiply", np.minimum: "min", np.maximum: "max"}


@in_kind
def list_scan(
    successors: npt.ArrayLike,
    values: Any,
    operator: str | Callable[[Any, Any], Any] = "add",
    *,
    algorithm: str = "auto",
    device: Any = None,
    **variant: object,
) -> npt.NDArray[Any]:
    """Scan linked lists: for each element, combine the values of its list up to and including the element.

    Parameters
    ----------
    successors : array_like of int, shape (n,)
        See :func:`list_rank`.
    values : array_like, shape (n,)
        One value for each element.
    operator : {"add", "multiply", "min", "max"} or callable
        How to combine two values. The first value is the one that comes earlier in the list. The operator
        must be associative, but need not be commutative or have an inverse. ``"sum"`` and ``"prod"`` are
        aliases for ``"add"`` and ``"multiply"``. ``"min"`` and ``"max"`` return NaN if either value is NaN. A
        callable receives Python numbers, so integers never overflow.
    algorithm, **variant
        See :func:`components`. Only algorithms for list scans are accepted.
    device : optional
        See :func:`components`. Devices support only the named operators and the corresponding NumPy
        functions, and only integers, bools and floating-point numbers. Defaults to the fastest device that
        supports the scan, or to the serial reference if there is none. The reference is also used if an
        integer exceeds 64 bits, in the values or in an intermediate result. The rounding of floating-point
        sums and products depends on how the device groups the values.

    Returns
    -------
    ndarray, shape (n,)
        The result of the scan for each element. The dtype is int64 for integers and bools, float64 for
        floating-point numbers and object for all other values. It is also float64 if the operator returns
        floating-point numbers for integers.

    Raises
    ------
    ListError
        If `successors` does not represent linked lists, if there is not exactly one value per element, if a
        value is masked, or if an integer in the result exceeds 64 bits.
    AlgorithmError
        If there is no such operator or algorithm, or if a device is given for a scan that no device
        supports.
    DeviceError
        If there is no such device, or if the device cannot store the lists or does not support the type of
        the values.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.list_scan([2, 1, 3, 3], [1, 10, 100, 1000]).tolist()
    [1, 10, 101, 1101]
    >>> pj.list_scan([2, 1, 3, 3], list("abcd"), lambda x, y: x + y).tolist()
    ['a', 'b', 'ac', 'acd']
    """
    checked = as_successors(successors)
    given, dtype = _scannable(values)
    name: Any = _ALSO_CALLED.get(operator, operator) if isinstance(operator, str) else operator
    if isinstance(operator, np.ufunc) and dtype is not object:
        name = _OF_NUMPY.get(operator, operator)  # NumPy's function would wrap
    combine = OPERATORS.get(name) if isinstance(name, str) else name
    if not callable(combine):
        raise AlgorithmError(
            f"operator={operator!r}: it must be one of {', '.join(OPERATORS)}, or a callable"
        )
    if len(given) != len(checked):
        raise ListError(
            f"there are {len(given)} values for {len(checked)} elements: give one value for each element"
        )

    input = HostScan(checked, given, dtype, name, combine)

    def read(session: Session, plan: Plan) -> npt.NDArray[Any]:
        return session.get(plan.result, len(checked), dtype)

    session = None
    if not is_reference(device):
        try:
            session = _scanning_session(name, dtype, device)
        except (AlgorithmError, DeviceError):
            if device is not None:
                raise
    if session is not None:
        try:
            found: npt.NDArray[Any] = solve(order("list-scan", algorithm, session, variant), input, read)[0]
            return found
        except OverflowError:  # in part of a list; the reference may still succeed with Python's integers
            scan = ask("list-scan", algorithm, {}, None).algorithm
            variant = {axis: variant[axis] for axis in variant if scan.has("reference", [axis])}
    return _as_array(solve(order("list-scan", algorithm, REFERENCE, variant), input, read)[0], dtype)


@dataclass(frozen=True)
class HostScan(Instance):
    """Linked lists on the host, their values and an operator, as the input of a scan."""

    successors: SuccessorArray
    values: npt.NDArray[Any] | list[Any]
    dtype: type
    operator: Any
    combine: Callable[[Any, Any], Any]

    def facts(self) -> InputFacts:
        return InputFacts(len(self.successors), form="lists")

    def for_reference(self, seconds: Seconds) -> tuple[Any, ...]:
        require_lists(self.successors)
        own = self.values.tolist() if isinstance(self.values, np.ndarray) else self.values
        return self.successors, own, self.combine

    def placed(self, form: Form, session: Session, seconds: Seconds) -> ResidentLists:
        with seconds.timed("transfer"):
            return ResidentLists(self.successors, session)

    def planned(self, choice: Choice, resident: ResidentLists) -> Plan:
        values: npt.NDArray[Any] = np.ascontiguousarray(self.values, self.dtype)  # a list may overflow
        exact = not isinstance(self.values, np.ndarray) or np.array_equal(
            values, self.values, equal_nan=self.dtype is np.float64
        )
        if not exact:
            raise OverflowError  # an unsigned 64-bit number, or a long double
        plan: Plan = choice.algorithm.prepare(resident, values, self.operator, **choice.variant)
        return plan


def _scanning_session(operator: Any, dtype: type, device: Any) -> Session:
    way_out = 'leave device out, or run the reference (device="reference")'
    if not isinstance(operator, str):
        raise AlgorithmError(f"devices know only the operators {', '.join(OPERATORS)}: {way_out}")
    if dtype is object:
        raise AlgorithmError(f"devices scan only integers and floating-point numbers: {way_out}")
    session = session_for(device)
    if dtype is np.float64 and not has_doubles(session):
        raise DeviceError(f"{session.device.device} has no 64-bit floating-point numbers: {way_out}")
    return session


_WHOLE = (int, np.integer, np.bool_)
_REAL = (*_WHOLE, float, np.floating)


def _scannable(values: Any) -> tuple[npt.NDArray[Any] | list[Any], type]:
    """Return the values (as an array, unless conversion could change them) and the dtype of the result."""
    array = values
    if isinstance(values, np.ndarray):
        array = as_array(values, "values", ListError)  # refuses masked elements
    else:
        try:
            given = list(values)
        except TypeError:  # a number, a sparse matrix
            raise ListError(
                f"values is of type {type(values).__name__}: give a sequence, one value for each element"
            ) from None
        if any(v is np.ma.masked for v in given):
            raise ListError("values has a masked element: remove or fill masked entries first")
        if given and all(isinstance(v, _WHOLE) for v in given):
            return [int(v) for v in given], np.int64  # np.asarray would make floats of [2**63, -1]
        if not all(isinstance(v, _REAL) for v in given):
            return given, object
        array = np.asarray(given)
    if array.ndim != 1:
        raise ListError(f"values has shape {array.shape}: it must be one-dimensional")
    kind = np.int64 if array.dtype.kind in "iub" else np.float64 if array.dtype.kind == "f" else object
    return array, kind


def _as_array(found: list[Any], dtype: type) -> npt.NDArray[Any]:
    if dtype is np.int64 and all(isinstance(x, _WHOLE) for x in found):
        if any(not -(2**63) <= x < 2**63 for x in found):
            raise ListError(
                "the scan's integers exceed 64 bits: give floating-point values, or an array of dtype object"
            )
        return np.array(found, np.int64)
    if dtype is not object and all(isinstance(x, _REAL) for x in found):
        return np.array(found, np.float64)
    result = np.empty(len(found), object)
    for j, x in enumerate(found):
        result[j] = x
    return result
