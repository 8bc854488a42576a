# %% [markdown]
# # Grains in a volume
#
# A scanner has produced a volume of grey values: bright grains in a dark matrix. How many grains are there,
# how large are they, and where are they? And if a segmentation has cut them into pieces, which pieces belong
# together?

# %%
import numpy as np
from scipy import ndimage
from scipy.spatial import KDTree

import pointerjump as pj

# %% [markdown]
# ## The volume
#
# We make one up: 80 by 120 by 160 smooth grey values from 0 to 255. Yours would come from a file, for example
# through `tifffile.imread`. Pixels brighter than a threshold are foreground. Noise has also made some single
# pixels bright.

# %%
random = np.random.default_rng(1)
smooth = ndimage.gaussian_filter(random.random((80, 120, 160)), sigma=5)
volume = 255 * (smooth - smooth.min()) / np.ptp(smooth)
noise = random.random(volume.shape) < 0.001
mask = (volume > 170) | noise
print(f"{mask.size:,} pixels, {mask.mean():.1%} of them foreground")

# %% [markdown]
# ## Labels
#
# Every connected component gets a number, starting at 1; the background is 0. With `connectivity=1`, pixels
# are neighbors if they share a face.

# %%
labels, count = pj.label(mask, connectivity=1, return_num=True)
print(f"{count:,} components")

# %% [markdown]
# Most of them are noise. `remove_small` drops components with fewer pixels than we ask
# for, and renumbers the others.

# %%
grains = pj.remove_small(labels, 100)
print(f"{grains.max():,} grains")

# %% [markdown]
# ## How large, and where?
#
# `regions` measures all grains at once. Item 0 is for grain 1, and so on.

# %%
found = pj.regions(grains)
for i in np.argsort(-found.sizes, kind="stable")[:5]:
    box = " x ".join(str(end - begin) for begin, end in found.boxes[i])
    center = ", ".join(f"{c:.0f}" for c in found.centroids[i])
    print(f"grain {i + 1:2}: {found.sizes[i]:6,} pixels in a box of {box}, its center at ({center})")

# %% [markdown]
# A grain at the border of the volume may continue outside. So its size means little. The boxes show which
# grains touch the border.

# %%
first, last = found.boxes[:, :, 0], found.boxes[:, :, 1]
inside = ((first > 0) & (last < volume.shape)).all(axis=1)
print(f"{inside.sum()} grains lie wholly inside, of {found.sizes[inside].mean():,.0f} pixels on average")

# %% [markdown]
# ## A picture
#
# We draw a plane from the middle of the volume, with a color for each grain. Without matplotlib, there is no
# picture.

# %%
plane = np.where(grains[40] > 0, (grains[40] - 1) % 10, np.nan)
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("no matplotlib, no picture")
else:
    plt.imsave("grains.png", np.kron(plane, np.ones((4, 4))), cmap="tab10", vmin=0, vmax=9)

# %% [markdown]
# ## From pieces to grains
#
# Many segmentations first cut an image into small pieces. Then they decide which of these to join. Here each
# piece consists of the pixels that are nearest to one of many random points. The background may cut a piece
# in two. With `multilabel=True`, each part becomes a piece of its own.

# %%
points = random.integers(0, volume.shape, (400, 3))
nearest = np.zeros(volume.shape, int)
nearest[grains > 0] = 1 + KDTree(points).query(np.argwhere(grains))[1]
pieces, count = pj.label(nearest, multilabel=True, return_num=True)
touching = pj.contacts(pieces)
print(f"{count:,} pieces, and {len(touching.pairs):,} pairs of them touch")

# %% [markdown]
# Pairs of pieces that touch are the edges of a graph, which `components` takes. The labels are the vertices
# of this graph; vertex 0 is the background, and touches nothing. If we join all pieces that touch, the grains
# are whole again.

# %%
joined = pj.components(touching.pairs, vertices=count + 1)
print(f"{joined.count - 1:,} grains")

# %% [markdown]
# We need not join all pieces. Two grains may be joined by a thin neck, where few faces touch. If we leave out
# contacts of fewer than 20 faces, such grains stay apart. So do crumbs at the borders of pieces, but
# `remove_small` drops them.

# %%
firmly = pj.components(touching.pairs[touching.faces >= 20], vertices=count + 1)
apart = pj.remove_small(firmly.labels[pieces], 100)
print(f"{apart.max():,} grains")

# %% [markdown]
# ## What we have shown

# %%
assert np.array_equal(labels, ndimage.label(mask)[0]), (
    "scipy finds the same components, with the same numbers"
)
assert found.sizes.min() >= 100
assert found.sizes.sum() == np.count_nonzero(grains)
assert np.array_equal(joined.labels[pieces], grains), "joining all pieces that touch gives the grains again"
assert apart.max() > joined.count - 1, "joining fewer leaves more apart"
