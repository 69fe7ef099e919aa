/* Gauss-Legendre points. */
#ifndef HF_QUADRATURE_H
#define HF_QUADRATURE_H

/** Points (rising) and weights [n] of the interval -1 to 1. */
void hf_gauss_legendre(int n, double point[], double weight[]);

#endif
