# %% [markdown]
# # Learn 3: each edge once, and most edges never
#
# On the [page before](learn_2_rounds.md) every round looked at all edges again. Two later algorithms have no
# such rounds: ECL-CC, which takes each edge once, and Afforest, which skips most edges.

# %%
from pathlib import Path

import numpy as np

import pointerjump as pj
from pointerjump.draw import Drawing, Frame, picture
from pointerjump.measure.trees import at_calls, roots
from pointerjump.reference.afforest import afforest, link
from pointerjump.reference.ecl_cc import ecl_cc
from pointerjump.reference.machine import Machine
from pointerjump.reference.vocabulary import compare_and_swap

# %% [markdown]
# ## Hooking for good
#
# Why did each edge have to be looked at again? Because two edges may hook the same
# [root](../glossary.md#root) at the same time. The later one overwrites what the earlier one wrote, and the
# earlier edge must try once more.
#
# Processors have an instruction for this, called [compare-and-swap](../glossary.md#atomic). It says: *if this
# cell still holds what I expect, write my new value; in any case, tell me what was there.* No other worker
# can intervene. Here two workers want to hook the root 3, one under 0 and the other under 1:

# %%
parent = [0, 1, 2, 3]
first = compare_and_swap(parent, 3, expected=3, new=0)
second = compare_and_swap(parent, 3, expected=3, new=1)
print("the first saw ", first, "- it was 3, so 3 is now hooked under 0")
print("the second saw", second, "- it was not 3 any more, so nothing was written")
print("parents", *parent)

# %% [markdown]
# The second worker knows that 3 has been hooked under 0. Now it only has to join 0 and 1. It tries again with
# compare-and-swap, until it has hooked a root or both sides are the same. Then its edge is done and never
# looked at again.
#
# ## ECL-CC
#
# ECL-CC has three steps.
#
# 1. **Init.** The parent of a vertex is its first smaller neighbor, or the vertex itself if there is none.
#    Neighbors are stored in ascending order here, so the first one is the smallest.
# 2. **Compute.** Each vertex takes its edges to smaller vertices. So each edge is taken once, from its larger
#    end. The [representatives](../glossary.md#representative) of both ends are found, and the larger one is
#    hooked under the smaller. The vertices on the way to a representative
#    [jump](../glossary.md#pointer-jumping).
# 3. **Finalize.** Each vertex is made to point directly to its representative.
#
# Here is the graph of the previous pages. Before you read on, draw it on paper. Do the three steps by hand,
# and take the vertices in the order 0 to 9. Write down each parent that changes.

# %%
edges = [(0, 5), (3, 8), (1, 6), (5, 3), (2, 7), (4, 7), (8, 1), (6, 0)]
sources, targets = zip(*edges, strict=True)
graph = pj.Graph.from_edges(sources, targets, vertices=10)
Path("graph.svg").write_text(picture(graph))

# %% [markdown]
# Now the reference does the same. It is serial, so it takes the vertices in ascending order, too. Many
# workers at once would take them in any order. They might write other parents on the way, but the result is
# the same. We let the machine tell us about each write that changes a parent.

# %%
frames = []


def tell(array, at, old, new):
    """Print a write that changes something, and keep the parents after it for a picture."""
    if old != new:
        step = machine.phases[-1]
        print(f"{step:8} parent[{at}] = {new}")
        after = [*array[:at], new, *array[at + 1 :]]
        frames.append(Frame(f"{step}: {at} points to {new}", tuple(after)))


with Machine(on_write=tell) as machine:
    by_ecl_cc = ecl_cc(graph)
print("found", *by_ecl_cc)
Drawing(frames=frames, graph=graph, layout="plane").save("ecl_cc.svg")

# %% [markdown]
# **Question 1.** Init has joined 5, 6, 7 and 8 with others. Which edges still hook something in the step
# *compute*, and at which vertices are they taken?
#
# ??? success "Answer"
#
#     The edge 3-5, at vertex 5: the representatives of its ends are 3 and 0, so 3 is hooked under 0. The edge
#     1-6, at vertex 6: 1 is hooked under 0. The edge 4-7, at vertex 7: 4 is hooked under 2. Each edge of the
#     graph is taken, but the others find the same representative at both ends.
#
# **Question 2.** One write in *compute* was not a hook. Which one?
#
# ??? success "Answer"
#
#     `parent[8] = 0`. Vertex 8 pointed to 1, and 1 to 0. On its walk, 8 has jumped over 1.
#
# ## Why look at all edges?
#
# Many real graphs have one component that contains most of the vertices, the *giant*, and many edges per
# vertex. A [tree](../glossary.md#tree-forest) that joins n vertices needs only n - 1 edges. Nearly all the
# others find the same representative at both ends.
#
# So Afforest *samples*. It first links every vertex with only its first two neighbors. To *link* an edge is
# to make sure that both ends are in one tree, as ECL-CC does. Let us count how many vertices of the largest
# component are then in one tree. The graph resembles a social network.

