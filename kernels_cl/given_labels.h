// The labels of a labelled image, which are its pixels (image.h). Label 0 is the background.
//
// Build options: LABEL, an unsigned type as wide as the labels (if they are signed, a negative label is larger than all
//   others, and the host refuses it); ADJACENT, if the labels of a row have no gaps. A kernel that reads labels needs
//   `const long apart = STRIDE(3)`, the distance of neighbors in a row.

typedef LABEL label_t;

#ifdef ADJACENT
#define LABEL_AT(row, x) ((__global const label_t *)(row))[x]
#else
#define LABEL_AT(row, x) (*(__global const label_t *)((row) + (long)(x) * apart))
#endif
