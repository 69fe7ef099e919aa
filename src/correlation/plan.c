/* The list of algorithms, and the number of batches that fit into memory with each. */
#include "mp2_private.h"

#include <math.h>
#include <string.h>

const struct hf_mp2_algorithm *const hf_mp2_algorithm_list[] = {
    &hf_mp2_auto, &hf_mp2_kets, &hf_mp2_of_pairs, &hf_mp2_p1, &hf_mp2_p2, NULL};

const char *hf_mp2_algorithm_name(const struct hf_mp2_algorithm *algorithm)
{
    return algorithm->name;
}

const char *hf_mp2_algorithm_about(const struct hf_mp2_algorithm *algorithm)
{
    return algorithm->about;
}

bool hf_mp2_algorithm_reproducible(const struct hf_mp2_algorithm *algorithm)
{
    return algorithm->reproducible;
}

const struct hf_mp2_algorithm *hf_mp2_algorithm_find(const char *name)
{
    int i = 0;
    while (hf_mp2_algorithm_list[i + 1] != NULL &&
           strcmp(hf_mp2_algorithm_list[i]->name, name) != 0)
        i++;
    return hf_mp2_algorithm_list[i];
}

double hf_mp2_size_orbitals(const struct hf_mp2_size *size)
{
    double n = 0.0;
    for (int spin = 0; spin < size->n_spin; spin++) n += size->n_correlated[spin];
    return n;
}

double hf_mp2_size_longest(const struct hf_mp2_size *size)
{
    size_t longest = 0;
    for (int spin = 0; spin < size->n_spin; spin++) {
        const size_t length = hf_padded(size->n_virtual[spin]);
        if (length > longest) longest = length;
    }
    return (double)longest;
}

/** Bytes per rank with n_i orbitals per batch. */
static double bytes_of(const struct hf_mp2_algorithm *algorithm, const struct hf_mp2_size *size,
                       double n_i)
{
    const struct hf_mp2_words words = algorithm->words(size, n_i);
    const double o = hf_mp2_size_orbitals(size), n = size->n_function;
    /* virtual orbitals are held twice; coefficients of all orbitals are dropped when these are made */
    const double virtuals = size->n_spin * hf_mp2_size_longest(size);
    const double orbitals = n * (2.0 * o + virtuals + fmax(virtuals, n));
    return sizeof(double) * (orbitals + words.work + words.kept);
}

struct hf_mp2_need hf_mp2_plan_of(const struct hf_mp2_algorithm *algorithm,
                                  const struct hf_mp2_size *size, double memory_bytes)
{
    const int n_i = (int)hf_mp2_size_orbitals(size);
    struct hf_mp2_need need = {.least = bytes_of(algorithm, size, size->one_batch ? n_i : 1.0),
                               .one_batch = size->one_batch,
                               .integrals = size->integrals};
    if (need.least > memory_bytes) return need;
    do {
        need.n_batch++;
        need.rank = bytes_of(algorithm, size, ceil((double)n_i / need.n_batch));
    } while (need.rank > memory_bytes && need.n_batch < n_i);
    return need;
}

hf_status hf_mp2_refuse(const struct hf_mp2_need *need, double memory_bytes, struct hf_error *error)
{
    const double megabytes = ceil(1e-6 * need->least);
    return hf_fail(
        error, HF_NO_RESOURCE,
        "%s at least %.0f MB per rank%s and may take %.0f MB; expected --memory "
        "'%.0f MB' or more, or more ranks",
        need->integrals ? "integrals of orbitals need" : "MP2 needs", megabytes,
        need->one_batch ? " (for gradients with the same bits orbitals come in one batch)" : "",
        1e-6 * memory_bytes, megabytes);
}
