/* Translations of expansions in solid harmonics; compiled once per instruction set. A lane is an
 * expansion; harmonics of both signs of m are written out, so that the inner loops have no cases. */
#include "multipole/translation.h"

#include "base/lanes.h"

/** Place of (l,m) among harmonics of both signs. */
static inline int full(int l, int m)
{
    return l * l + l + m;
}

/** R_(l,-m) = (-1)^m R_lm^*; the same for I_lm, and for moments and local expansions. */
static inline void reflect(int l, int m, lanes re[], lanes im[])
{
    const int up = full(l, m), down = full(l, -m);
    if (m % 2 == 0) {
        re[down] = re[up];
        im[down] = -im[up];
    } else {
        re[down] = -re[up];
        im[down] = im[up];
    }
}

/** Scaled regular solid harmonics R_lm(x,y,z) up to l = order: Helgaker, Jorgensen, Olsen,
 *  Eqs. 9.13.78-9.13.82, in complex form. */
static void regular(int order, const lanes r[], lanes re[], lanes im[])
{
    const lanes square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    re[0] = broadcast(1.0);
    im[0] = broadcast(0.0);
    for (int l = 1; l <= order; l++) {
        const int top = full(l, l), below = full(l - 1, l - 1);
        const double over = -0.5 / l;
        re[top] = over * (r[0] * re[below] - r[1] * im[below]);
        im[top] = over * (r[0] * im[below] + r[1] * re[below]);
        reflect(l, l, re, im);
        for (int m = 0; m < l; m++) {
            const double scale = 1.0 / ((l + m) * (l - m));
            const lanes z = (2 * l - 1) * scale * r[2];
            lanes new_re = z * re[full(l - 1, m)], new_im = z * im[full(l - 1, m)];
            if (m <= l - 2) {
                new_re -= scale * square * re[full(l - 2, m)];
                new_im -= scale * square * im[full(l - 2, m)];
            }
            re[full(l, m)] = new_re;
            im[full(l, m)] = new_im;
            reflect(l, m, re, im);
        }
    }
}

/** Scaled irregular solid harmonics I_lm(x,y,z): Eqs. 9.13.83-9.13.87. */
static void irregular(int order, const lanes r[], lanes re[], lanes im[])
{
    const lanes square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2], inverse = 1.0 / square;
    const lanes x = r[0] * inverse, y = r[1] * inverse, z = r[2] * inverse;
    for (int i = 0; i < HF_WIDTH; i++) re[0][i] = __builtin_sqrt(inverse[i]);
    im[0] = broadcast(0.0);
    for (int l = 1; l <= order; l++) {
        const int top = full(l, l), below = full(l - 1, l - 1);
        const double odd = 2 * l - 1;
        re[top] = -odd * (x * re[below] - y * im[below]);
        im[top] = -odd * (x * im[below] + y * re[below]);
        reflect(l, l, re, im);
        for (int m = 0; m < l; m++) {
            lanes new_re = odd * z * re[full(l - 1, m)], new_im = odd * z * im[full(l - 1, m)];
            if (m <= l - 2) {
                const double factor = (l - 1 - m) * (l - 1 + m);
                new_re -= factor * inverse * re[full(l - 2, m)];
                new_im -= factor * inverse * im[full(l - 2, m)];
            }
            re[full(l, m)] = new_re;
            im[full(l, m)] = new_im;
            reflect(l, m, re, im);
        }
    }
}

static void read_shift(const double shift[], lanes r[])
{
    for (int d = 0; d < 3; d++) r[d] = ((const lanes *)shift)[d];
}

/** Both signs of m of expansions as they are stored. */
static void unfold(int order, const lanes from[], lanes re[], lanes im[])
{
    for (int l = 0; l <= order; l++) {
        re[full(l, 0)] = from[l * l];
        im[full(l, 0)] = broadcast(0.0);
        for (int m = 1; m <= l; m++) {
            re[full(l, m)] = from[l * l + m];
            im[full(l, m)] = from[l * l + l + m];
            reflect(l, m, re, im);
        }
    }
}

static inline void add(int l, int m, lanes re, lanes im, lanes to[])
{
    to[l * l + m] += re;
    if (m > 0) to[l * l + l + m] += im;
}

static inline int least(int a, int b)
{
    return a < b ? a : b;
}

static inline int most(int a, int b)
{
    return a > b ? a : b;
}

struct work {
    lanes *source_re, *source_im, *harmonic_re, *harmonic_im;
};

static struct work divide(double scratch[])
{
    lanes *room = (lanes *)scratch;
    return (struct work){room, room + HF_MAX_EXPANSION_SIZE, room + 2 * HF_MAX_EXPANSION_SIZE,
                         room + 2 * HF_MAX_EXPANSION_SIZE + HF_TRANSLATION_FULL};
}

static void shift_moments(int from_order, int to_order, const double shift[], const double from[],
                          double to[], double scratch[])
{
    const struct work w = divide(scratch);
    lanes r[3];
    read_shift(shift, r);
    unfold(from_order, (const lanes *)from, w.source_re, w.source_im);
    regular(to_order, r, w.harmonic_re, w.harmonic_im);
    for (int l = 0; l <= to_order; l++) {
        for (int m = 0; m <= l; m++) {
            lanes re = broadcast(0.0), im = broadcast(0.0);
            for (int j = 0; j <= least(l, from_order); j++) {
                const int n = l - j, last = least(j, m + n), q = full(j, 0), h = full(n, m);
                for (int k = most(-j, m - n); k <= last; k++) {
                    const lanes a = w.source_re[q + k], b = w.source_im[q + k];
                    const lanes c = w.harmonic_re[h - k], d = w.harmonic_im[h - k];
                    re += a * c - b * d;
                    im += a * d + b * c;
                }
            }
            add(l, m, re, im, (lanes *)to);
        }
    }
}