# %%
large = pj.generate("kron:scale=13,degree=16,seed=1")
sizes = pj.components(large).sizes
print(f"{large.vertices:,} vertices, {large.directed_edges:,} stored edges, giant: {sizes.max():,} vertices")


def largest_tree(step, arrays):
    """When the sampling is over, note how large the largest tree is."""
    if step == "find largest":
        trees.append(int(np.bincount(roots(arrays["pi"])).max()))


trees = []
for k in range(4):
    with Machine(counting=False, after_phase=largest_tree) as machine:
        afforest(large, neighbor_rounds=k)
    share = machine.items["link"] / large.directed_edges
    print(f"{k} neighbors of each, {share:4.1%} of the edges: {trees[-1]:6,} vertices in the largest tree")

# %% [markdown]
# An edge is *stored* twice, once at each end. Two neighbors of each vertex make up 6% of the stored edges,
# and they join the whole giant. In some graphs a few vertices are still missing after that, so the algorithm
# cannot stop here. But it can skip nearly all that is left.
#
# **Question 3.** One neighbor is not enough. Why are two so much better?
#
# ??? success "Answer"
#
#     One edge per vertex is just enough to make a tree. Many small trees stay apart, because no edge links
#     one tree to the next. If each vertex picks two edges, a tree of 20 vertices has made 40 picks. Some
#     edges were picked at both ends. But 19 edges are enough to hold the tree together. The tree stays apart
#     only if all other picks lead back into it. The larger a tree gets, the less likely it is to stay apart.
#
#     This is a plausible argument, not a proof. It could be made into one if the picks were random. But each
#     vertex picks its two smallest neighbors. The counts above show what happens.
#
# ## Which edges may be skipped?
#
# After the sampling, Afforest looks at a few random vertices. It takes the most frequent root for that of the
# giant. Then **each vertex in this one tree skips all its remaining edges**. Only the vertices outside link
# their edges. Is that right? The paper's theorem 3 says so: *the vertices of one tree may be skipped in the
# last link phase, and all edges of the graph are linked in the end*. Take an edge from a skipped vertex u to
# a vertex w.
#
# - If w is in the same tree when its turn comes, the edge joins nothing. Trees never split, so u and w stay
#   together.
# - If not, w is not skipped, because only one tree is skipped. The edge is stored at w, too, and is linked
#   there.
#
# Here is a small graph in which both cases occur.

# %%
small_edges = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (2, 6), (3, 6), (1, 7), (6, 7), (3, 8), (7, 8)]
small_edges += [(4, 5), (4, 9), (5, 9), (6, 9)]
sources, targets = zip(*small_edges, strict=True)
small = pj.Graph.from_edges(sources, targets)
rest = []


def after_sampling(step, arrays):
    """When the sampling is over, print which stored edges each vertex would still have to link."""
    if step != "find largest":
        return
    tree = roots(arrays["pi"]).tolist()
    frames.append(Frame("after two neighbors of each", tuple(arrays["pi"]), marked=(4, 5, 9)))
    for v in range(10):
        row = small.neighbors[small.offsets[v] : small.offsets[v + 1]].tolist()
        inside = tree[v] == 0
        rest.extend((v, w, inside) for w in row[2:])
        print(f"vertex {v}, tree {tree[v]}: linked {row[:2]}, {'skips' if inside else 'links'} {row[2:]}")


frames = []
with Machine(after_phase=after_sampling) as machine:
    by_afforest = afforest(small)
frames.append(Frame("at the end", tuple(by_afforest), marked=(4, 5, 9)))
Drawing(frames=frames, graph=small, layout="plane").save("skipped.svg")

