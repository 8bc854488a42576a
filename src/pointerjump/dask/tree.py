"""The method "tree": forests of parts are merged, a few at a time, until there is one.

What only one part has stays there. Components of what travels go back down the same tree, as numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from pointerjump.dask.frames import frame_like
from pointerjump.dask.graphs import Key, Tasks
from pointerjump.dask.workers import OnWorker, tell
from pointerjump.ids.interning import Numbers
from pointerjump.parts import claims, sightings
from pointerjump.parts.facts import Facts
from pointerjump.parts.forests import PartForest, component_numbers, merged_forests, one_type, passed_down
from pointerjump.tables.open import that_have_rows

Level = list[tuple[Key, int]]
"""The merges of one level of the tree: each task, and how many forests it merges."""


def tree(
    tasks: Tasks,
    forests: Sequence[Key],
    frames: Sequence[int],
    split_every: int,
    device: str | None,
    like: Any,
    facts: Facts | None = None,
) -> list[Key]:
    """Add the tasks that find the components of some parts' forests.

    Parameters
    ----------
    tasks : Tasks
    forests : sequence of keys
        The tasks that return each part's forest.
    frames : sequence of int
        Into how many frames the rows of each part go.
    split_every : int
        How many forests are merged by one task.
    device : str, optional
    like : DataFrame
        A frame without rows that has the result's types.
    facts : Facts, optional
        What is known about the forests. If nothing is, that is found out.

    Returns
    -------
    list of keys
        The tasks that return the frames.
    """
    if len(forests) == 1:
        rows = tasks("rows-that-stayed", _rows_of_only_part, forests[0])
        return [tasks("components", partial(_frame, like, i, frames[0]), rows) for i in range(frames[0])]
    if facts is None:
        described = [tasks("describe-forest", Facts.of, each) for each in forests]
        described_all = tasks.reduced("merge-descriptions", Facts.merged, described, split_every)
    else:
        described_all = tasks("describe-forests", partial(_as_it_is, facts))
    seen = tasks.reduced(
        "merge-sightings",
        sightings.merged_sightings,
        [tasks("sight-ids", _sightings, each, described_all) for each in forests],
        split_every,
    )
    sent = [tasks("select-travelling-ids", sightings.travelling, each, seen) for each in forests]
    places = [tasks.item("places-of-travelling-ids", each, 1) for each in sent]
    travelling = [tasks.item("travelling-forest", each, 0) for each in sent]
    counted = [tasks("count-travelling-ids", _counted, each) for each in travelling]
    told = tasks("report-travelling-ids", _told, described_all, counted)

    merged, levels = _merged(tasks, travelling, split_every, device)
    all_numbers = tasks("number-components", component_numbers, merged)
    each_part = list(zip(forests, places, _passed_down(tasks, all_numbers, levels), strict=True))

    claimed = [tasks("claim-components", claims.claims_of, *each) for each in each_part]
    all_claims = tasks.reduced("merge-claims", claims.merged_claims, claimed, split_every)
    known = tasks("name-components", _settled, all_claims, all_numbers, told)

    found: list[Key] = []
    for each, of_part in zip(each_part, frames, strict=True):
        here = tasks("select-names", claims.Settled.only, known, each[-1])
        stayed = tasks("rows-that-stayed", claims.rows_that_stayed, *each, here)
        # One task a part: many tasks Dask would deal out to all workers, each with the whole merged forest.
        share = partial(_share_that_travelled, (len(found), len(found) + of_part), sum(frames))
        travelled = tasks("rows-that-travelled", share, merged, all_numbers, known)
        of_frame = (partial(_frame, like, i, of_part) for i in range(of_part))
        found += [tasks("components", work, stayed, travelled) for work in of_frame]
    return found


def _merged(
    tasks: Tasks, forests: list[Key], split_every: int, device: str | None
) -> tuple[Key, list[Level]]:
    """Add the tasks that merge forests, and return the one that has the last forest, and all levels."""
    levels: list[Level] = []
    while len(forests) > 1 or not levels:
        groups = [forests[i : i + split_every] for i in range(0, len(forests), split_every)]
        work = OnWorker(merged_forests, device)
        levels.append([(tasks("merge-forests", work, group), len(group)) for group in groups])
        forests = [tasks.item("merged-forest", merge, 0) for merge, _ in levels[-1]]
    return forests[0], levels


def _passed_down(tasks: Tasks, all_numbers: Key, levels: list[Level]) -> list[Key]:
    """Add the tasks that pass components down to the forests that were merged first, and return those."""
    numbers = [all_numbers]
    for level in reversed(levels):
        numbers = [
            tasks("pass-down-components", partial(passed_down, i), number, merge)
            for number, (merge, merged) in zip(numbers, level, strict=True)
            for i in range(merged)
        ]
    return numbers


# -- what tasks do ---------------------------------------------------------------------------------


def _as_it_is(facts: Facts) -> Facts:
    return facts


def _sightings(forest: PartForest, facts: Facts) -> sightings.Sightings:
    one_type(facts.types)
    return sightings.sightings_of(forest.ids, facts.sample.bits)


def _rows_of_only_part(forest: PartForest) -> Any:
    _tell(len(forest.ids), 0, [(0, 0)])
    return claims.rows_of_only_part(forest)


def _counted(travelling: PartForest) -> tuple[int, int]:
    return len(travelling.ids), travelling.nbytes


def _told(facts: Facts, counted: Sequence[tuple[int, int]]) -> None:
    _tell(facts.sample.ids, facts.sample.shared_ids, counted)


def _tell(ids: int, shared: int, sent: Sequence[tuple[int, int]]) -> None:
    """Say how much travels, given the ids and the bytes that each part sends."""
    tell(
        method="tree",
        ids=ids,
        ids_of_several_parts=shared,
        parts=len(sent),
        ids_sent=sum(each for each, _ in sent),
        bytes_sent=sum(size for _, size in sent),
    )


def _settled(claimed: claims.Claims, component: Numbers, told: None) -> claims.Settled:
    """Return names and sizes. `told` is nothing: needing it only makes Dask do that task."""
    return claims.settled(claimed, component)


def _share_that_travelled(
    frames: tuple[int, int], of: int, forest: PartForest, component: Numbers, known: claims.Settled
) -> Any:
    """Return the rows of ids that travelled, for some of the frames that all of them go into."""
    share = _share(len(forest.ids), *frames, of)
    some = PartForest(forest.ids[share], forest.root[share])
    return claims.rows_that_travelled(some, component[share], known)


def _frame(like: Any, number: int, of: int, *rows: Any) -> Any:
    """Return one of so many frames of a part's rows: those that stayed, and its share of the others."""
    import pyarrow as pa

    some = [each[_share(len(each), number, number + 1, of)] for each in rows]
    return frame_like(like, pa.concat_tables(that_have_rows(some)))


def _share(rows: int, begin: int, end: int, of: int) -> slice:
    """Return which rows go into some frames, if as many go into each of so many."""
    return slice(rows * begin // of, rows * end // of)
