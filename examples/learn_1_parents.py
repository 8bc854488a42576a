# %% [markdown]
# # Learn 1: what a parent array is
#
# This is the first of six pages on how computers find out what is connected. You need to know Python, and
# what a graph is: *vertices*, numbered from 0, and *edges*, each of which joins two of them. Each page takes
# about ten minutes.
#
# Every page is a script in the folder `examples/` of the repository. To run a script, install the package
# there with `pip install '.[cpu]'`, or with `pip install .` if your GPU has a driver. Run the script in an
# empty folder: it writes its pictures there. Before you open an answer, try to find it yourself.

# %%
from pathlib import Path

import pointerjump as pj
from pointerjump.draw import Drawing, Frame, picture

# %% [markdown]
# ## The question
#
# Here is a graph with ten vertices and eight edges.

# %%
edges = [(0, 5), (3, 8), (1, 6), (5, 3), (2, 7), (4, 7), (8, 1), (6, 0)]
sources, targets = zip(*edges, strict=True)
graph = pj.Graph.from_edges(sources, targets, vertices=10)
Path("graph.svg").write_text(picture(graph))

# %% [markdown]
# Two vertices are *connected* if you can walk from one to the other along edges. A
# [component](../glossary.md#component) is a set of vertices that are all connected to one another, and to no
# other vertex. What are the components of this graph?
#
# ??? success "Answer"
#
#     There are three: {0, 1, 3, 5, 6, 8}, {2, 4, 7} and {9}. Vertex 9 has no edges. It is a component by
#     itself.
#
# You can see that in the picture. A program sees no picture, only a list of edges, which may contain a
# billion edges. How can it tell?
#
# ## An array of parents
#
# We give every component a name: one of its own vertices, the
# [representative](../glossary.md#representative). Then two vertices are connected if and only if they have
# the same representative.
#
# To find it, we use one array of numbers. `parent[v]` is a vertex in the same component as `v`, called the
# [parent](../glossary.md#parent) of `v`. A vertex that is its own parent is a [root](../glossary.md#root).
# From any vertex we follow the parents until we reach a root. This walk is called *find*, and the root where
# it ends is the representative. A root and all vertices whose walks end there form a
# [tree](../glossary.md#tree-forest).

# %%
parent = list(range(10))


def find(v):
    """Follow the parents from v to the root."""
    while parent[v] != v:
        v = parent[v]
    return v


print("vertex", *range(10))
print("parent", *parent)

# %% [markdown]
# At first no edge is known, so every vertex is its own parent: ten roots, ten trees.
#
# ## Edge by edge
#
# Now we take the edges one after the other. The two ends of an edge are connected, so they belong in one
# tree. We find both roots. If the roots differ, we make the smaller one the parent of the larger one. We say
# that the larger root is [hooked](../glossary.md#hook) under the smaller one. If the roots are the same,
# there is nothing to do: we already knew that the two ends are connected.


# %%
def join(u, v):
    """Put the ends of an edge in one tree; return whether they were in two."""
    a, b = find(u), find(v)
    if a == b:
        return False
    parent[max(a, b)] = min(a, b)
    return True


frames = []
hooks = 0
for u, v in edges:
    hooked = join(u, v)
    hooks += hooked
    print(f"{u}-{v}", "hook:    " if hooked else "no change", "parents", *parent)
    frames.append(Frame(f"after the edge {u}-{v}", tuple(parent), chosen=((u, v),)))
Drawing(frames=frames, graph=graph, layout="plane").save("by_hand.svg")

