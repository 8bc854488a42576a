# %% [markdown]
# # Learn 5: how far is it to the end of a list?
#
# Pages 1 to 4 were about graphs. Pointer jumping works just as well for linked lists. This page goes from
# walking along a list to the method that is used today, and ends with a use for trees.

# %%
import numpy as np

import pointerjump as pj
from pointerjump.draw import Drawing, Frame
from pointerjump.reference.machine import Machine
from pointerjump.reference.random_splitter import random_splitter
from pointerjump.reference.wylie import wylie

# %% [markdown]
# ## Walking
#
# Here, a linked list is an array that holds, for each element, the next one: its *successor*. The last
# element is its own successor. The [rank](../glossary.md#rank) of an element is its distance from the last
# one. To find all ranks, we walk along the list and write down the order, and then count from the end.

# %%
successors = [11, 10, 9, 6, 0, 8, 6, 2, 1, 4, 3, 5]
HEAD = 7


def walk(first):
    """Return the elements from here to the last one, in the order of the list."""
    way = [first]
    while successors[way[-1]] != way[-1]:
        way.append(successors[way[-1]])
    return way


order = walk(HEAD)
ranks = [0] * 12
for rank, j in enumerate(reversed(order)):
    ranks[j] = rank
print("the list ", *order)
print("the ranks", *(ranks[j] for j in order))

# %% [markdown]
# One walker needs 12 steps for 12 elements. It is not clear how more walkers could help: the list must be
# walked to find out where it goes.
#
# ## Everybody jumps
#
# In 1979 J. C. Wylie described another way. Each element has a worker. The worker holds a *pointer* to a
# later element, at first the successor, and the *distance* to it. In a round, each worker looks at the
# element it points to. It adds that element's distance to its own, and points to where that element points.
# This is the [jump](../glossary.md#pointer-jumping) of page 1, with a distance carried along.

# %%
pointers = list(successors)
distances = [int(successors[j] != j) for j in range(12)]
frames = [Frame("at first", pointers, notes=distances)]
while pointers != [pointers[HEAD]] * 12:
    distances, pointers = (
        [distances[j] + distances[pointers[j]] for j in range(12)],
        [pointers[pointers[j]] for j in range(12)],
    )
    frames.append(Frame(f"after round {len(frames)}", pointers, notes=distances))
Drawing(frames=frames, successors=successors).save("jumps.svg")
print("distances", *distances)
rounds = len(frames) - 1

# %% [markdown]
# The number below an element is its distance to the element that it points to. The pointers span 1, 2, 4 and
# 8 elements. After four rounds, all 12 lead to the end.
#
# **Question 1.** How many rounds would a list of a million elements take, and how many jumps is that?
#
# ??? success "Answer"
#
#     Twenty rounds, because 2 to the power of 20 is a little over a million. In each of them a million
#     workers jump, which makes 20 million jumps. One walker takes one million steps.
#
# So with very many workers this is fast. But the total work is twenty times as much.
#
# ## Two splitters, by hand
#
# The method that is used today combines the best of both. Some elements are chosen as
# [splitters](../glossary.md#splitter). Each splitter has a walker, which walks until it meets another
# splitter or the end. So all the walkers walk at the same time, each along its own part of the list. We take
# two: the first element, 7, because the list begins there, and the element 11.

# %%
splitters = [7, 11]
owner, steps, met = {}, {}, {}
for s in splitters:
    j, count = s, 0
    while True:
        owner[j], steps[j] = s, count
        if successors[j] == j:
            break  # the end of the list
        j, count = successors[j], count + 1
        if j in splitters:
            break
    met[s] = count
    print(f"from {s} it is {count} steps to {j}")

notes = [f"{owner[j]}+{steps[j]}" for j in range(12)]
walked = Frame("each splitter has walked", [owner[j] for j in range(12)], notes=notes, marked=splitters)
Drawing(frames=[walked], successors=successors).save("splitters.svg")

# %% [markdown]
# Splitters are drawn as squares. Here an arrow leads from an element to the splitter that has walked over it,
# its *owner*. The note `7+3` means that it took three steps from the splitter 7 to get here. Now find the
# ranks with a pencil.
#
# **Question 2.** What are the ranks of the two splitters?
#
# ??? success "Answer"
#
#     Begin with the later one, 11. From there it is 6 steps to the end, so its rank is 6. From 7 it is 5
#     steps to 11, and 6 more to the end. So its rank is 11.
#
# **Question 3.** The element 9 has the note `7+2`. What is its rank?
#
# ??? success "Answer"
#
#     The splitter 7 has rank 11, and 9 is two steps nearer to the end: 11 - 2 = 9.
#
# So there are three steps. Walk from all splitters at once; rank the short list of splitters, for example by
# jumping; and let each element subtract its steps from its splitter's rank. (In the program, the first and
# the last element of each list are splitters, too. So every walk ends at one.)

