# %% [markdown]
# # Learn 4: races that do no harm
#
# When thousands of workers read and write one array at the same time, they get in each other's way. Most
# programs must not let this happen. Pointer jumping mostly lets it happen, and its results are still right.
# This page shows why, and what happens to a program that is a little too careless.

# %%
from collections import Counter

import pointerjump as pj
from pointerjump.draw import Drawing, Frame
from pointerjump.reference.machine import Machine
from pointerjump.reference.vocabulary import compare_and_swap, in_parallel, shared

# %% [markdown]
# ## A race
#
# If one worker writes a cell while another one reads or writes it, the result may depend on which of them
# comes first. That is a *race*. Here eight workers count visitors. Each reads the counter, adds 1, and writes
# it back.
#
# `in_parallel` marks a loop whose steps may be taken by many workers at once, and `shared` marks an array
# that all of them see. On a real computer we could not repeat a race: it may end differently each time. The
# `Machine` of [page 2](learn_2_rounds.md) can repeat it. It takes the steps in any `order`, and with
# `stale=True` a worker may read an old value: one that the cell held earlier in the same loop, before another
# worker changed it. That is a [stale read](../glossary.md#stale-read). The `seed` says which reads are stale,
# and the same seed always gives the same run.


# %%
def count_visitors():
    """Let eight workers add 1 to a counter."""
    counter = shared("counter", [0])
    for _ in in_parallel(range(8)):
        counter[0] = counter[0] + 1
    return next(iter(counter))


def results(program, runs=100, **machine):
    """Run a program many times, each time with a different seed; return how often each result occurred."""
    found = Counter()
    for seed in range(runs):
        with Machine(**machine, seed=seed):
            found[program()] += 1
    return dict(sorted(found.items()))


in_order = results(count_visitors)
with_stale = results(count_visitors, stale=True)
print("no stale reads:", in_order)
print("stale reads:   ", with_stale)

# %% [markdown]
# With stale reads the counter is wrong in all these runs. If two workers both read 3, both write 4, and one
# visitor is lost.
#
# **Question 1.** What is the smallest number that eight workers can end with?
#
# ??? success "Answer"
#
#     One. All eight read 0, and all write 1.
#
# ## A race that does no harm
#
# Now a tree. Its vertices form a path: the [parent](../glossary.md#parent) of each is the one before it, and
# 0 is the [root](../glossary.md#root). Each vertex should point directly to the root. So it
# [jumps](../glossary.md#pointer-jumping), that is, takes its parent's parent as its parent, until its parent
# is a root.
#
# While a vertex reads its parent's parent, the parent may be jumping, too. That is a race. We try three
# orders, without stale reads and with them, a hundred runs each.

# %%
PATH = [0, 0, 1, 2, 3, 4, 5, 6, 7, 8]


def jump_to_root():
    """Let each vertex jump until its parent is a root."""
    parent = shared("parent", PATH)
    for v in in_parallel(range(10)):
        up = parent[v]
        while (above := parent[up]) != up:
            parent[v] = up = above
    return tuple(parent)


def right_runs(program, answer):
    """Print in how many of 100 runs a program gives this answer, for each order; return these numbers."""
    counts = []
    for order in ("forward", "reverse", "random"):
        for stale in (False, True):
            counts.append(results(program, order=order, stale=stale).get(answer, 0))
        print(f"{order:7} order: right in {counts[-2]:3} of 100 runs; with stale reads, in {counts[-1]:3}")
    return counts


FLAT = (0,) * 10
to_root = right_runs(jump_to_root, FLAT)

# %% [markdown]
# It is always right. A race that cannot change the answer is called a [benign
# race](../glossary.md#benign-race).
#
# **Why is it benign?** Look at what `parent[5]` may hold during the loop: first 4, later perhaps 2, and 0 in
# the end. Two things are true of all these values.
#
# 1. *Each one is an ancestor of 5*: a vertex on the way from 5 to its root. A jump replaces an ancestor by
#    that ancestor's parent, so no vertex ever leaves the tree.
# 2. *They only get smaller.* An old value is just a vertex further from the root. Reading it costs more
#    steps, but the way from there leads to the same root.
#
# And no vertex stops before it has seen a root. We let the machine check every write, and count the reads in
# each run.


