// Ligra+: Ligra's algorithms over compressed rows, which are decoded while they are read (Shun, Dhulipala and
// Blelloch, DCC 2015).
//
// The kernels are those of bfs.cl and label_propagation.cl; the code and its decoder are in rows.h. A row can only be
// read from its beginning, so work-items never share a row (TILE is 1).
// Build options besides common.h's: OVER_SEARCH or OVER_PROPAGATION.
// Benign races (Oclgrind): narrow label; wide label; propagate_changed ID.
// Oclgrind cannot judge (compare-and-swap): narrow, wide.

#define COMPRESSED
#define TILE 1
#include "common.h"
#include "atomics.h"
#include "rows.h"
#ifdef OVER_SEARCH
#include "bfs.cl"
#else
#include "label_propagation.cl"
#endif
