# %% [markdown]
# # Duplicates in a table of people
#
# Some people are in a table more than once, with mistakes in their names. We want one row for each person.
# There are three steps: find pairs of rows that may be the same person, group them into clusters, and keep
# one row of each cluster.
#
# Besides pointerjump, this needs pandas and Polars: `pip install pandas polars`.

# %%
from difflib import SequenceMatcher
from random import Random

import pandas as pd
import polars as pl

import pointerjump as pj

# %% [markdown]
# ## The table
#
# We make it up: 1,500 people, and 500 more rows for people who are already there, each with a typing mistake
# in the name. The column `person` says who is really in each row. We look at it only at the very end.

# %%
random = Random(7)
FIRST = ["Ada", "Alan", "Barbara", "Donald", "Edsger", "Frances", "Grace", "Jean", "John", "Leslie"]
LAST = ["Allen", "Backus", "Dijkstra", "Hamilton", "Hopper", "Knuth", "Liskov", "Lovelace", "Turing"]
TOWNS = ["Aarhus", "Bergen", "Cork", "Delft", "Essex", "Faro", "Ghent", "Huesca", "Izmir", "Jena"]


def mistyped(name):
    """Return a name in which two letters are swapped, or one is missing or typed twice."""
    at = random.randrange(1, len(name) - 2)
    middle = random.choice([name[at + 1] + name[at], name[at], name[at : at + 2] + name[at + 1]])
    return name[:at] + middle + name[at + 2 :]


rows = []
for person in range(1500):
    name = f"{random.choice(FIRST)} {random.choice(LAST)}"
    rows.append((name, random.randrange(1940, 2005), random.choice(TOWNS), person))
for _ in range(500):
    name, born, town, person = random.choice(rows)
    rows.append((mistyped(name), born, town, person))

people = pd.DataFrame(rows, columns=["name", "born", "town", "person"])
people.insert(0, "id", [f"P{number:04}" for number in range(len(people))])
print(people.tail(3).to_string(index=False))

# %% [markdown]
# ## Pairs that may be the same person
#
# Comparing all pairs of rows would take two million comparisons. So we only compare people who were born in
# the same year and live in the same town. This is called *blocking*. The score of a pair, from 0 to 1, is the
# similarity of the two names.

# %%
block = people[["id", "name", "born", "town"]]
pairs = block.merge(block, on=["born", "town"], suffixes=("_l", "_r"))
pairs = pairs[pairs["id_l"] < pairs["id_r"]]
names = zip(pairs["name_l"], pairs["name_r"], strict=True)
pairs["score"] = [SequenceMatcher(None, left, right).ratio() for left, right in names]
pairs = pairs[["id_l", "id_r", "score"]]
print(f"{len(pairs):,} pairs")
print(pairs.nlargest(3, "score").to_string(index=False))

# %% [markdown]
# ## Clusters
#
# If A is the same as B, and B is the same as C, then all three are one person, even if A and C were never
# compared. So what we want are the connected components of the pairs whose score is high enough. `nodes` adds
# the people who are in no such pair: each of them is a cluster of one.

# %%
c = pj.components(pairs, source="id_l", target="id_r", where=("score", ">=", 0.85), nodes=people["id"])
clusters = c.table()
print(c)
print(clusters.nlargest(5, "size").to_string(index=False))

# %% [markdown]
# We passed in a pandas frame, so the result is one, too. A cluster is named after its smallest id. This makes
# it easy to keep one row of each cluster: the survivors are the rows whose own id is the name of a cluster.

# %%
survivors = people[people["id"].isin(clusters["component"])]
print(f"{len(people):,} rows, {len(survivors):,} survivors")

# %% [markdown]
# ## Which threshold?
#
# Was 0.85 a good choice? `components_at` finds the clusters for several thresholds in one call. It reads the
# pairs only once, which matters if there are many.

# %%
at = pj.components_at(pairs, "id_l", "id_r", thresholds=[0.95, 0.9, 0.85, 0.8, 0.7, 0.5], nodes=people["id"])
for threshold in at.thresholds:
    print(f"threshold {threshold:4}: {at.at(threshold).count:5,} clusters")
print(at.table().head(3).iloc[:, :4].to_string(index=False))

# %% [markdown]
# There really are 1,500 people. With a high threshold, too many clusters are left, because each mistake makes
# a new person. With a low threshold, different people are merged.
#
# ## The same in Polars
#
# Any kind of table will do, and the result is of the same kind. From a lazy frame, only the columns and rows
# that are needed are read.

# %%
lazy = pl.from_pandas(pairs).lazy()
same = pj.components(lazy, where=("score", ">=", 0.85), nodes=people["id"]).table().collect()
print(same.filter(pl.col("size") > 1).head(3))

# %% [markdown]
# We did not name the columns this time: `id_l` and `id_r` are usual names for the two ends of a pair.
#
# ## How good was it?
#
# Now we look at who the people really are.

# %%
people = people.merge(clusters, on="id")
mixed = people.groupby("component")["person"].nunique() > 1
split = people.groupby("person")["component"].nunique() > 1
print(f"{mixed.sum()} clusters hold two people or more, and {split.sum()} people are in two clusters or more")

# %% [markdown]
# ## What we have shown

# %%
assert len(people) == len(clusters) == c.vertices == c.sizes.sum()
assert survivors["id"].is_unique
assert len(survivors) == c.count == at.at(0.85).count
assert mixed.sum() + split.sum() < 30, "most clusters are people"
counts = [at.at(threshold).count for threshold in at.thresholds]
assert counts == sorted(counts, reverse=True), "a lower threshold only joins clusters"
assert same.rows() == list(clusters.itertuples(index=False, name=None)), "Polars and pandas agree"
