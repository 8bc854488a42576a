# %% [markdown]
# # Islands of a road map
#
# A storm has closed many roads. Between which places can you still drive? Places that can reach one another
# form an island, which is a connected component of the map.

# %%
import numpy as np

import pointerjump as pj

# %% [markdown]
# ## The map
#
# The map is a grid of 200 by 300 crossings, with a road between any two neighbors. After the storm, half of
# the roads are open: `keep` is the probability that a road is open. Every function that takes a graph also
# takes such a spec, or the path to a file, such as a road network in DIMACS format. Here we will need the
# roads themselves, so we make the graph first.

# %%
ROWS, COLUMNS = 200, 300
graph = pj.generate(f"grid2d:rows={ROWS},columns={COLUMNS},keep=0.5,seed=4")
c = pj.components(graph)
print(c)

# %% [markdown]
# ## The largest islands
#
# Islands are numbered from 0, and `sizes` says how many crossings each has. Most are tiny.

# %%
in_order = np.argsort(-c.sizes, kind="stable")
for island in in_order[:5]:
    print(
        f"island {island:5}: {c.sizes[island]:6,} crossings, {c.sizes[island] / c.vertices:6.1%} of the map"
    )
print(f"cut off from every other crossing: {np.count_nonzero(c.sizes == 1):,}")

# %% [markdown]
# ## A picture
#
# Crossings are numbered row by row, so the labels can be drawn as they are. Each of the ten largest islands
# has a color, and all others are left blank. Without matplotlib, there is no picture.

# %%
color = np.full(c.count, np.nan)
color[in_order[:10]] = np.arange(10)
picture = color[c.labels].reshape(ROWS, COLUMNS)
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("no matplotlib, no picture")
else:
    plt.imsave("islands.png", np.kron(picture, np.ones((3, 3))), cmap="tab10", vmin=0, vmax=9)

# %% [markdown]
# ## How many roads may close?
#
# As more and more roads close, the map does not fall apart little by little, but all at once. If somewhat
# more than half of the roads are open, most of the map is one island. If somewhat fewer are open, there is no
# large island any more. In physics this is called *percolation*.

# %%
shares = {}
for percent in (70, 60, 55, 50, 45, 40, 30):
    storm = pj.components(f"grid2d:rows={ROWS},columns={COLUMNS},keep={percent / 100},seed=4")
    shares[percent] = storm.sizes.max() / storm.vertices
    print(
        f"{percent}% of roads open: {storm.count:6,} islands, the largest {shares[percent]:5.1%} of the map"
    )

# %% [markdown]
# ## Which road to clear first?
#
# Clearing one road joins at most two islands. Which road makes the largest island? Every pair of neighboring
# crossings on different islands is a candidate, and we look at all of them in one go.

# %%
number = np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS)
ends = np.concatenate(
    [
        np.stack([number[:, :-1].ravel(), number[:, 1:].ravel()], axis=1),
        np.stack([number[:-1].ravel(), number[1:].ravel()], axis=1),
    ]
)
ends = ends[c.labels[ends[:, 0]] != c.labels[ends[:, 1]]]
joined = c.sizes[c.labels[ends]].sum(axis=1)
first = ends[joined.argmax()]
places = [f"({place // COLUMNS}, {place % COLUMNS})" for place in first.tolist()]
print(f"clear the road from {places[0]} to {places[1]}: then {joined.max():,} crossings are one island")

# %% [markdown]
# Is that true? A disjoint set takes many roads in one call, or one road at a time. For a single road, `merge`
# says whether it joined two islands.

# %%
roads = pj.DisjointSet(graph.vertices)
roads.merge(graph.sources, graph.neighbors)
before = roads.n_subsets
cleared = roads.merge(*first.tolist())
print(f"{before:,} islands before, {roads.n_subsets:,} after")

# %% [markdown]
# ## What we have shown

# %%
assert pj.verify(graph, c.labels) is None, "a verifier that shares no code with the algorithm agrees"
assert c.sizes.sum() == ROWS * COLUMNS
assert len(c.largest()) == c.sizes.max()
assert shares[60] > 0.9 > 0.1 > shares[40], "the map falls apart at once"
assert cleared
assert roads.n_subsets == before - 1 == c.count - 1
assert len(roads.subset(int(first[0]))) == joined.max()