# %%
def check(array, at, old, new):
    """Fail if a write does not replace an ancestor with one that is closer to the root."""
    assert new in range(old), "it is smaller, and on this path all smaller vertices are ancestors"


reads = []
for seed in range(100):
    with Machine("random", stale=True, seed=seed, on_write=check) as machine:
        jump_to_root()
    reads.append(machine.reads.total())
print("between", min(reads), "and", max(reads), "reads, and each write was of an ancestor")

# %% [markdown]
# ## A careless program
#
# A programmer has noticed that one jump for each vertex seems to be enough. In the order 0, 1, 2, ... the
# parent is smaller and has already had its turn. So it points to the root. The loop becomes a single line:


# %%
def jump_once():
    """Let each vertex jump once, and hope."""
    parent = shared("parent", PATH)
    for v in in_parallel(range(10)):
        parent[v] = parent[parent[v]]
    return tuple(parent)


once = right_runs(jump_once, FLAT)

# %% [markdown]
# It passes its test on the programmer's computer, where the order is forward and nothing is stale. It fails
# nearly everywhere else. Here is what three runs make of the path. The colors of the arrows have no meaning
# here.

# %%
frames = []
for title, machine in {
    "forward": Machine(),
    "reverse": Machine("reverse"),
    "forward, with stale reads": Machine(stale=True, seed=1),
}.items():
    with machine:
        frames.append(Frame(title, jump_once()))
path = pj.Graph.from_edges(range(9), range(1, 10))
Drawing(frames=frames, graph=path, layout="line").save("once.svg")

# %% [markdown]
# **Question 2.** Is any vertex in the wrong tree in these pictures?
#
# ??? success "Answer"
#
#     No. All arrows lead to the root in the end, because each value is a true ancestor. The only mistake is
#     that the vertices stop too early. The reads are as harmless as before. But the program relied on one
#     order.
#
# ## A race that does harm
#
# Now we [hook](../glossary.md#hook). Each edge finds the roots of its two ends, and writes the smaller root
# as the parent of the larger one. The graph is that of the first three pages.

# %%
EDGES = [(0, 5), (3, 8), (1, 6), (5, 3), (2, 7), (4, 7), (8, 1), (6, 0)]
ANSWER = (0, 0, 2, 0, 2, 0, 0, 2, 0, 9)


def find(v, parent):
    """Follow the parents from v to the root."""
    while (up := parent[v]) != v:
        v = up
    return v


def components(hook):
    """Hook along every edge; return each vertex's representative after that."""
    parent = shared("parent", range(10))
    for u, v in in_parallel(EDGES):
        hook(find(u, parent), find(v, parent), parent)
    after = list(parent)
    return tuple(find(v, after) for v in range(10))


def hook_by_writing(a, b, parent):
    """Write the smaller root into the larger one."""
    if a != b:
        parent[max(a, b)] = min(a, b)


by_writing = right_runs(lambda: components(hook_by_writing), ANSWER)

# %% [markdown]
# Without stale reads, the result is right in any order; with them, it is wrong in four runs out of five. So
# no test without stale reads would have found this mistake. Let us look at one such run, write by write.


# %%
def tell(array, at, old, new):
    """Print each write, and keep the parents after it for a picture."""
    lost = " <- it was not a root any more" if old != at else ""
    print(f"parent[{at}] was {old}, is now {new}{lost}")
    frames.append(
        Frame(f"{at} points to {new}", (*array[:at], new, *array[at + 1 :]), marked=[at] if lost else [])
    )


frames = []
with Machine(stale=True, seed=1, on_write=tell):
    wrong = components(hook_by_writing)
