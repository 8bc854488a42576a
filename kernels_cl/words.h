// Words with one bit for each of WORD_BITS pixels, 32 or 64; and places in an image, 64-bit with WIDE_IMAGE.

#if WORD_BITS == 64
typedef ulong word_t;
#else
typedef uint word_t;
#endif
#ifdef WIDE_IMAGE
typedef ulong place_t;  // the number of a row, a word or a strip, or the place of a pixel in its row
#else
typedef uint place_t;
#endif
