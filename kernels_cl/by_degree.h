// Sharing vertices by their degree, as ECL-CC does (Jaiganesh and Burtscher, HPDC 2018, section 3): one
// work-item takes a vertex of up to LOW_DEGREE neighbors, a tile of TILE work-items one of up to
// MIDDLE_DEGREE, and a whole work-group one of even more. All three numbers are build options.
#ifndef LOW_DEGREE
#define LOW_DEGREE 16
#endif
#ifndef MIDDLE_DEGREE
#define MIDDLE_DEGREE 352
#endif