static void shift_local(int from_order, int to_order, const double shift[], const double from[],
                        double to[], double scratch[])
{
    const struct work w = divide(scratch);
    lanes r[3];
    read_shift(shift, r);
    unfold(from_order, (const lanes *)from, w.source_re, w.source_im);
    regular(from_order, r, w.harmonic_re, w.harmonic_im);
    for (int j = 0; j <= to_order; j++) {
        for (int k = 0; k <= j; k++) {
            lanes re = broadcast(0.0), im = broadcast(0.0);
            for (int l = j; l <= from_order; l++) {
                const int n = l - j, last = least(l, k + n), q = full(l, 0), h = full(n, -k);
                for (int m = most(-l, k - n); m <= last; m++) {
                    const lanes a = w.source_re[q + m], b = w.source_im[q + m];
                    const lanes c = w.harmonic_re[h + m], d = w.harmonic_im[h + m];
                    re += a * c + b * d;
                    im += b * c - a * d;
                }
            }
            add(j, k, re, im, (lanes *)to);
        }
    }
}

/** One row (l,j) of the conversion. Two values of m at a time share the moments that they read. */
static inline void convert_row(int l, int j, const struct work *w, lanes to[])
{
    const int q = full(j, 0), h = full(l + j, 0);
    const double sign = l % 2 == 0 ? 1.0 : -1.0;
    int m = 0;
    for (; m + 1 <= l; m += 2) {
        lanes re[2] = {broadcast(0.0), broadcast(0.0)}, im[2] = {re[0], re[0]};
        for (int k = -j; k <= j; k++) {
            const lanes a = w->source_re[q + k], b = w->source_im[q + k];
            for (int i = 0; i < 2; i++) {
                const lanes c = w->harmonic_re[h + m + i + k], d = w->harmonic_im[h + m + i + k];
                re[i] += a * c;
                re[i] += b * d;
                im[i] += a * d;
                im[i] -= b * c;
            }
        }
        for (int i = 0; i < 2; i++) add(l, m + i, sign * re[i], sign * im[i], to);
    }
    if (m > l) return;
    lanes re = broadcast(0.0), im = broadcast(0.0);
    for (int k = -j; k <= j; k++) {
        const lanes a = w->source_re[q + k], b = w->source_im[q + k];
        const lanes c = w->harmonic_re[h + m + k], d = w->harmonic_im[h + m + k];
        re += a * c + b * d;
        im += a * d - b * c;
    }
    add(l, m, sign * re, sign * im, to);
}

static void moments_to_local(int from_order, const int to_order[], const double shift[],
                             const double from[], double to[], double scratch[])
{
    const struct work w = divide(scratch);
    lanes r[3];
    int highest = 0;
    read_shift(shift, r);
    for (int j = 0; j <= from_order; j++) highest = most(highest, j + to_order[j]);
    unfold(from_order, (const lanes *)from, w.source_re, w.source_im);
    irregular(highest, r, w.harmonic_re, w.harmonic_im);
    for (int j = 0; j <= from_order; j++)
        for (int l = 0; l <= to_order[j]; l++) convert_row(l, j, &w, (lanes *)to);
}

/** By columns of one m: what the next of them needs stays in registers. The sign (-1)^l is in the steps. */
static void points_to_local(int order, const double shift[], const double charge[], double to[])
{
    lanes r[3], inverse_r, re, im = broadcast(0.0);
    read_shift(shift, r);
    const lanes inverse = 1.0 / (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    const lanes x = r[0] * inverse, y = r[1] * inverse, z = r[2] * inverse;
    for (int i = 0; i < HF_WIDTH; i++) inverse_r[i] = __builtin_sqrt(inverse[i]);
    re = *(const lanes *)charge * inverse_r;
    for (int m = 0; m <= order; m++) {
        if (m > 0) {
            const lanes old = re;
            re = (2 * m - 1) * (x * old - y * im);
            im = (2 * m - 1) * (x * im + y * old);
        }
        lanes last_re = broadcast(0.0), last_im = last_re, here_re = re, here_im = im;
        add(m, m, re, im, (lanes *)to);
        for (int l = m + 1; l <= order; l++) {
            const lanes up = -(2.0 * l - 1.0) * z;
            const lanes down = (double)((l - 1 - m) * (l - 1 + m)) * inverse;
            const lanes next_re = up * here_re - down * last_re;
            const lanes next_im = up * here_im - down * last_im;
            last_re = here_re;
            last_im = here_im;
            here_re = next_re;
            here_im = next_im;
            add(l, m, here_re, here_im, (lanes *)to);
        }
    }
}

const struct hf_translation_kernels HF_TRANSLATION = {
    .width = HF_WIDTH,
    .moments = shift_moments,
    .to_local = moments_to_local,
    .points = points_to_local,
    .local = shift_local,
};
