/* Delocalised coordinates, and the way back to Cartesian ones. */
#include "frame.h"

#include "base/arithmetic.h"
#include "hf/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** s^2 of a direction that the coordinates do not have. */
static const double SMALLEST_SQUARE = 1e-6;

void hf_take_off(int n_row, size_t n, const double *rows, double vector[])
{
    for (int o = 0; o < n_row; o++) {
        const double *row = rows + (size_t)o * n, along = hf_dot(n, row, vector);
        for (size_t a = 0; a < n; a++) vector[a] -= along * row[a];
    }
}

bool hf_make_orthonormal(int n_row, size_t n, double *rows, double least)
{
    double *to = rows + (size_t)n_row * n;
    const double before = hf_dot(n, to, to);
    hf_take_off(n_row, n, rows, to);
    const double norm = hf_dot(n, to, to);
    if (norm <= least * before || norm == 0.0) return false;
    for (size_t a = 0; a < n; a++) to[a] /= sqrt(norm);
    return true;
}

/** Orthonormal motions [6][n_x] of the whole; how many. */
static int find_rigid(int n_atom, const double (*x)[3], double *rigid)
{
    const size_t n_x = 3 * (size_t)n_atom;
    double centre[3] = {0};
    int n = 0;
    for (int i = 0; i < n_atom; i++)
        for (int k = 0; k < 3; k++) centre[k] += x[i][k] / n_atom;
    for (int c = 0; c < 6; c++) {
        double *to = rigid + (size_t)n * n_x;
        memset(to, 0, n_x * sizeof *to);
        for (int i = 0; i < n_atom; i++) {
            const int k = c % 3, l = (k + 1) % 3, m = (k + 2) % 3;
            if (c < 3) {
                to[3 * i + k] = 1.0;
            } else {
                to[3 * i + l] = centre[m] - x[i][m];
                to[3 * i + m] = x[i][l] - centre[l];
            }
        }
        n += hf_make_orthonormal(n, n_x, rigid, 1e-6);
    }
    return n;
}

int hf_n_vibration(int n_atom, const double (*x)[3])
{
    double *rigid = malloc(18 * (size_t)n_atom * sizeof *rigid);
    const int n = rigid != NULL ? 3 * n_atom - find_rigid(n_atom, x, rigid) : 0;
    free(rigid);
    return n;
}

#define LABEL "internal coordinates"

/** Fills B; with `rigid` [n] taken off what has a direction in space. */
static void fill(const struct hf_internals *internals, const double (*x)[3], int n,
                 const double *rigid, struct hf_frame *frame)
{
    const size_t n_x = (size_t)frame->n_x;
    for (int q = 0; q < frame->n_q; q++) {
        const struct hf_internal *it = &internals->list[q];
        double slope[4][3], *row = frame->b + (size_t)q * n_x;
        hf_internal_slope(it, x, slope);
        for (int i = 0; i < hf_internal_n_atom(it->kind); i++)
            for (int k = 0; k < 3; k++) row[3 * it->atom[i] + k] += slope[i][k];
        if (it->kind <= HF_OFFSET || it->kind == HF_LINEAR_BEND) hf_take_off(n, n_x, rigid, row);
    }
}

/** V, s and U of B. */
static hf_status decompose(struct hf_frame *frame, struct hf_error *error)
{
    const int n_x = frame->n_x, n_q = frame->n_q;
    const size_t wide = (size_t)n_x;
    double *square = HF_TAKE(&frame->arena, square, wide * wide);
    double *value = HF_TAKE(&frame->arena, value, wide);
    HF_CHECK(hf_arena_check(&frame->arena, error));
    for (int q = 0; q < n_q; q++)
        for (size_t i = 0; i < wide; i++) {
            const double *row = frame->b + (size_t)q * wide;
            if (row[i] != 0.0)
                for (size_t j = 0; j < wide; j++) square[i * wide + j] += row[i] * row[j];
        }
    HF_CHECK(hf_eigen_small(n_x, square, value, error));
    for (int k = 0; k < n_x; k++) {
        if (value[k] < SMALLEST_SQUARE) continue;
        const double *vector = square + (size_t)k * wide;
        double *u = frame->u + (size_t)frame->m * (size_t)n_q;
        memcpy(frame->v + (size_t)frame->m * wide, vector, wide * sizeof *vector);
        frame->s[frame->m++] = sqrt(value[k]);
        for (int q = 0; q < n_q; q++)
            u[q] = hf_dot(wide, frame->b + (size_t)q * wide, vector) / sqrt(value[k]);
    }
    return HF_OK;
}

