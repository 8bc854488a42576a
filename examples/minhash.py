# %% [markdown]
# # MinHash buckets
#
# Large collections of text, such as those that language models learn from, hold many near-duplicates:
# the same article with another date, the same license with another name. MinHash puts documents into
# buckets, so that near-duplicates are likely to share one. Documents that share a bucket belong
# together. One of them is kept.

# %%
from zlib import crc32

import numpy as np
import pyarrow as pa

import pointerjump as pj

# %% [markdown]
# ## A small corpus
#
# The corpus has 400 documents of 80 random words, and 100 near-copies, each with two words changed. A copy
# may be copied again.

# %%
random = np.random.default_rng(3)
corpus = [random.integers(0, 5000, 80) for _ in range(400)]
origin = list(range(400))
for _ in range(100):
    copied = int(random.integers(len(corpus)))
    copy = corpus[copied].copy()
    copy[random.integers(0, 80, 2)] = random.integers(0, 5000, 2)
    corpus.append(copy)
    origin.append(origin[copied])
documents = {f"doc-{number:03}": " ".join(f"w{word}" for word in text) for number, text in enumerate(corpus)}
print(documents["doc-000"][:60], "...")

# %% [markdown]
# ## MinHash
#
# We treat a document as the set of all its runs of three words. Hash each run and remember the smallest hash:
# that is one *minhash*. The chance that two documents have the same minhash is their similarity, the fraction
# of runs that they have in common. We take 64 such numbers, each with a different hash function.
#
# The 64 numbers are divided into 16 bands of 4. A band and its four numbers make up a bucket. Very similar
# documents nearly always agree in at least one band, and others hardly ever do.

# %%
BANDS, IN_A_BAND = 16, 4
PRIME = np.uint64(2**31 - 1)
factor, shift = random.integers(1, 2**31 - 1, (2, BANDS * IN_A_BAND, 1), np.uint64)


def minhashes(text):
    """Return the smallest hash of all runs of three words, for each of the hash functions."""
    words = text.split()
    runs = [" ".join(words[i : i + 3]) for i in range(len(words) - 2)]
    hashes = np.array([crc32(run.encode()) for run in runs], np.uint64)
    return ((factor * (hashes % PRIME) + shift) % PRIME).min(axis=1)


def buckets(text):
    """Return the names of a document's buckets: the number of each band, and the band."""
    bands = minhashes(text).reshape(BANDS, IN_A_BAND).tolist()
    return [f"{number}:{band}" for number, band in enumerate(bands)]


table = pa.table(
    {
        "bucket": [bucket for text in documents.values() for bucket in buckets(text)],
        "document": [name for name in documents for _ in range(BANDS)],
    }
)
print(f"{table.num_rows:,} rows; the first bucket is {table['bucket'][0]}")

# %% [markdown]
# ## Clusters of documents that share a bucket
#
# A bucket with k documents stands for k (k - 1) / 2 pairs. Joining the table with itself would write all of
# them out. A single bucket with a million documents would be too much. With `group` and `member`, no pairs
# are made: twice as many rows take twice as long.

# %%
c = pj.components(table, group="bucket", member="document")
clusters = c.table()
print(c)
print(f"{c.vertices - c.count} of {c.vertices} documents would be dropped")

# %% [markdown]
# The result is an Arrow table, like the input. A cluster is named after its smallest id, so the documents to
# drop are those whose id is not the name of their cluster.

# %%
dropped = [row["id"] for row in clusters.to_pylist() if row["id"] != row["component"]]
print(dropped[:5], "...")
print({int(size): int(count) for size, count in zip(*np.unique(c.sizes, return_counts=True), strict=True)})

# %% [markdown]
# The last line shows the number of clusters of each size.
#
# ## Lists of members
#
# Often, each row holds one bucket and a list of its documents instead. Then `member` is the column of lists,
# and the buckets need no names.

# %%
lists = table.group_by("bucket").aggregate([("document", "list")])
same = pj.components(lists, member="document_list")
print(lists.num_rows, "buckets,", same.count, "clusters")

# %% [markdown]
# ## What we have shown

# %%
assert same.count == c.count
kept = set(documents) - set(dropped)
originals = {f"doc-{number:03}" for number in origin}
assert len(kept) == c.count
assert kept >= originals, "documents that are not alike stay apart"
assert len(dropped) > 95, "nearly all near-duplicates were found"
