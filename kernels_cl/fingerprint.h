// A mixing function whose sums distinguish sets: splitmix64's finalizer (Steele, Lea and Flood, OOPSLA 2014). Two
// different sets have the same sum with probability about 2^-64, if the function is as good as a random one.
static ulong fingerprint(ulong j) {
    j = (j + 1) * GOLDEN(ulong);
    j = (j ^ (j >> 30)) * 0xBF58476D1CE4E5B9UL;
    j = (j ^ (j >> 27)) * 0x94D049BB133111EBUL;
    return j ^ (j >> 31);
}
