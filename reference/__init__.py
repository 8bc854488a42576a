"""Reference implementations of all algorithms in serial, readable Python.

The kernels are tested against the reference implementations. Each algorithm has a module of its own, with a
function of the same name. The code reads from top to bottom like the pseudo-code in the algorithm's paper,
and uses the same names. Where a paper says "in parallel", the reference implementation runs the loop in
order. The code is not meant to be fast, and it does not need OpenCL.

An algorithm's input and result depend on the problem that it solves; further parameters select variants.

- Connected components: take a Graph, and return the representative of each vertex (int32).
- Minimum spanning forest: take edges with weights, and return the indices of the forest's edges (int64).
- Single linkage: take the weighted edges of a forest, and return four int64 numbers for each edge: the two
  clusters that it merges, the size of the new one, and the edge's index.
- Blocks and bridges: take edges, and return the block number of each edge (int32) or the indices of the
  bridges (int64).
- List ranking and list scan: take the successor of each element and, for a scan, its value. The last
  element of a list is its own successor. Return each element's distance to the last element of its list
  (int32), or the combination of all values from the head of the list to the element.
- Trees: take the adjacency rows of a forest, the root of each tree and the index of each vertex's tree, and
  return a rooted forest.
- Common ancestors: take a rooted forest and pairs of vertices, and return the lowest common ancestor of each
  pair, or -1 if there is none (int32).
"""