hf_status hf_frame_make(const struct hf_internals *internals, const double (*x)[3],
                        const double scale[], struct hf_frame *frame, struct hf_error *error)
{
    const size_t n_x = 3 * (size_t)internals->n_atom, n_q = (size_t)internals->n;
    *frame = (struct hf_frame){.n_x = (int)n_x, .n_q = internals->n, .arena = {.label = LABEL}};
    double *rigid = HF_TAKE(&frame->arena, rigid, 6 * n_x);
    HF_TAKE(&frame->arena, frame->b, n_q * n_x);
    HF_TAKE(&frame->arena, frame->v, n_x * n_x);
    HF_TAKE(&frame->arena, frame->s, n_x);
    HF_TAKE(&frame->arena, frame->u, n_q * n_x);
    HF_CHECK(hf_arena_check(&internals->arena, error));
    HF_CHECK(hf_arena_check(&frame->arena, error));
    fill(internals, x, internals->free_in_space ? find_rigid(internals->n_atom, x, rigid) : 0,
         rigid, frame);
    for (size_t q = 0; q < n_q && scale != NULL; q++)
        for (size_t i = 0; i < n_x; i++) frame->b[q * n_x + i] *= scale[q];
    return decompose(frame, error);
}

void hf_frame_gradient(const struct hf_frame *frame, const double *g_x, double g_q[])
{
    memset(g_q, 0, (size_t)frame->n_q * sizeof *g_q);
    for (int k = 0; k < frame->m; k++) {
        const double *u = frame->u + (size_t)k * (size_t)frame->n_q;
        const double sum = hf_dot((size_t)frame->n_x, frame->v + k * frame->n_x, g_x);
        for (int q = 0; q < frame->n_q; q++) g_q[q] += sum / frame->s[k] * u[q];
    }
}

/** to [n_x][n_x] += factor sum_q g_q d2q/dx2, by central differences of B^T g. Motions of the whole are left in. */
static void add_curvature(const struct hf_internals *internals, int n_x, const double (*x)[3],
                          const double g_q[], double factor, double *to)
{
    const double h = 1e-4;
    for (int q = 0; q < internals->n; q++) {
        const struct hf_internal *it = &internals->list[q];
        const int n = hf_internal_n_atom(it->kind);
        double place[4][3], slope[2][4][3];
        struct hf_internal here = *it;
        for (int i = 0; i < n; i++) {
            memcpy(place[i], x[it->atom[i]], sizeof place[i]);
            here.atom[i] = i;
        }
        for (int c = 0; c < 3 * n; c++) {
            for (int side = 0; side < 2; side++) {
                place[c / 3][c % 3] += side == 0 ? h : -2.0 * h;
                hf_internal_slope(&here, (const double(*)[3])place, slope[side]);
            }
            place[c / 3][c % 3] += h;
            for (int r = 0; r < 3 * n; r++)
                to[(3 * it->atom[r / 3] + r % 3) * n_x + 3 * it->atom[c / 3] + c % 3] +=
                    factor * g_q[q] * (slope[0][r / 3][r % 3] - slope[1][r / 3][r % 3]) / (2.0 * h);
        }
    }
}

/** to [k][k] = L^T M L of M [n][n] and the rows left [k][n]; half [n]: room. */
static void sandwich(size_t k, size_t n, const double *left, const double *middle, double *half,
                     double *to)
{
    for (size_t a = 0; a < k; a++) {
        memset(half, 0, n * sizeof *half);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) half[j] += left[a * n + i] * middle[i * n + j];
        for (size_t b = 0; b < k; b++) to[a * k + b] = hf_dot(n, half, left + b * n);
    }
}

hf_status hf_frame_hessian(const struct hf_frame *frame, const struct hf_internals *internals,
                           const double (*x)[3], const double g_q[], const double *h_x, double *h_q,
                           struct hf_error *error)
{
    const size_t n_x = (size_t)frame->n_x, n_q = (size_t)frame->n_q;
    struct hf_arena arena = {.label = LABEL};
    double *straight = HF_TAKE(&arena, straight, n_x * n_x);
    double *left = HF_TAKE(&arena, left, n_q * n_x); /* [n_q][n_x] U V^T / s */
    double *half = HF_TAKE(&arena, half, n_x);
    const hf_status status = hf_arena_check(&arena, error);
    if (status == HF_OK) {
        memcpy(straight, h_x, n_x * n_x * sizeof *h_x);
        add_curvature(internals, frame->n_x, x, g_q, -1.0, straight);
        for (int k = 0; k < frame->m; k++)
            for (size_t q = 0; q < n_q; q++)
                for (size_t i = 0; i < n_x; i++)
                    left[q * n_x + i] +=
                        frame->u[(size_t)k * n_q + q] * frame->v[(size_t)k * n_x + i] / frame->s[k];
        sandwich(n_q, n_x, left, straight, half, h_q);
    }
    hf_arena_done(&arena);
    return status;
}