print("found", *wrong)
sources, targets = zip(*EDGES, strict=True)
graph = pj.Graph.from_edges(sources, targets, vertices=10)
Drawing(frames=frames, graph=graph, layout="plane").save("lost.svg")

# %% [markdown]
# A vertex drawn as a square has been hooked twice. The second worker had read an old value, in which this
# vertex was still a root. So it overwrote the first worker's hook.
#
# **Question 3.** The stale read was harmless when vertices jumped. What is different here?
#
# ??? success "Answer"
#
#     A jump replaces an ancestor by another ancestor. So no matter what is overwritten, the vertex stays in
#     its tree. This hook replaces an ancestor by a vertex of *another* tree. The vertex, and everything below
#     it, leaves the tree that it was in. The edge that had joined the two trees is never looked at again.
#
# ## Two ways to make it right
#
# **Compare-and-swap.** It writes only if the root is still a root, and otherwise says what is there now
# ([page 3](learn_3_sampling.md)). It never sees an old value. So a stale read only costs another attempt, and
# no hook is lost. ECL-CC and Afforest use it.
#
# **Once more.** Alternatively, we let hooks get lost. As long as any edge finds two roots, all edges are
# looked at again. A new loop sees everything that was written in the loop before. So an edge whose hook was
# lost finds two roots again. No compare-and-swap is needed. ECLaf, a relative of ECL-CC, does this.


# %%
def hook_by_swapping(a, b, parent):
    """Hook the larger root under the smaller, if it still is one; otherwise continue with what is there."""
    while a != b:
        larger, smaller = max(a, b), min(a, b)
        seen = compare_and_swap(parent, larger, larger, smaller)
        if seen == larger:
            return
        a, b = seen, smaller


def components_once_more():
    """Hook by writing, until no edge finds two roots."""
    parent = shared("parent", range(10))
    again = True
    while again:
        again = False
        for u, v in in_parallel(EDGES):
            a, b = find(u, parent), find(v, parent)
            if a != b:
                parent[max(a, b)] = min(a, b)
                again = True
    after = list(parent)
    return tuple(find(v, after) for v in range(10))


print("compare-and-swap")
by_swapping = right_runs(lambda: components(hook_by_swapping), ANSWER)
print("once more")
once_more = right_runs(components_once_more, ANSWER)

# %% [markdown]
# **Question 4.** What would happen to the counter of visitors if each worker wrote by compare-and-swap, and
# tried again whenever it failed?
#
# ??? success "Answer"
#
#     It would always end at 8. A worker that has read an old 3 finds a 4 in the counter, writes nothing, and
#     continues from 4.
#
# The tests of this package run every reference in all these orders, with stale reads. They also compile the
# GPU programs in a way that makes all plain reads stale.
#
# ## What we have shown

# %%
assert in_order == {8: 100}
assert max(with_stale) < 8, "a counter loses visitors"
assert to_root == [100] * 6, "jumping until the root is always right"
assert min(reads) < max(reads), "though no two runs need be the same"
assert once[0] == 100
assert max(once[1:]) < 10, "jumping once is right in one order only"
assert by_writing[0::2] == [100] * 3
assert max(by_writing[1::2]) < 30, "only stale reads reveal a lost hook"
assert wrong != ANSWER
assert by_swapping == once_more == [100] * 6, "both repairs are always right"

# %% [markdown]
# Next: [lists](learn_5_lists.md), in which everything jumps and nothing is hooked. More: the pages of
# [ECLaf](../algorithms/eclaf.md), which is from J. Jaiganesh's [thesis](../papers/thesis.md), and of
# [ECL-CC](../algorithms/ecl-cc.md). [Afforest's paper](../papers/afforest.md) proves that workers may run at
# the same time (lemmas 1 to 5). The proof uses one invariant: no vertex is smaller than its parent. The notes
# on [its page](../algorithms/afforest.md) say why stale reads do no harm.
