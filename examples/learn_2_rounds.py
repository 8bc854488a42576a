# %% [markdown]
# # Learn 2: hook and jump, all at once
#
# On the [page before](learn_1_parents.md) we took the edges one after the other. A GPU can look at
# thousands of edges at the same time. What should they all do? This page shows a classic answer, by Yossi
# Shiloach and Uzi Vishkin.

# %%
import math
from pathlib import Path

import numpy as np

import pointerjump as pj
from pointerjump.draw import Drawing, Frame, draw, picture
from pointerjump.reference.machine import Machine
from pointerjump.reference.shiloach_vishkin import shiloach_vishkin

edges = [(0, 5), (3, 8), (1, 6), (5, 3), (2, 7), (4, 7), (8, 1), (6, 0)]
sources, targets = zip(*edges, strict=True)
graph = pj.Graph.from_edges(sources, targets, vertices=10)
Path("graph.svg").write_text(picture(graph))

# %% [markdown]
# ## One round
#
# We use the graph of the first page again. Imagine one worker for each vertex and one for each edge. All of
# them work at the same time. A *round* has two steps.
#
# 1. **Hook.** Each edge looks at the parents of its two ends. If they differ, and the larger one is a
#    [root](../glossary.md#root), it is [hooked](../glossary.md#hook) under the smaller one.
# 2. **Jump.** Each vertex takes its parent's parent as its parent.
#
# No worker walks to a root. If a vertex does not point to its root yet, its edges wait. Meanwhile, the jumps
# bring it closer. The rounds end when a round changes nothing.
#
# In the code, "at the same time" means that all workers look at `seen`, a copy of the parents before the
# step. Two edges may want to hook the same root. Then both write, and the later write is kept.


# %%
def hook(parent, edges):
    """Let each edge hook the larger of two roots under the smaller."""
    seen = list(parent)
    for u, v in edges:
        larger, smaller = max(seen[u], seen[v]), min(seen[u], seen[v])
        if larger != smaller and seen[larger] == larger:
            parent[larger] = smaller


def jump(parent):
    """Let each vertex point to where its parent points."""
    seen = list(parent)
    for v in range(len(parent)):
        parent[v] = seen[seen[v]]


def rounds(edges, n):
    """Hook and jump until nothing changes; return the number of rounds, including the last, and the steps."""
    parent = list(range(n))
    steps = []
    number = 0
    while True:
        number += 1
        before = list(parent)
        hook(parent, edges)
        hooked = list(parent)
        jump(parent)
        if parent == before:
            return number, steps
        if hooked != before:
            steps.append((f"round {number}: hook", hooked))
        if parent != hooked:
            steps.append((f"round {number}: jump", list(parent)))


count, steps = rounds(edges, 10)
print(count, "rounds; the last one changes nothing")
print("vertex       ", *range(10))
for title, parents in steps:
    print(title, *parents)
Drawing(frames=[Frame(*step) for step in steps], graph=graph, layout="plane").save("by_hand.svg")

# %% [markdown]
# Follow the pictures with a pencil, one step at a time.
#
# **Question 1.** In round 1 the edges 3-8 and 8-1 both want to hook vertex 8, under 3 and under 1. Which hook
# is kept, and is the other edge lost?
#
# ??? success "Answer"
#
#     The later edge, 8-1, is kept: 8 points to 1. The edge 3-8 is not lost: all edges are looked at again in
#     the next round. Then 3 and 8 have different parents, and the larger parent is hooked.
#
# **Question 2.** Which step makes 8 point to 0?
#
# ??? success "Answer"
#
#     A jump. The picture before it shows a path of arrows from 8 to 0, and a jump lets 8 skip the vertex in
#     between.
#
# ## When this is slow
#
# Four rounds for ten vertices sound good. But look at a *star*: its center has the largest number, and
# each edge joins the center with one other vertex.

# %%
for n in (4, 8, 16, 32):
    star = [(leaf, n - 1) for leaf in range(n - 1)]
    print(f"star of {n:2} vertices: {rounds(star, n)[0]:2} rounds")

small_star = pj.Graph.from_edges([0, 1, 2, 3, 4], [5, 5, 5, 5, 5])
slow = rounds([(leaf, 5) for leaf in range(5)], 6)[1]
Drawing(frames=[Frame(*step) for step in slow], graph=small_star, layout="plane").save("star.svg")