hf_status hf_frame_cartesian_hessian(const struct hf_frame *frame,
                                     const struct hf_internals *internals, const double (*x)[3],
                                     const double g_q[], const double *h_q, double *h_x,
                                     struct hf_error *error)
{
    const size_t n_x = (size_t)frame->n_x, n_q = (size_t)frame->n_q;
    struct hf_arena arena = {.label = LABEL};
    double *turned = HF_TAKE(&arena, turned, n_q * n_x); /* [n_x][n_q] */
    double *half = HF_TAKE(&arena, half, n_q);
    const hf_status status = hf_arena_check(&arena, error);
    if (status == HF_OK) {
        for (size_t q = 0; q < n_q; q++)
            for (size_t i = 0; i < n_x; i++) turned[i * n_q + q] = frame->b[q * n_x + i];
        sandwich(n_x, n_q, turned, h_q, half, h_x);
        add_curvature(internals, frame->n_x, x, g_q, 1.0, h_x);
    }
    hf_arena_done(&arena);
    return status;
}

/** One iteration of hf_frame_fit. *left: how much there was to do. */
static hf_status approach(const struct hf_internals *internals, const double target[],
                          const double scale[], double (*x)[3], double *left,
                          struct hf_error *error)
{
    struct hf_frame frame;
    const double(*at)[3] = (const double(*)[3])x;
    hf_status status = hf_frame_make(internals, at, scale, &frame, error);
    double *need = HF_TAKE(&frame.arena, need, (size_t)frame.n_q);
    *left = 0.0;
    if (status == HF_OK) status = hf_arena_check(&frame.arena, error);
    for (int q = 0; q < frame.n_q && status == HF_OK; q++) {
        const struct hf_internal *it = &internals->list[q];
        need[q] = hf_internal_difference(it, target[q], hf_internal_value(it, at));
        if (scale != NULL) need[q] *= scale[q];
    }
    for (int k = 0; k < frame.m && status == HF_OK; k++) {
        const size_t n_q = (size_t)frame.n_q;
        const double sum = hf_dot(n_q, frame.u + (size_t)k * n_q, need);
        for (int i = 0; i < frame.n_x; i++)
            x[i / 3][i % 3] += sum / frame.s[k] * frame.v[k * frame.n_x + i];
        *left += sum * sum;
    }
    *left = sqrt(*left);
    hf_arena_done(&frame.arena);
    return status;
}

hf_status hf_frame_fit(const struct hf_internals *internals, const double target[],
                       const double scale[], double near, double (*x)[3], bool *good,
                       struct hf_error *error)
{
    enum { MOST = 30 };
    const double most = 20.0;
    double left = 0.0;
    *good = internals->n == 0;
    HF_CHECK(hf_arena_check(&internals->arena, error));
    for (int n = 0; n < MOST && !*good; n++) {
        HF_CHECK(approach(internals, target, scale, x, &left, error));
        *good = left < near;
        if (scale == NULL && !(left < most)) break;
    }
    return HF_OK;
}

hf_status hf_frame_displace(const struct hf_internals *internals, const double dq[], double (*x)[3],
                            bool *good, struct hf_error *error)
{
    const double near = 1e-8;
    const size_t n = (size_t)internals->n;
    struct hf_internals fixed = hf_internals_begin(internals->n_atom, false);
    double *target = HF_TAKE(&fixed.arena, target, n);
    double *fixed_target = HF_TAKE(&fixed.arena, fixed_target, n);
    bool held = true;
    hf_status status;
    HF_TRY(hf_arena_check(&fixed.arena, error));
    for (size_t q = 0; q < n; q++) {
        const struct hf_internal *it = &internals->list[q];
        target[q] = hf_internal_value(it, (const double(*)[3])x) + dq[q];
        if (!it->fixed) continue;
        fixed_target[fixed.n] = target[q] = it->target;
        hf_internals_add(&fixed, it);
    }
    HF_TRY(hf_frame_fit(internals, target, NULL, near, x, good, error));
    HF_TRY(hf_frame_fit(&fixed, fixed_target, NULL, near, x, &held, error));
    *good = *good && held;
cleanup:
    hf_arena_done(&fixed.arena);
    return status;
}
