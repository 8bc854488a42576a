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
from pointerjump.parts import claims, forests, sightings
from pointerjump.parts.facts import Facts
from pointerjump.parts.forests import PartForest, one_type, that_have_rows


def tree(
    tasks: Tasks,
    parts: Sequence[Key],
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
    parts : sequence of keys
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
    if len(parts) == 1:
        rows = tasks("rows-that-stayed", _of_only_part, parts[0])
        return [tasks("components", partial(_frame, like, i, frames[0]), rows) for i in range(frames[0])]
    if facts is None:
        described = [tasks("describe-forest", _described, part) for part in parts]
        known_facts = tasks.reduced("merge-descriptions", Facts.together, described, split_every)
    else:
        known_facts = tasks("describe-forests", partial(_as_it_is, facts))
    seen = tasks.reduced(
        "merge-sightings",
        sightings.merged_sightings,
        [tasks("sight-ids", _sightings, part, known_facts) for part in parts],
        split_every,
    )
    sent = [tasks("select-travelling-ids", sightings.travelling, part, seen) for part in parts]
    places = [tasks.item("places-of-travelling-ids", each, 1) for each in sent]

    level = [tasks.item("travelling-forest", each, 0) for each in sent]
    counted = [tasks("count-travelling-ids", _counted, forest) for forest in level]
    told = tasks("report-travelling-ids", _told, known_facts, counted)
    merges: list[list[tuple[Key, int]]] = []  # of each level: the tasks, and how many forests each has merged
    while len(level) > 1 or not merges:
        groups = [level[i : i + split_every] for i in range(0, len(level), split_every)]
        merges.append(
            [(tasks("merge-forests", OnWorker(forests.merge, device), group), len(group)) for group in groups]
        )
        level = [tasks.item("merged-forest", merge, 0) for merge, _ in merges[-1]]
    (forest,) = level
    all_numbers = tasks("number-components", forests.component_numbers, forest)

    numbers = [all_numbers]
    for each_merge in reversed(merges):
        numbers = [
            tasks("pass-down-components", partial(_passed_down, i), number, merge)
            for number, (merge, merged) in zip(numbers, each_merge, strict=True)
            for i in range(merged)
        ]
    each_part = list(zip(parts, places, numbers, strict=True))
    known = tasks(
        "name-components",
        _settled,
        tasks.reduced(
            "merge-claims",
            claims.merged_claims,
            [tasks("claim-components", claims.claims, *each) for each in each_part],
            split_every,
        ),
        all_numbers,
        told,
    )
    found: list[Key] = []
    all_frames = sum(frames)
    for each, of_part in zip(each_part, frames, strict=True):
        here = tasks("select-names", _only, known, each[-1])
        stayed = tasks("rows-that-stayed", claims.of_part, *each, here)
        for i in range(of_part):
            travelled = tasks(
                "rows-that-travelled",
                partial(_slice_of_all, len(found), all_frames),
                forest,
                all_numbers,
                known,
            )
            found.append(tasks("components", partial(_frame, like, i, of_part), stayed, travelled))
    return found


def _as_it_is(facts: Facts) -> Facts:
    return facts


def _described(part: PartForest) -> Facts:
    return Facts.of([part])


def _sightings(part: PartForest, facts: Facts) -> sightings.Sightings:
    one_type(facts.types)
    return sightings.sightings(part.ids, facts.sample.bits)


def _of_only_part(part: PartForest) -> Any:
    _tell(len(part.ids), 0, [(0, 0)])
    return claims.of_only_part(part)


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


def _passed_down(which: int, component: Any, merge: forests.Merge) -> Any:
    return forests.passed_down(component, merge, which)


def _settled(claimed: claims.Claims, component: Any, told: None) -> claims.Settled:
    """Return names and sizes. `told` is nothing: needing it only makes Dask do that task."""
    return claims.settled([claimed], component)


def _only(known: claims.Settled, component: Any) -> claims.Settled:
    return known.only(component)


def _slice_of_all(number: int, of: int, forest: PartForest, component: Any, known: claims.Settled) -> Any:
    """Return some rows of the table of ids that travelled."""
    begin, end = (len(forest.ids) * each // of for each in (number, number + 1))
    some = PartForest(forest.ids.slice(begin, end - begin), forest.root[begin:end])
    return claims.of_all(some, component[begin:end], known)


def _frame(like: Any, number: int, of: int, stayed: Any, *travelled: Any) -> Any:
    """Return a frame of some rows that stayed in a part, and some that travelled."""
    import pyarrow as pa

    begin, end = (len(stayed) * each // of for each in (number, number + 1))
    rows = that_have_rows([stayed.slice(begin, end - begin), *travelled])
    return frame_like(like, pa.concat_tables(rows))