# %% [markdown]
# That is one round for each vertex, counting the last round: no better than taking the edges one by one. In
# the pictures, all edges want to hook the center, 5, and the last edge is kept: 5 points to 4. The other
# vertices are smaller than 4, so they wait until 4 is hooked under 3. And so on. Small roots are never
# hooked, although they have nothing to wait for.
#
# Shiloach and Vishkin have a second rule for such roots. Call a tree *stagnant* if in this round nothing was
# hooked onto it, nothing in it jumped, and it was not hooked itself. **A stagnant root may be hooked under
# any neighbor, even a larger one.**
#
# **Question 3.** If roots may go under larger ones, could two trees be hooked under each other, in a
# circle?
#
# ??? success "Answer"
#
#     No. Take two trees with an edge between them, in which nothing has jumped: all vertices point to the
#     root. Then the first rule applies to this edge, so the larger root has been hooked in this round, along
#     this edge or another. Hence two neighbors are never both stagnant. A stagnant tree goes under one that
#     is not, and from there the walk leads on to smaller and smaller roots. It cannot come back to the
#     stagnant tree, because nothing was hooked onto that tree.
#
# ## The real algorithm, step by step
#
# The package has a *reference* of each algorithm: Python that is meant to be read. A `Machine` is an
# imaginary computer. It can report what a reference does while it runs. Here the machine shows us the array
# of parents, `D`, at the end of each step. The paper calls the steps SV1 to SV5: SV1a jumps, SV2 hooks under
# smaller roots, SV3 hooks stagnant roots, SV4 jumps again. SV1b and SV5 only keep a record of which trees
# have changed.

# %%
written = []  # the array that was written last: the algorithm has two, and writes them in turn
shown = [list(range(10))]


def remember(array, at, old, new):
    """Note which array is being written."""
    if array.name == "D":
        written[:] = [array]


def show(step, arrays):
    """Print the parents after a step that has changed some."""
    if list(written[0]) != shown[-1]:
        shown.append(list(written[0]))
        print(f"round {machine.rounds('SV1a')}, {step:4}:", *shown[-1])


print("vertex       ", *range(10))
with Machine(on_write=remember, after_phase=show) as machine:
    found = shiloach_vishkin(graph)
print("found        ", *found)

# %% [markdown]
# Here is the run: as pictures, and as an animation that you can play forward and backward.

# %%
run = draw("shiloach-vishkin", graph, layout="plane")
run.save("run.svg")
run.save("run.html")

# %% [markdown]
# ## How many rounds?
#
# Shiloach and Vishkin proved that the number of rounds grows like the logarithm of the number of vertices.
# Here it is at most the logarithm of n to base 1.5, rounded up, plus 2. We count the rounds on stars, and on
# paths whose vertices are numbered at random. The last round, which changes nothing, counts here, too.

# %%
counted = []
print("   n  star  path  at most")
for n in (8, 32, 128, 512):
    star = pj.Graph.from_edges(np.arange(n - 1), np.full(n - 1, n - 1))
    order = np.random.default_rng(1).permutation(n)
    path = pj.Graph.from_edges(order[:-1], order[1:])
    for shape in (star, path):
        with Machine() as machine:
            shiloach_vishkin(shape)
        counted.append(machine.rounds("SV1a"))
    bound = math.ceil(math.log(n, 1.5)) + 2
    print(f"{n:4}  {counted[-2]:4}  {counted[-1]:4}  {bound:7}")
    assert max(counted[-2:]) <= bound

# %% [markdown]
# A path that is 64 times as long takes only a few more rounds, and the star has become easy.
#
# ## What we have shown

# %%
assert steps[-1][1] == [0, 0, 2, 0, 2, 0, 0, 2, 0, 9], "by hand"
assert found.tolist() == [0, 0, 2, 0, 2, 0, 0, 2, 0, 9], "and by the reference"
assert count == 4
assert rounds([(leaf, 31) for leaf in range(31)], 32)[0] == 32, "hooking only downwards can take n rounds"
assert counted[0::2] == [2, 2, 2, 2], "with the second rule, stars take two"
assert counted[-1] <= 2 * counted[1] + 2, "a path 64 times as long takes few more"

# %% [markdown]
# Next: [each edge only once](learn_3_sampling.md), and most edges not at all. More on this algorithm: [its
# page](../algorithms/shiloach-vishkin.md), and [the paper](../papers/dehne.md) that has this version for
# GPUs. The algorithm itself is from Y. Shiloach and U. Vishkin, "An O(log n) parallel connectivity
# algorithm", Journal of Algorithms 3, 1982.
