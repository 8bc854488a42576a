// Code that Rem's algorithm and Rem-CAS share.

// A climb goes on from the end with the larger parent, x: let x and y trade places.
static void swap_ends(vertex_t *x, vertex_t *p_x, vertex_t *y, vertex_t *p_y) {
    const vertex_t z = *x, p_z = *p_x;
    *x = *y, *p_x = *p_y;
    *y = z, *p_y = p_z;
}