# %%
splitter_rank = {11: met[11]}
splitter_rank[7] = met[7] + splitter_rank[11]
by_splitters = [splitter_rank[owner[j]] - steps[j] for j in range(12)]
print("ranks of the splitters", splitter_rank)
ranked = Frame("the ranks", [order[-1]] * 12, notes=by_splitters, marked=splitters)
Drawing(frames=[ranked], successors=successors).save("ranks.svg")

# %% [markdown]
# Which elements are good splitters if the order of the list is not known? We choose them at *random*. They
# cut the list into parts, few of which are much longer than the others. We let the machine count the reads
# and writes per element in the references of both methods. It also notes the longest walk from a splitter.
# There are 64 splitters.


# %%
def note(step, arrays):
    """When the walks are over, note the longest."""
    if step == "RS3":
        longest.append(max(arrays["sprank"]))


longest, accesses = [], []
print("elements  jumping  splitters  longest walk")
for n in (256, 1024, 4096):
    elements = pj.generate(f"list:length={n},seed=1")
    for method in (wylie, random_splitter):
        with Machine(after_phase=note) as machine:
            method(elements)
        accesses.append((machine.reads.total() + machine.writes.total()) / n)
    print(f"{n:8}  {accesses[-2]:7.1f}  {accesses[-1]:9.1f}  {longest[-1]:12}")

# %% [markdown]
# Per element, jumping costs more as the list grows. Splitters cost less, because the jumping among 64
# splitters is always the same amount of work. Parts differ in length: with 1,024 elements, a part has 16
# elements on average. The longest part in this run has 147 (20 other seeds gave 46 to 110). Still, in the
# longest of these lists, no walker takes more than a small fraction of the 4,096 steps.
#
# ## A use for it: trees
#
# Here is a tree, given by the parent of each vertex. How deep is each vertex, and how many vertices are in
# its *subtree*, which is the vertex and everything below it? You could walk up, or use recursion. Both are
# slow on a GPU if the tree is deep. But a tree can be turned into a list.

# %%
parents = np.array([0, 0, 0, 1, 1, 2, 4])
tree = pj.Graph.from_edges(range(1, 7), parents[1:])
places = [(2, 3), (1, 2), (3, 2), (0, 1), (2, 1), (3, 1), (2, 0)]
Drawing(frames=[Frame("the parents", parents)], graph=tree, layout="plane", positions=places).save("tree.svg")

# %% [markdown]
# Walk around the tree, with your left hand always on it. You go down into each vertex once, and back up out
# of it once. This walk is called an [Euler tour](../glossary.md#euler-tour). Each step becomes an element of
# a list: `2 * v` is the step down into v, and `2 * v + 1` the step up out of v. The tour begins with the step
# into the root, and ends with the step out of it.
#
# For each step, the step that follows it can be found without walking. After a step down into v comes the
# step down into its first child, or, if there is none, the step up again. After a step up out of v comes the
# step down into its next sibling or, if there is none, the step up out of the parent.


# %%
def euler_tour(parents):
    """Return the successor of each step of the tour."""
    v = np.arange(len(parents))
    down, up = 2 * v, 2 * v + 1
    after = np.empty(2 * len(parents), np.int64)
    after[down] = up  # if there is no child
    after[up] = up[parents]  # if there is no next sibling; out of the root: the end
    children = v[parents != v]
    children = children[np.argsort(parents[children], kind="stable")]  # siblings side by side
    with_children, first = np.unique(parents[children], return_index=True)
    after[down[with_children]] = down[children[first]]
    has_next = parents[children[:-1]] == parents[children[1:]]
    after[up[children[:-1][has_next]]] = down[children[1:][has_next]]
    return after


tour = euler_tour(parents)
step = 0
names = ["down 0"]
while tour[step] != step:
    step = tour[step]
    names.append(f"{'up' if step % 2 else 'down'} {step // 2}")
print(", ".join(names[:7]), ", ".join(names[7:]), sep=",\n")

