"""Launching no more than a given number of work-groups, to see how an algorithm scales."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace

from pointerjump.accel.runtime.session import Session
from pointerjump.accel.shapes import Shapes
from pointerjump.bench.measurements import ChartTimes, ContestantTimes
from pointerjump.bench.sizes import Effort
from pointerjump.bench.subjects import Subject, timed


def over_work_groups(subject: Subject, effort: Effort, algorithms: Mapping[str, str]) -> ChartTimes:
    """Time algorithms with at most 1, 2, 4, ... work-groups, up to twice as many as the tuning launches.

    Parameters
    ----------
    subject : GraphSubject or ListSubject
    effort : Effort
    algorithms : mapping of str to str
        What charts call each algorithm, and its name in the registry.
    """
    device, tuning = subject.session.device, subject.session.tuning
    launched = device.compute_units * tuning.groups_per_unit
    powers = [1 << k for k in range(launched.bit_length() + 1)]
    measured = ChartTimes()
    for who, algorithm in algorithms.items():
        runs = {str(most): subject.kernels(algorithm, limited(subject.session, most)) for most in powers}
        for most, timing in timed(runs, effort).items():
            measured.times.append(ContestantTimes(int(most), who, timing, subject.counts))
    return measured


def limited(session: Session, most_groups: int) -> Session:
    """Return a session on the same queue, with the same built programs, that launches fewer work-groups."""
    small = copy(session)
    # The limits are per compute unit: for any total, let there be one.
    tuning = replace(session.tuning, groups_per_unit=most_groups, groups_at_once=most_groups)
    small.shapes = Shapes(replace(session.device, compute_units=1), tuning)
    return small
