"""What was asked of a run: algorithm, device and choices, checked before a large file is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pointerjump.registry import Problem


@dataclass(frozen=True)
class Asked:
    """The algorithm, device and choices on the algorithm's axes that a command names; the rest stays open.

    Attributes
    ----------
    algorithm : str
        Its name, or ``"auto"``.
    device : str or None
        As for :func:`pointerjump.components`.
    choices : dict
        The values that were chosen, by axis.
    """

    algorithm: str
    device: str | None
    choices: dict[str, Any]


def ask(problem: Problem, algorithm: str, device: str | None, choices: dict[str, str]) -> Asked:
    """Return what a run takes; refuse an algorithm, a device or a variant that does not exist.

    Raises
    ------
    AlgorithmError
        If there is no such algorithm for this problem, or it has no such variant.
    DeviceError
        If there is no such device.
    """
    from pointerjump.registry import find_algorithm

    found = find_algorithm(algorithm, problem)
    asked = Asked(algorithm, device, choices)
    if device == "reference":
        found.variant("reference", choices)
        return asked
    from pointerjump.accel.runtime.session import session_for

    found.load("kernels")
    session = session_for(device)
    if (problem, algorithm) != ("components", "auto"):
        session.variant(found, choices)
        return asked
    tuning = session.launcher.tuning  # which of the two algorithms runs depends on the graph
    either = [find_algorithm(name, problem) for name, _ in (tuning.auto_dense, tuning.auto_sparse)]
    known = {axis.name for one in either for axis in one.axes_of("kernels")}
    if not known.issuperset(choices):
        session.variant(either[0], choices)
    return asked
