"""Scans of linked lists."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.errors import AlgorithmError, DeviceError, ListError
from pointerjump.face.running import REFERENCE, Seconds, solve
from pointerjump.integers import as_array
from pointerjump.linked_lists import SuccessorArray, as_successors, require_lists
from pointerjump.registry.facts import InputFacts
from pointerjump.registry.selection import Choice, ask

if TYPE_CHECKING:
    from pointerjump.accel.plan import Plan
    from pointerjump.accel.runtime.session import Session


def _least(x: Any, y: Any) -> Any:
    """Return the lesser, or NaN if either is: where Python's min lets NaN win or not by its place."""
    return x if x <= y or x != x else y


def _greatest(x: Any, y: Any) -> Any:
    """Return the greater, or NaN if either is."""
    return x if x >= y or x != x else y


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "multiply": operator.mul,
    "min": _least,
    "max": _greatest,
}
"""The operators of :func:`list_scan` that have names."""

_OF_NUMPY: dict[Any, str] = {np.add: "add", np.multiply: "multiply", np.minimum: "min", np.maximum: "max"}


def list_scan(
    successors: npt.ArrayLike,
    values: Any,
    operator: str | Callable[[Any, Any], Any] = "add",
    algorithm: str = "auto",
    device: Any = None,
    **variant: object,
) -> npt.NDArray[Any]:
    """Scan linked lists: combine the values from the first element of each list up to each element.

    Parameters
    ----------
    successors : array_like of int, shape (n,)
        The element after each element; a last element is its own successor. Several lists in one
        array are fine.
    values : array_like, shape (n,)
        One value for each element.
    operator : {"add", "multiply", "min", "max"} or callable
        What combines two values, the earlier in the list first. It must be associative; it need not
        commute nor have an inverse. A callable is given Python's own numbers, so integers do not wrap.
        ``"min"`` and ``"max"`` of NaN and anything is NaN.
    algorithm : str
        A list-scan name from :func:`pointerjump.algorithms`, or ``"auto"``.
    device : optional
        As for :func:`components`, but that devices know the named operators only (and NumPy's of the same
        names), on integers, bools and floating-point numbers. Default: the fastest device that works, if it
        can do this scan; else, as wherever parts of a list take integers past 64 bits, the serial reference.
        Sums and products of floating-point numbers are rounded as the device groups them.
    **variant
        The algorithm's variants by name, such as ``splitters=1024``.

    Returns
    -------
    ndarray, shape (n,)
        Of int64 for integers and bools, float64 for floating-point numbers (or if the operator makes such of
        integers), and Python objects for all others, an array of dtype object among them.

    Raises
    ------
    ListError
        If it is no set of lists, there is not one value for each element, a value is masked, or integers
        pass 64 bits.
    AlgorithmError
        If there is no such operator or algorithm, or a device is named and kernels cannot do this scan.
    DeviceError
        If there is no such device, or it cannot hold the lists or compute with such numbers.

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
    name: Any = operator
    if isinstance(operator, np.ufunc) and dtype is not object:
        name = _OF_NUMPY.get(operator, operator)  # NumPy's own would wrap
    combine = OPERATORS.get(name) if isinstance(name, str) else name
    if not callable(combine):
        raise AlgorithmError(
            f"operator={operator!r}: it must be one of {', '.join(OPERATORS)}, or a callable"
        )
    if len(given) != len(checked):
        raise ListError(f"there are {len(given)} values for {len(checked)} elements: give one each")

    input = HostScan(checked, given, dtype, name, combine)
    session = None
    if not (isinstance(device, str) and device == REFERENCE):
        try:
            session = _scanning_session(name, dtype, device)
        except (AlgorithmError, DeviceError):
            if device is not None:
                raise
    if session is not None:
        try:
            return _scan(algorithm, session, variant, input)
        except OverflowError:  # in some part of a list; Python's own integers tell whether in a result
            scan, _ = ask("list-scan", algorithm, {}, None).dense
            variant = {axis: variant[axis] for axis in variant if scan.has("reference", [axis])}
    return _scan(algorithm, REFERENCE, variant, input)


def _scan(algorithm: str, device: Any, choices: Mapping[str, object], input: HostScan) -> npt.NDArray[Any]:
    """Scan lists on a device, or by the reference.

    Raises
    ------
    OverflowError
        If a device found integers past 64 bits.
    """

    def of_reference(found: list[Any]) -> npt.NDArray[Any]:
        return _as_array(found, input.dtype)

    asked = ("list-scan", algorithm, device, choices)
    return solve(*asked, lambda: input, _read, of_reference)[0]


def _read(session: Session, plan: Plan, input: HostScan) -> npt.NDArray[Any]:
    return session.get(plan.result, len(input.successors), input.dtype)


@dataclass(frozen=True)
class HostScan:
    """Lists and values on the host, and what combines two values, for one run."""

    successors: SuccessorArray
    values: npt.NDArray[Any] | list[Any]
    dtype: type
    operator: Any
    combine: Callable[[Any, Any], Any]

    def facts(self) -> InputFacts:
        """Return how many elements there are."""
        return InputFacts(len(self.successors), form="lists")

    def for_reference(self, seconds: Seconds) -> tuple[Any, ...]:
        """Return the successors, checked to form lists, Python's own values, and the operator."""
        require_lists(self.successors)
        own = self.values.tolist() if isinstance(self.values, np.ndarray) else self.values
        return self.successors, own, self.combine

    def prepared(self, choice: Choice, session: Session, seconds: Seconds) -> Plan:
        """Put them on the device, and make a run ready."""
        from pointerjump.accel.residents.lists import ResidentLists

        with seconds.timed("transfer"):
            values = _as_kernels_take(self.values, self.dtype)
            resident = ResidentLists(self.successors, session)
        with seconds.timed("build"):
            plan: Plan = choice.algorithm.prepare(resident, values, self.operator, **choice.variant)
        return plan