# %% [markdown]
# [`pj.list_scan`](../algorithms/list-scan.md) adds numbers up along a list: it gives each element the sum of
# the values from the first element up to it. It uses splitters as above, with sums in place of steps. Only
# the jumps among splitters go in the other direction, from each splitter to the one before it: a sum depends
# on what came before.
#
# - **Depths.** Let each step down count +1 and each step up -1. The sum at the step into v is the level of v,
#   where the root is at level 1. So subtract 1.
# - **Sizes.** Let only steps down count. Between the step into v and the step out of it, you go down once
#   into each other vertex of its subtree.


# %%
def depths_and_sizes(parents):
    """Return how deep each vertex lies, and how many vertices are in its subtree."""
    tour = euler_tour(parents)
    n = len(parents)
    level = pj.list_scan(tour, np.tile([1, -1], n))
    downs = pj.list_scan(tour, np.tile([1, 0], n))
    return level[0::2] - 1, downs[1::2] - downs[0::2] + 1


values = np.tile([1, -1], 7), np.tile([1, 0], 7)
levels, downs = (pj.list_scan(tour, each) for each in values)
print("step    level  downs")
for name in names:
    way, v = name.split()
    step = 2 * int(v) + (way == "up")
    print(f"{name:8} {levels[step]:4} {downs[step]:6}")

depths, sizes = depths_and_sizes(parents)
print("vertex", *range(7))
print("depth ", *depths)
print("size  ", *sizes)

# %% [markdown]
# **Question 4.** At the step down into 4, the sum of the downs is 4, and at the step up out of 4 it is 5.
# Which vertices are in the subtree of 4?
#
# ??? success "Answer"
#
#     5 - 4 + 1 = 2 vertices: 4 itself and 6. In the tour, the only step down between these two is the step
#     into 6.
#
# Is this right? A plain recursion gives the same answer. Then comes a random tree with 100,000 vertices, on
# your computer's cores or its GPU.


# %%
def recursively(v, depth, parents):
    """Yield vertex, depth and subtree size of v and of everything below it; v itself comes last."""
    size = 1
    for child in range(len(parents)):
        if parents[child] == v != child:
            for found in recursively(child, depth + 1, parents):
                yield found
            size += found[2]
    yield v, depth, size


by_recursion = sorted(recursively(0, 0, parents))

draws = np.random.default_rng(5)
large = np.array([0, *(draws.integers(v) for v in range(1, 100_000))])  # each parent is a smaller vertex
large_depths, large_sizes = depths_and_sizes(large)
print(f"the deepest vertex lies {large_depths.max()} levels below the root")
print(f"the root's subtree has {large_sizes[0]:,} vertices, the next largest {np.sort(large_sizes)[-2]:,}")

expected_depths, expected_sizes = [0] * len(large), [1] * len(large)
for v in range(1, len(large)):
    expected_depths[v] = expected_depths[large[v]] + 1
for v in reversed(range(1, len(large))):
    expected_sizes[large[v]] += expected_sizes[v]

# %% [markdown]
# A single call does all of this. Another call takes the edges of the forest: see [Trees](../trees.md).

# %%
rooted = pj.RootedForest.from_parents(large)
print("from vertex 99,998 to vertex 99,999 the way is", *rooted.path(99_998, 99_999)[:6], "...")

# %% [markdown]
# ## What we have shown

# %%
assert rounds == 4
assert ranks == distances == by_splitters == pj.list_rank(successors).tolist(), "three ways, one answer"
assert accesses[0] < accesses[2] < accesses[4], "jumping costs more for each element as lists grow"
assert accesses[1] > accesses[3] > accesses[5], "splitters do not"
assert longest[-1] < 4096 / 8, "no walk is very long"
assert by_recursion == [(v, depths[v], sizes[v]) for v in range(7)], "as the recursion says"
assert large_depths.tolist() == expected_depths
assert large_sizes.tolist() == expected_sizes
assert rooted.depth.tolist() == expected_depths
assert rooted.size.tolist() == expected_sizes

# %% [markdown]
# Next: [bridges hold big clusters](learn_6_bridges.md). Or: [which algorithm when](../which.md), the [page of
# each algorithm](../algorithms/index.md), and the [glossary](../glossary.md). More on this page's algorithms:
# [Wylie's](../algorithms/wylie.md), [random splitters](../algorithms/random-splitter.md), [list
# scan](../algorithms/list-scan.md) and [Euler tours](../algorithms/euler-tour.md). The first two are compared
# in [Dehne and Yogaratnam's paper](../papers/dehne.md).
