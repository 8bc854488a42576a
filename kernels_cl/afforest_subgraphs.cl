// Afforest over other subgraphs: Sutton, Ben-Nun and Barak, IPDPS 2018, sections III-B, IV and V-B.
//
//   init           pi[v] = v
//   link_edges     link the ends of all edges of a subgraph     } for each of the subgraphs
//   compress_all   point every vertex directly to its root      }
//
// The kernels are those of afforest_edges.cl, over an edge list in the order of its subgraphs. A link is
// never undone, so any order of the edges is right.
// Benign races (Oclgrind): link_edges pi; compress_all pi.
// Oclgrind cannot judge (compare-and-swap): link_edges.

#include "afforest_edges.cl"
