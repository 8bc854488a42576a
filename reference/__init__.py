"""The reference: serial, readable Python of every algorithm, and the oracle the kernels are held to.

One algorithm a module, top to bottom like the paper's pseudo-code and under the paper's names. Where a paper
says "in parallel" the reference runs the loop in order; nothing here is fast, and nothing here needs OpenCL.

The function with the module's name runs the algorithm. What it takes and returns depends on the problem; more
parameters are variants.

- Connected components: a Graph; the representative of each vertex, a vertex of its component (int32).
- Minimum spanning forest: edges with weights; the places of the forest's edges among them (int64).
- Single linkage: the edges of a forest with weights; what each of them merges (int64, 4 columns).
- Blocks: edges; the number of each edge's block (int32). Bridges: edges; the places of the bridges (int64).
- List ranking and list scan: each element's successor, a last element's being itself; each element's distance
  to the last element of its list (int32), or what the values up to it combine to.
- Trees: rows, roots and the number of each vertex's tree; a rooted forest.
- Common ancestors: a rooted forest and pairs of vertices; the ancestor of each pair, or -1 (int32).
"""