# %% [markdown]
# The vertices 4, 5 and 9, drawn as squares, have their own tree after the sampling.
#
# **Question 4.** Which edge joins the two trees, and which of its two ends links it?
#
# ??? success "Answer"
#
#     The edge 6-9. Neither end has sampled it: 6 is only the third neighbor of 9, and 9 comes even later
#     among the neighbors of 6. Vertex 6 is in the large tree and skips it. Vertex 9 is outside and links it.
#     All other skipped edges stay inside the large tree.
#
# **Question 5.** Afforest only guesses which tree is the largest. What if it guesses wrong?
#
# ??? success "Answer"
#
#     The argument holds for any one tree: each of its edges stays inside or is stored at a vertex that is
#     not skipped. With a small tree the answer is still right, but fewer edges are skipped.
#
# ## When skipping would be wrong
#
# The argument needs two things: each edge is stored at both ends, and only one tree is skipped. Here is a
# star with the center 0, whose edges are stored at the center only.

# %%
one_direction = pj.Graph([0, 3, 3, 3, 3], [1, 2, 3])  # the row of 0 holds 1, 2 and 3; the others are empty
print("skipping the largest tree", *afforest(one_direction))
print("skipping nothing         ", *afforest(one_direction, skip_largest=False))
print("pj.components            ", *pj.components(one_direction, labels="representative").labels)

# %% [markdown]
# The reference takes rows as they are. `pj.components` avoids the mistake: it adds the missing direction, or
# skips nothing.
#
# **Question 6.** Why does 3 stay apart in the first line? And what would go wrong if two trees were skipped?
#
# ??? success "Answer"
#
#     Sampling links 0 with its first two neighbors, so the largest tree is {0, 1, 2}. Then 0 skips its third
#     neighbor, 3. And the row of 3 is empty, so this edge is never linked.
#
#     An edge between two skipped trees would be skipped at both its ends. The two trees would stay apart.
#
# ## How many are skipped?
#
# We count how often `link` is called, and how often a parent is read, without and with skipping. First comes
# the graph from above, then a grid of 64 by 64 vertices, which has two edges per vertex.

# %%
counts = {}
for name, example in (("kron", large), ("grid", pj.generate("grid2d:rows=64,columns=64"))):
    for skip in (False, True):
        links = []
        with Machine(counting=False), at_calls([link], lambda _, links=links: links.append(1)):
            afforest(example, skip_largest=skip)
        with Machine() as machine:
            afforest(example, skip_largest=skip)
        reads = sum(count for (_, array), count in machine.reads.items() if array == "pi")
        counts[name, skip] = len(links), reads
        title = f"{name}, {'with' if skip else 'without'} skipping"
        print(f"{title:22} {len(links):7,} links, {reads:9,} reads of a parent")

# %% [markdown]
# On the large graph, skipping saves 94% of the links, and nearly three quarters of the reads. On the grid it
# saves half of the links, because there the first two neighbors are half of all stored edges. But it saves
# next to no reads: parents are also read to find out whether a vertex may skip its edges. Sampling pays off
# if vertices have many edges and one component is large. [Which algorithm when](../which.md) says which
# algorithm suits which graph.
#
# ## What we have shown

# %%
assert (first, second, parent) == (3, 0, [0, 1, 2, 0]), "compare-and-swap writes once"
assert by_ecl_cc.tolist() == [0, 0, 2, 0, 2, 0, 0, 2, 0, 9]
assert trees[2] == sizes.max() > 2 * trees[1], "two neighbors join the giant, one does not"
assert [(v, w) for v, w, inside in rest if not inside] == [(9, 6)], "only one stored edge is not skipped"
assert (6, 9, True) in rest, "and it is skipped at its other end"
assert by_afforest.tolist() == [0] * 10, "yet all is joined"
assert afforest(one_direction).tolist() == [0, 0, 0, 3], "skipping needs both directions"
assert afforest(one_direction, skip_largest=False).tolist() == [0] * 4
assert pj.components(one_direction).count == 1
saved = {key: 1 - np.divide(counts[key, True], counts[key, False]) for key in ("kron", "grid")}
assert (saved["kron"] > (0.94, 0.73)).all(), "of links, and of reads"
assert 0.49 < saved["grid"][0] < 0.5
assert 0 < saved["grid"][1] < 0.05

# %% [markdown]
# Next: [what if workers get in each other's way](learn_4_races.md)? More on these algorithms:
# [ECL-CC](../algorithms/ecl-cc.md) and [Afforest](../algorithms/afforest.md); their papers:
# [ECL-CC](../papers/ecl-cc.md) and [Afforest](../papers/afforest.md).
