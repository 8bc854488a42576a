"""The reference: every algorithm in serial, readable Python. The kernels are checked against it.

Each module holds one algorithm, in a function with the module's name. The code reads from top to bottom like
the paper's pseudo-code, and uses the paper's names. Where a paper says "in parallel", the reference runs the
loop in order. None of this code is fast, and none of it needs OpenCL.

An algorithm's input and result depend on the problem; further parameters choose variants.

- Connected components: takes a Graph; returns the representative of each vertex (int32).
- Minimum spanning forest: takes edges with weights; returns the indices of the forest's edges (int64).
- Single linkage: takes the edges of a forest with weights; returns what each edge merges (int64, 4 columns).
- Blocks and bridges: take edges; return the number of each edge's block (int32), or the indices of the
  bridges (int64).
- List ranking and list scan: take each element's successor (the last element of a list is its own); return
  each element's distance to the last element of its list (int32), or all values up to the element's own,
  combined.
- Trees: take rows, roots and the number of each vertex's tree; return a rooted forest.
- Common ancestors: take a rooted forest and pairs of vertices; return the ancestor of each pair, or -1
  (int32).
"""
