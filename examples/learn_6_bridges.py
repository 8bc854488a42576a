# %% [markdown]
# # Learn 6: why over-merged clusters are held together by bridges
#
# Records of the same person are found by comparing pairs: each pair that is similar enough is an edge, and
# the connected components are the clusters. One wrong pair is enough to merge two people. This page shows
# what such a pair looks like, how to find it, and how to find the rows that joined two records.

# %%
import numpy as np
import pyarrow as pa

import pointerjump as pj
from pointerjump.draw import Drawing, Frame

# %% [markdown]
# ## Two people, and one row too many
#
# Ann has four records, Bob has three. Nearly all pairs of one person's records are similar, because they
# share a name, an address or a phone number. But one row joins a record of Ann's with one of Bob's, because
# they live in the same house.

# %%
left = ["ann 1", "ann 1", "ann 2", "ann 3", "bob 1", "bob 1", "bob 2", "ann 4"]
right = ["ann 2", "ann 3", "ann 4", "ann 4", "bob 2", "bob 3", "bob 3", "bob 1"]
score = [0.97, 0.94, 0.91, 0.95, 0.96, 0.92, 0.99, 0.93]
pairs = pa.table({"left": left, "right": right, "score": score})
clusters = pj.components(pairs)
print(clusters.count, "cluster of", clusters.vertices, "records")

# %% [markdown]
# No threshold would help: the wrong row has a higher score than two of the right ones. But the wrong row
# looks different in a picture. Each person's records are connected in more than one way. The two people are
# connected by a single edge. Without it, the cluster falls in two. Such an edge is a *bridge*.

# %%
ids = clusters.ids.to_pylist()
number = {id: v for v, id in enumerate(ids)}
edges = [(number[one], number[other]) for one, other in zip(left, right, strict=True)]
graph = pj.Graph.from_edges(edges)
kept = pj.two_edge_connected_components(graph)
smallest = np.unique(kept.labels, return_index=True)[1][kept.labels]
frame = Frame("thick: a bridge", smallest.tolist(), chosen=pj.bridges(graph).tolist())
Drawing([frame], graph=graph).save("bridge.svg")

# %% [markdown]
# One thick edge holds the seven records of two people together.
#
# **Question 1.** Why is an edge a bridge exactly when it lies on no cycle?
#
# ??? success "Answer"
#
#     If an edge lies on a cycle, the rest of the cycle is a detour, so nothing falls apart without the edge.
#     If its ends stay connected without it, the edge and that detour form a cycle.
#
# ## Ask the rows
#
# For a table, [`pj.bridges`](../biconnectivity.md) returns the rows that are bridges. You can ask the
# clusters, too: `weak_links` returns a cluster's bridges with the number of records on either side, and `why`
# returns the rows that join two records.

# %%
weak = clusters.weak_links("ann 1")
for row in weak.to_pylist():
    print(row)

way = clusters.why("ann 1", "bob 3").to_pylist()
print(*(f"{row['left']} - {row['right']}" for row in way), sep=", ")

# %% [markdown]
# A bridge is a suspect, not a culprit. The only row of a cluster of two is a bridge, and so is any row that
# alone connects a record to the others. So begin with the bridges that split a cluster into two large parts.
# Check them by hand, or ask for a second pair before you believe one.
#
# **Question 2.** What if there were two wrong rows between Ann and Bob?
#
# ??? success "Answer"
#
#     They would lie on a cycle, and neither would be a bridge. If both end in the same record, that record is
#     an *articulation point*, and `pj.articulation_points(pairs)` returns it: without it, the two would come
#     apart.
#
# ## Not only in toy examples
#
# Here are 2,000 people with up to eight records each. Nine in ten pairs of records of the same person are
# found. One pair in a hundred joins two people by mistake.

# %%
draws = np.random.default_rng(6)
person = np.repeat(np.arange(2_000), draws.integers(1, 9, 2_000))
of_person = np.split(np.arange(len(person)), np.flatnonzero(np.diff(person)) + 1)
right_pairs = [(u, v) for records in of_person for u in records for v in records if u < v]
right_pairs = [pair for pair in right_pairs if draws.random() < 0.9]
wrong_pairs = draws.integers(0, len(person), (len(right_pairs) // 100, 2))
wrong_pairs = wrong_pairs[person[wrong_pairs[:, 0]] != person[wrong_pairs[:, 1]]]
u, v = np.concatenate([right_pairs, wrong_pairs]).T
is_wrong = np.arange(len(u)) >= len(right_pairs)
rows = pa.table({"left": u, "right": v, "wrong": is_wrong})

found = pj.bridges(rows)
right_bridges, wrong_bridges = (found["wrong"].to_pylist().count(which) for which in (False, True))
print(f"{len(rows):,} rows, of which {is_wrong.sum()} join two people")
print(f"{len(found)} bridges: {wrong_bridges} of the wrong rows, and {right_bridges} of the right ones")

# %% [markdown]
# All wrong rows are bridges here, but only a few of the right ones are. Looking at the bridges alone means
# looking at one row in thirty.
#
# **Question 3.** Which of the right rows are bridges?
#
# ??? success "Answer"
#
#     The only row of a person with two records is a bridge. So is any row that alone connects a record,
#     because the record's other pairs were not found.
#
# ## What we have shown

# %%
assert clusters.count == 1
assert weak.to_pylist() == [
    {"left": "ann 4", "right": "bob 1", "score": 0.93, "left_size": 4, "right_size": 3}
]
assert min(score) < 0.93, "no threshold finds it"
assert {"left": "ann 4", "right": "bob 1", "score": 0.93} in way, "every way leads over the bridge"
assert wrong_bridges == is_wrong.sum(), "all wrong rows are bridges"
assert len(found) < len(rows) / 30, "which are few"
is_bridge = np.isin(u * len(person) + v, np.array(found["left"]) * len(person) + np.array(found["right"]))
rest = pj.components((u[~is_bridge], v[~is_bridge]), vertices=len(person)).count
whole = pj.components((u, v), vertices=len(person)).count
assert rest == whole + len(found), "each bridge alone parts a cluster"

# %% [markdown]
# More: [bridges and blocks](../biconnectivity.md), also for tables larger than memory; [clusters at many
# thresholds](../spanning_forests.md); and how [marking](../algorithms/marking.md) finds bridges.
