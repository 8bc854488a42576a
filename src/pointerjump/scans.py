"""Scans of linked lists."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.residents.lists import ResidentLists
from pointerjump.errors import AlgorithmError, DeviceError, ListError
from pointerjump.integers import as_array
from pointerjump.linked_lists import SuccessorArray, as_successors, require_lists
from pointerjump.registry.facts import Form, InputFacts
from pointerjump.registry.selection import Choice, ask
from pointerjump.run import REFERENCE, Seconds, is_reference, order, solve

if TYPE_CHECKING:
    from pointerjump.accel.plan import Plan
    from pointerjump.accel.runtime.session import Session


def _least(x: Any, y: Any) -> Any:
    """Return the lesser, or NaN if either is NaN. With Python's min, that depends on the order."""
    return x if x <= y or x != x else y


def _greatest(x: Any, y: Any) -> Any:
    """Return the greater, or NaN if either is NaN."""
    return x if x >= y or x != x else y


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "multiply": operator.mul,
    "min": _least,
    "max": _greatest,
}
"""The named operators of :func:`list_scan`."""

_OF_NUMPY: dict[Any, str] = {np.add: "add", np.multiply: "multiply", np.minimum: "min", np.maximum: "max"}


def list_scan(
    successors: npt.ArrayLike,
    values: Any,
    operator: str | Callable[[Any, Any], Any] = "add",
    *,
    algorithm: str = "auto",
    device: Any = None,
    **variant: object,
) -> npt.NDArray[Any]:
    """Scan linked lists: for each element, combine the values from the first element of its list up to it.

    Parameters
    ----------
    successors : array_like of int, shape (n,)
        The element after each element. A last element is its own successor. One array may hold several
        lists.
    values : array_like, shape (n,)
        One value for each element.
    operator : {"add", "multiply", "min", "max"} or callable
        Combines two values; the first argument is the one that is earlier in the list. It must be
        associative, but need not be commutative or have an inverse. A callable gets Python's own numbers,
        so integers do not wrap. ``"min"`` and ``"max"`` return NaN if either value is NaN.
    algorithm : str
        A list-scan name from :func:`pointerjump.algorithms`, or ``"auto"``.
    device : optional
        As for :func:`components`, except that devices know only the named operators (and NumPy's functions
        for them), on integers, bools and floating-point numbers. Default: the fastest device that works, if
        there is one and it can do this scan, otherwise the serial reference. The reference also takes over
        if integers exceed 64 bits in part of a list. How sums and products of floating-point numbers are
        rounded depends on how the device groups them.
    **variant
        Choices on the algorithm's axes, such as ``splitters=1024``.

    Returns
    -------
    ndarray, shape (n,)
        Its dtype is int64 for integers and bools, float64 for floating-point numbers (or if the operator
        turns integers into such), and object for all other values, including arrays of dtype object.

    Raises
    ------
    ListError
        If the array does not hold linked lists, there is not one value for each element, a value is masked,
        or an integer of the result exceeds 64 bits.
    AlgorithmError
        If there is no such operator or algorithm, or if a device is named and devices cannot do this scan.
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
    session = None
    if not is_reference(device):
        try:
            session = _scanning_session(name, dtype, device)
        except (AlgorithmError, DeviceError):
            if device is not None:
                raise
    if session is not None:
        try:
            return _scan(algorithm, session, variant, input)
        except OverflowError:  # in part of a list, but perhaps in no result: Python's integers can tell
            scan = ask("list-scan", algorithm, {}, None).algorithm
            variant = {axis: variant[axis] for axis in variant if scan.has("reference", [axis])}
    return _scan(algorithm, REFERENCE, variant, input)


def _scan(algorithm: str, device: Any, choices: Mapping[str, object], input: HostScan) -> npt.NDArray[Any]:
    """Scan lists on a device, or with the reference.

    Raises
    ------
    OverflowError
        If integers exceeded 64 bits on a device.
    """

    def read(session: Session, plan: Plan) -> npt.NDArray[Any]:
        return session.get(plan.result, len(input.successors), input.dtype)

    wanted = order("list-scan", algorithm, device, choices)
    found, _ = solve(wanted, input, read)
    return found if wanted.session else _as_array(found, input.dtype)


@dataclass(frozen=True)
class HostScan:
    """Lists, values and an operator on the host, for one run."""

    successors: SuccessorArray
    values: npt.NDArray[Any] | list[Any]
    dtype: type
    operator: Any
    combine: Callable[[Any, Any], Any]

    def facts(self) -> InputFacts:
        """Return the facts that selection uses."""
        return InputFacts(len(self.successors), form="lists")

    def for_reference(self, seconds: Seconds) -> tuple[Any, ...]:
        """Return the successors, the values as Python's own, and the operator; check the lists."""
        require_lists(self.successors)
        own = self.values.tolist() if isinstance(self.values, np.ndarray) else self.values
        return self.successors, own, self.combine

    def placed(self, form: Form, session: Session, seconds: Seconds) -> ResidentLists:
        """Put the lists on the device."""
        with seconds.timed("transfer"):
            return ResidentLists(self.successors, session)

    def planned(self, choice: Choice, resident: ResidentLists) -> Plan:
        """Put the values on the device, too; return the plan for a choice."""
        values = _as_kernels_take(self.values, self.dtype)
        plan: Plan = choice.algorithm.prepare(resident, values, self.operator, **choice.variant)
        return plan


def _scanning_session(operator: Any, dtype: type, device: Any) -> Session:
    """Return the session of the device to scan on.

    Raises
    ------
    AlgorithmError
        If devices cannot do this scan.
    DeviceError
        If there is no such device, or it lacks 64-bit floating-point numbers, and the scan needs them.
    """
    from pointerjump.accel.list_scan import has_doubles
    from pointerjump.accel.runtime.sessions import session_for

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
    """Return values as an array, or as a list if an array could change them, and the result's dtype."""
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


def _as_kernels_take(values: npt.NDArray[Any] | list[Any], dtype: type) -> npt.NDArray[Any]:
    """Return values as int64 or float64.

    Raises
    ------
    OverflowError
        If a value does not fit: an unsigned number of 64 bits, or a long double.
    """
    array: npt.NDArray[Any] = np.ascontiguousarray(
        values, dtype
    )  # raises for a list of integers that do not fit
    if isinstance(values, np.ndarray) and not np.array_equal(array, values, equal_nan=dtype is np.float64):
        raise OverflowError(f"not all values fit {np.dtype(dtype)}")
    return array


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
