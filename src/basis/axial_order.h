/* The order of spherical functions in files of other programs. */
#ifndef HF_AXIAL_ORDER_H
#define HF_AXIAL_ORDER_H

/** Place among the functions of struct hf_shell of function i in the order m = 0, +1, -1, +2 ...; p functions, which
 *  stand in the order x y z there, are z x y. */
static inline int hf_axial_place(int l, int i)
{
    if (l == 1) return (i + 2) % 3;
    return l + (i + 1) / 2 * (i % 2 != 0 ? 1 : -1);
}

#endif
