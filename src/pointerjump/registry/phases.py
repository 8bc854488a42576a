"""What phases do that several algorithms share, by the names that the references call them."""

from __future__ import annotations

TO_ROOTS = "each vertex points to its root"
LARGEST = "the largest tree is guessed from a sample of vertices"
LIST_JUMP = "each element adds the rank of the one it points to, and jumps"

_REPLACE_ENDS = {"update": "the ends of each edge are replaced by their parents"}

SHILOACH_VISHKIN = {
    "SV0": "each vertex points to its parent, and no tree has changed yet",
    "SV1a": "each vertex points to its grandparent",
    "SV1b": "trees that the short-cut changed are marked",
    "SV2": "roots of unchanged trees are hooked onto smaller neighbors",
    "SV3": "roots of stagnant trees are hooked onto any neighbor",
    "SV4": "each vertex points to its grandparent again",
    "SV5": "if a tree was marked, there is another round",
    **_REPLACE_ENDS,
}

HOOK_AND_SHORTCUT = {
    "hook": "a root goes under the smaller parent at an edge's other end",
    "shortcut": TO_ROOTS,
}

GRAFT_AND_SHORTCUT = {
    "look up": "each edge looks up the components of its ends",
    "graft": "each edge puts the larger component under the smaller",
    "shortcut": TO_ROOTS,
    **_REPLACE_ENDS,
}

TOP_DOWN = {"top-down": "the frontier claims its unvisited neighbors"}
BOTTOM_UP = {"bottom-up": "each unvisited vertex looks for a neighbor in the frontier"}

PROPAGATE = {
    "propagate": "each vertex takes the smallest label that its neighbors offer, if smaller",
    "remember": "labels that have changed are noted, for the next round",
}

BEFORE_JUMPS = {"PJ1": "each element points to its successor, and knows how far that is"}
BEFORE_SPLITTERS_JUMP = {"PJ1": "each splitter points to the next one, and knows how far that is"}
SPLITTERS_JUMP = "each splitter adds the rank of the one it points to, and jumps"

WALK_SUBLISTS = {
    "RS1": "no element has an owner",
    "RS2": "each splitter owns itself",
    "RS3": "each splitter walks to the next one, and owns what it passes",
}