def _scanning_session(operator: Any, dtype: type, device: Any) -> Session:
    """Return the session of the device to scan on.

    Raises
    ------
    AlgorithmError
        If kernels cannot do this scan.
    DeviceError
        If there is no such device, or it lacks the numbers.
    """
    from pointerjump.accel.list_scan import has_doubles
    from pointerjump.accel.runtime.sessions import session_for

    way_out = 'leave device out, or run the reference (device="reference")'
    if not isinstance(operator, str):
        raise AlgorithmError(f"devices know the operators {', '.join(OPERATORS)} only: {way_out}")
    if dtype is object:
        raise AlgorithmError(f"devices scan integers and floating-point numbers only: {way_out}")
    session = session_for(device)
    if dtype is np.float64 and not has_doubles(session):
        raise DeviceError(f"{session.device.device} has no 64-bit floating-point numbers: {way_out}")
    return session


_WHOLE = (int, np.integer, np.bool_)
_REAL = (*_WHOLE, float, np.floating)


def _scannable(values: Any) -> tuple[npt.NDArray[Any] | list[Any], type]:
    """Return values as an array or, where that could change them, a list; and the result's dtype."""
    array = values
    if isinstance(values, np.ndarray):
        array = as_array(values, "values", ListError)  # nothing masked
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
            return [int(v) for v in given], np.int64  # np.asarray makes floats of [2**63, -1]
        if not all(isinstance(v, _REAL) for v in given):
            return given, object
        array = np.asarray(given)
    if array.ndim != 1:
        raise ListError(f"values has shape {array.shape}: it must be one-dimensional")
    kind = np.int64 if array.dtype.kind in "iub" else np.float64 if array.dtype.kind == "f" else object
    return array, kind


def _as_kernels_take(values: npt.NDArray[Any] | list[Any], dtype: type) -> npt.NDArray[Any]:
    """Return values as int64 or float64.

    Raises
    ------
    OverflowError
        If those cannot hold them: unsigned numbers past 63 bits, long doubles.
    """
    array: npt.NDArray[Any] = np.ascontiguousarray(values, dtype)  # of a list, Python's integers, it raises
    if isinstance(values, np.ndarray) and not np.array_equal(array, values, equal_nan=dtype is np.float64):
        raise OverflowError(f"not all values fit {np.dtype(dtype)}")
    return array


def _as_array(found: list[Any], dtype: type) -> npt.NDArray[Any]:
    if dtype is np.int64 and all(isinstance(x, _WHOLE) for x in found):
        if any(not -(2**63) <= x < 2**63 for x in found):
            raise ListError(
                "the scan's integers pass 64 bits: give floating-point values, or an array of dtype object"
            )
        return np.array(found, np.int64)
    if dtype is not object and all(isinstance(x, _REAL) for x in found):
        return np.array(found, np.float64)
    result = np.empty(len(found), object)
    for j, x in enumerate(found):
        result[j] = x
    return result
