"""Runs on ids: which slot of the hash table each id has found, and which number it has got."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pointerjump.drawing.frames import NOWHERE, Frame, Scene
from pointerjump.drawing.scenes import KEY_TO_IDS
from pointerjump.registry import Algorithm

MOST_LETTERS = 7
"""Longer ids are shortened in the picture."""

SLOT_APART = 1.6
"""How far below the ids the slots are."""


def interning_drawn(
    algorithm: Algorithm, ids: Sequence[str], choices: dict[str, Any]
) -> tuple[list[Frame], Scene]:
    """Intern some ids; return a frame for each block, and the scene: ids above, slots below."""
    module = algorithm.load("reference")
    interner = module.Interner(choices.get("seed", 1))
    block = int(choices["block"])
    encoded = [each.encode(errors="surrogatepass") for each in ids]
    states: list[tuple[list[int], list[int | None]]] = []
    numbers: list[int] = []
    for begin in range(0, len(ids), block):
        numbers += interner.intern(encoded[begin : begin + block])
        states.append((list(numbers), interner.slots()))
    slots = max((len(slot) for _, slot in states), default=0)
    frames = [_frame(numbers, slot, len(ids), slots, k) for k, (numbers, slot) in enumerate(states)]
    n = len(ids)
    wide = 0.8 * max(n, slots)
    places = [
        *((i * wide / max(n, 1), 0.0) for i in range(n)),
        *((i * wide / max(slots, 1), SLOT_APART) for i in range(slots)),
    ]
    sizes = ("ids", n), ("slots", slots)
    names = (
        *(each if len(each) <= MOST_LETTERS else f"{each[: MOST_LETTERS - 1]}…" for each in ids),
        *map(str, range(slots)),
    )
    scene = Scene("plane", tuple(places), (), names, element="id or slot", key=KEY_TO_IDS, sizes=sizes)
    return frames, scene


def _frame(numbers: list[int], slot: list[int | None], ids: int, slots: int, block: int) -> Frame:
    """Return a frame in which every id seen so far points to its slot, and each slot names its number."""
    kept = {number: at for at, number in enumerate(slot) if number is not None}
    pointers = [ids + kept[number] for number in numbers] + [NOWHERE] * (ids - len(numbers))
    below = [str(number) for number in numbers] + [""] * (ids - len(numbers))
    in_slot = ["" if number is None else str(number) for number in slot] + [""] * (slots - len(slot))
    own = [at if note else NOWHERE for at, note in zip(range(ids, ids + slots), in_slot, strict=True)]
    return Frame(
        f"after block {block + 1}",
        (*pointers, *own),
        (*below, *in_slot),
        frozenset(range(ids, ids + slots)),
        about="each id has found its slot; below both stands the id's number",
    )