# %% [markdown]
# In each picture the arrow from a vertex leads to its parent. A root has no arrow, and a thick ring. An
# orange arrow is new. The edge that has just been processed is thick. Vertices with the same color are in the
# same tree.
#
# **Question 1.** The edge 8-1 changed the parent of 1, and not the parent of 8. Why?
#
# ??? success "Answer"
#
#     Only roots are hooked. The walk from 8 goes to 3 and on to 0, which is the root. The walk from 1 ends at
#     once: 1 is a root. So 1 is hooked under 0. If we had changed the parent of 8 instead, 8 would have left
#     its tree, and 1 would never have met 0.
#
# **Question 2.** The last edge, 6-0, changed nothing. What does that say about the graph?
#
# ??? success "Answer"
#
#     6 and 0 were already connected without this edge. So the edge closes a cycle: 0, 5, 3, 8, 1, 6 and back
#     to 0.
#
# **Question 3.** There were ten roots at first. How many are there now, and how many edges have hooked a
# root?
#
# ??? success "Answer"
#
#     Three roots are left: 0, 2 and 9, one for each component. Every hook removes one root. Seven edges have
#     hooked a root, and 10 - 7 = 3.
#
# We always hook the larger root under the smaller one. So the numbers get smaller along every walk, and the
# representative is the smallest vertex of its component.

# %%
print("vertex        ", *range(10))
print("representative", *(find(v) for v in range(10)))

# %% [markdown]
# ## Long walks, and how to shorten them
#
# This method is called [union-find](../algorithms/union-find.md). Its trees can get deep. Take the path
# 0-1-2-...-9, and join its edges from the far end: 8-9 first, then 7-8, and so on.

# %%
path = pj.Graph.from_edges(list(range(9)), list(range(1, 10)))
parent = list(range(10))
for v in reversed(range(9)):
    join(v, v + 1)
frames = [Frame("after the last edge", tuple(parent))]
print("parents", *parent)

# %% [markdown]
# From 9 it takes nine steps to the root. In a graph with a million vertices, it might take a million steps
# for each vertex.
#
# There is a remedy, and it is one line of code: *make your parent's parent your own parent*. We say that a
# vertex [jumps](../glossary.md#pointer-jumping), or takes a [shortcut](../glossary.md#shortcut). This is
# always allowed, because your parent's parent is in your tree, too. If every vertex does it once, from 9 down
# to 0, all walks are half as long:


# %%
def steps(v):
    """Count the steps from v to its root."""
    return 0 if parent[v] == v else 1 + steps(parent[v])


longest = [max(steps(v) for v in range(10))]
while longest[-1] > 1:
    for v in reversed(range(10)):
        parent[v] = parent[parent[v]]
    longest.append(max(steps(v) for v in range(10)))
    frames.append(Frame(f"after jump {len(frames)}", tuple(parent)))
    print("parents", *parent, "- longest walk", longest[-1])
Drawing(frames=frames, graph=path, layout="line").save("jumps.svg")

# %% [markdown]
# The longest walk was 9 steps, then 5, 3, 2 and 1.
#
# **Question 4.** How many such jumps would a walk of a million steps need?
#
# ??? success "Answer"
#
#     Twenty. Halving a million twenty times gives about one. In general, a walk of n steps takes about
#     log2(n) jumps.
#
# That is pointer jumping. The whole package is built on this idea: hook to join trees, jump to keep them
# flat.
#
# ## The same, with one call
#
# For a graph of your own you need none of this code. `pj.components` does the work on all the cores of your
# computer, or on its GPU.

# %%
c = pj.components(graph, labels="representative")
print(c.count, "components; representatives", *c.labels)

# %% [markdown]
# ## What we have shown

# %%
assert hooks == 7
assert c.count == 10 - hooks, "each hook makes one tree out of two"
assert c.labels.tolist() == [0, 0, 2, 0, 2, 0, 0, 2, 0, 9], "the smallest vertex of each component"
assert longest == [9, 5, 3, 2, 1], "jumping halves the walks"
assert parent == [0] * 10, "in the end all point to the root"

# %% [markdown]
# Next: [all edges at once](learn_2_rounds.md), which is what a GPU needs. More on this method: [its
# page](../algorithms/union-find.md), with all its variants. R. E. Tarjan analyzed it in "Efficiency of a good
# but not linear set union algorithm", Journal of the ACM 22, 1975.
