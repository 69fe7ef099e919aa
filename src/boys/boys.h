/* The Boys function F_m(T) = int_0^1 t^(2m) exp(-T t^2) dt, tabulated. */
#ifndef HF_BOYS_H
#define HF_BOYS_H

enum {
    HF_BOYS_MAX_ORDER = 21, /**< derivatives of (hh|hh), l = 5 */
    HF_BOYS_TERMS = 7,      /**< coefficients per interval */
    HF_BOYS_ROW = 8,        /**< these and exp(-T) at the middle: one cache line */
    HF_BOYS_PER_UNIT = 8,   /**< intervals per unit of T; |T - grid point| <= 1/16 */
};

/** Tables, the same for every run; read-only after creation, so threads may share one.
 *
 *  For T below limit[m]: F_m(T) = sum_k series[m][g][k] (T - g/8)^k, k < HF_BOYS_TERMS, g the
 *  nearest grid point: the polynomial that equals F_m at the Chebyshev nodes of the interval. After them comes
 *  exp(-g/8), from which a short series gives exp(-T). For T from limit[m] on: F_m(T) = asymptotic[m]
 *  T^-(m+1/2), exact to 1e-16. A table of one order fits into a first-level cache. */
struct hf_boys {
    int max_order; /**< entries of higher orders below are 0 */
    double limit[HF_BOYS_MAX_ORDER + 1];
    double asymptotic[HF_BOYS_MAX_ORDER + 1]; /**< (2m-1)!! sqrt(pi) / 2^(m+1) */
    int n_grid[HF_BOYS_MAX_ORDER + 1];
    double *series[HF_BOYS_MAX_ORDER + 1]; /**< [n_grid][HF_BOYS_ROW], into storage */
    void *storage;
};

/** New tables for orders up to max_order <= HF_BOYS_MAX_ORDER; NULL: no memory. Not collective. Source: series
 *  F_m = exp(-T) sum_i (2T)^i / ((2m+1)(2m+3)...(2m+2i+1)) and downward recursion, Helgaker, Jorgensen, Olsen,
 *  Molecular Electronic-Structure Theory, section 9.8. */
struct hf_boys *hf_boys_create(int max_order);
void hf_boys_destroy(struct hf_boys **boys);

/** F_0(T) ... F_order(T) into value[order + 1], relative error below 1e-14. T >= 0,
 *  0 <= order <= the order of the tables. */
void hf_boys_evaluate(const struct hf_boys *boys, int order, double T, double value[]);

/** F_order(T) alone. */
double hf_boys_highest(const struct hf_boys *boys, int order, double T);

#endif
