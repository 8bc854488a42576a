// PUT_UNDER(parent, root, other): put a root under another vertex, in the way that the variant `hook` says.
//
//   HOOK_PLAIN  a plain store: of several hooks of one root, the last stays
//   HOOK_MIN    an atomic minimum: the smallest stays; only for hooks under smaller vertices
//   HOOK_CAS    compare-and-swap: the first stays
//
// Each of these may lose a hook, so the edge must be looked at again in the next round.
#ifndef HOOK_PLAIN
#include "atomics.h"
#endif

#if defined(HOOK_CAS)
#define PUT_UNDER(parent, root, other) ((void)COMPARE_AND_SWAP(&(parent)[root], (root), (other)))
#elif defined(HOOK_MIN)
#define PUT_UNDER(parent, root, other) LOWER(&(parent)[root], (other))
#else
#define PUT_UNDER(parent, root, other) STORE(&(parent)[root], (other))
#endif
