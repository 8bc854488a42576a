# %% [markdown]
# # Learning pointer jumping by pictures
#
# Pointer jumping is one line of code: *every element points to where the element it points to points*. If
# all elements do this at the same time, again and again, each sees the end of its list after a few rounds.
# This page shows it on a list first, and then on a graph.

# %%
from pathlib import Path

import numpy as np

import pointerjump as pj
from pointerjump.measure.drawing import draw, snapshots
from pointerjump.reference.machine import Machine
from pointerjump.reference.wylie import wylie

# %% [markdown]
# ## A list
#
# A linked list is an array that says, for each element, which one comes next. The last element points to
# itself. How far is each element from the end? On one processor we would simply walk along the list. But what
# if there is a processor for every element?

# %%
successors = [1, 2, 3, 4, 5, 6, 7, 8, 8]


def jump(ranks, pointers):
    """Let every element add the distance of the one it points to, and point to where that one points."""
    return [ranks[j] + ranks[pointers[j]] for j in range(9)], [pointers[pointers[j]] for j in range(9)]


ranks, pointers = [int(after != j) for j, after in enumerate(successors)], successors
rounds = [pointers]
print("element      ", *range(9))
while True:
    print("points to    ", *pointers)
    print("at a distance", *ranks, "\n")
    if pointers == pointers[-1:] * 9:
        break
    ranks, pointers = jump(ranks, pointers)
    rounds.append(pointers)

# %% [markdown]
# In each round the pointers become twice as long: 1, 2, 4, 8. So a list of n elements takes about log n
# rounds, and a list of a million elements takes only 20. That is the whole idea. As a picture, if matplotlib
# is installed, with one row for each round:

# %%
try:
    from matplotlib import pyplot as plt
except ImportError:
    print("no matplotlib, no picture")
else:
    figure, panels = plt.subplots(len(rounds), figsize=(7, 5), sharex=True)
    for number, (panel, pointers) in enumerate(zip(panels, rounds, strict=True)):
        panel.plot(range(9), [0] * 9, "o", color="#0072B2")
        for j, p in enumerate(pointers):
            arc = {"arrowstyle": "->", "color": "#D55E00", "connectionstyle": "arc3,rad=-0.35"}
            panel.annotate("", (p, 0), (j, 0), arrowprops=arc if p != j else None)
        panel.set(ylim=(-0.2, 1.5), ylabel=f"round {number}", yticks=[], frame_on=False)
    figure.savefig("list.png")
    plt.close(figure)

# %% [markdown]
# ## The same, as the reference has it
#
# This algorithm is called Wylie's. Its [reference](../algorithms/wylie.md) is serial Python that *means* a
# parallel algorithm. A machine can watch it run, and tell us what the shared array of pairs holds after each
# phase. A pair is a distance and a pointer. `PJ1` and `PJ2` are the paper's own names of the phases.


# %%
def show(phase, arrays):
    """Print what the pairs are at the end of a phase."""
    print(phase, *(f"{rank}→{pointer}" for rank, pointer in arrays["pair"]))


with Machine(after_phase=show):
    found = wylie(np.array(successors, np.int32))
print("ranks", found)

# %% [markdown]
# The reference does not look whether it is done. It always jumps as often as the longest possible list needs,
# so here the last round changes nothing.
#
# ## In any order
#
# Real processors do not move in step. One may have jumped already when another has not, and what it reads may
# be out of date. The machine can imitate that, too. The answer must not change, and it does not.

# %%
for seed in range(100):
    with Machine(order="random", stale=True, seed=seed):
        assert (wylie(np.array(successors, np.int32)) == found).all()
print("100 runs in random order, with stale reads: always the same ranks")

# %% [markdown]
# ## A forest
#
# Pointers of a list all lead to its end. Pointers of a forest lead to the roots of trees, and jumping works
# just as well. That is how connected components are found in parallel: every vertex begins as a tree of its
# own; an edge between two trees *hooks* the root of one onto the other; and by jumping, which is called
# *shortcutting* here, every vertex gets closer to its root. When nothing changes any more, vertices are in
# one tree if, and only if, they are in one component.
#
# Our graph has a path through the vertices 0, 5, 3, 8, 1 and 6, a path through 2, 7 and 4, and a vertex 9 by
# itself. We run the reference of Shiloach and Vishkin's algorithm, and print the parent of each vertex after
# every phase that changes one.

# %%
graph = pj.Graph.from_edges([0, 5, 3, 8, 1, 2, 7], [5, 3, 8, 1, 6, 7, 4], vertices=10)
shots = snapshots("shiloach-vishkin", graph)
print("vertex    ", *range(10))
for shot in shots:
    print(f"after {shot.phase:4}", *shot.parents)

# %% [markdown]
# And as a picture. Edges are below the vertices, pointers above them, and new pointers are orange. Every
# algorithm has such a picture: `pointerjump draw shiloach-vishkin -o run.svg` makes this one.

# %%
picture = draw("shiloach-vishkin", graph)
Path("run.svg").write_text(picture)

# %% [markdown]
# ## On a device
#
# The same two algorithms are there as OpenCL kernels, for lists and graphs with many millions of elements.

# %%
fast_ranks = pj.list_rank(successors, algorithm="wylie")
fast = pj.components(graph, algorithm="shiloach-vishkin", labels="representative")
print(fast_ranks, fast.labels, sep="\n")

# %% [markdown]
# ## What we have shown

# %%
assert ranks == found.tolist() == fast_ranks.tolist() == [8, 7, 6, 5, 4, 3, 2, 1, 0]
assert len(rounds) - 1 == 3, "one step becomes eight by doubling three times"
assert list(shots[-1].parents) == fast.labels.tolist() == [0, 0, 2, 0, 2, 0, 0, 2, 0, 9]
assert picture.startswith("<svg")
