/* libint2::Engine behind a C interface. Built for the benchmark only. */
#define OMPI_SKIP_MPICXX  1
#define MPICH_SKIP_MPICXX 1

#include <libint2.hpp>

#include "comparator.h"

#include <cmath>
#include <memory>
#include <vector>

struct comparator {
    std::vector<libint2::Shell> shell;
    std::vector<libint2::ShellPair> pair; /* [n_shell][n_shell] */
    libint2::Engine engine;
};

/** Libint normalises primitives itself; our coefficients carry that factor already. */
static libint2::Shell convert(const hf_shell &from)
{
    libint2::svector<double> exponent(from.exponent, from.exponent + from.n_primitive);
    libint2::svector<double> coefficient(from.coefficient, from.coefficient + from.n_primitive);
    double double_factorial = 1.0;
    for (int k = 2 * from.l - 1; k > 1; k -= 2) double_factorial *= k;
    for (int i = 0; i < from.n_primitive; i++)
        coefficient[i] /= std::pow(2.0 * exponent[i] / M_PI, 0.75) *
                          std::pow(4.0 * exponent[i], 0.5 * from.l) / std::sqrt(double_factorial);
    return libint2::Shell(exponent, {{from.l, from.spherical, coefficient}},
                          {{from.centre_bohr[0], from.centre_bohr[1], from.centre_bohr[2]}});
}

extern "C" struct comparator *comparator_create(const struct hf_basis *basis, double precision)
{
    libint2::initialize();
    libint2::Shell::do_enforce_unit_normalization(false);
    auto made = std::make_unique<comparator>();
    for (int i = 0; i < basis->n_shell; i++) made->shell.push_back(convert(basis->shell[i]));
    for (const auto &a : made->shell)
        for (const auto &b : made->shell) made->pair.emplace_back(a, b, std::log(precision));
    made->engine =
        libint2::Engine(libint2::Operator::coulomb, basis->max_primitive, basis->max_l, 0);
    made->engine.set_precision(precision);
    return made.release();
}

extern "C" void comparator_destroy(struct comparator *comparator)
{
    delete comparator;
    libint2::finalize();
}

extern "C" const double *comparator_compute(struct comparator *comparator, const int shell[4])
{
    const auto &all = comparator->shell;
    const libint2::Shell &a = all[shell[0]], &b = all[shell[1]], &c = all[shell[2]],
                         &d = all[shell[3]];
    const auto n = static_cast<int>(all.size());
    comparator->engine.compute2<libint2::Operator::coulomb, libint2::BraKet::xx_xx, 0>(
        a, b, c, d, &comparator->pair[shell[0] * n + shell[1]],
        &comparator->pair[shell[2] * n + shell[3]]);
    return comparator->engine.results()[0];
}
