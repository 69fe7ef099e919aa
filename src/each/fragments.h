/* Fragments of a molecule, and the clusters of them whose energies are computed. */
#ifndef HF_EACH_FRAGMENTS_H
#define HF_EACH_FRAGMENTS_H

#include "base/arena.h"
#include "molecule/input.h"

enum { HF_MOST_BODIES = 3 };

/** Initialise with = {.arena = {.label = }}. */
struct hf_fragments {
    int n;
    int *of_atom;               /**< [n_atom] fragment of each atom */
    int *charge, *multiplicity; /**< [n] */
    double *distance;           /**< [n][n] bohr, between the nearest nuclei */
    struct hf_arena arena;      /**< has the arrays */
};

/** Reads the options fragments, fragment_charges and fragment_multiplicities; `options` NULL: one fragment. Warns of
 *  bonds that are cut and of radicals that may be ions. Local. HF_BAD_INPUT: they do not fit the molecule;
 *  HF_NO_RESOURCE. */
hf_status hf_fragments_read(const struct hf_options *options, struct hf_input *input,
                            struct hf_fragments *self, struct hf_error *error) HF_MUST_CHECK;

/** Some fragments, or all. */
struct hf_cluster {
    int n;                      /**< fragments */
    int member[HF_MOST_BODIES]; /**< ascending; not set if n is larger */
    double distance; /**< bohr, the largest one of two fragments in it; 0 of single ones */
};

/** Clusters: single fragments first, then pairs, then triples; all fragments last. Initialise with = {0}. */
struct hf_clusters {
    int n;
    int64_t n_left_out[HF_MOST_BODIES + 1]; /**< pairs, triples that are too far apart */
    struct hf_cluster *cluster;             /**< [n] */
    int64_t room;                           /**< private */
};

/** The clusters up to `most` fragments, without those in which two are farther apart than `distance` bohr; `most` 0:
 *  single fragments and all together. Local. HF_BAD_INPUT: a cluster of open shells has no spin that is known;
 *  HF_NO_RESOURCE. */
hf_status hf_clusters_make(struct hf_fragments *fragments, const struct hf_molecule *molecule,
                           int most, double distance, struct hf_clusters *clusters,
                           struct hf_error *error) HF_MUST_CHECK;

/** Whether a cluster of these has a fragment. Local. */
bool hf_cluster_has(const struct hf_fragments *fragments, const struct hf_cluster *cluster,
                    int fragment);

/** "fragments 1, 2", cut to `size` bytes. Returns `text`. Local. */
const char *hf_cluster_name(const struct hf_fragments *fragments, const struct hf_cluster *cluster,
                            size_t size, char text[]);

/** Charge and multiplicity: those of the molecule for all fragments; otherwise the spins of the fragments are parallel.
 *  Local. */
void hf_cluster_state(const struct hf_fragments *fragments, const struct hf_molecule *molecule,
                      const struct hf_cluster *cluster, int *charge, int *multiplicity);

/** What cluster i contributes beyond the clusters in it: [n] energies of all clusters before i, and of i, become
 *  contributions. For i = 0, 1, ... in this order. Local. */
void hf_cluster_subtract(const struct hf_clusters *clusters, int i, double energy[]);

/** Adds `factor` times the coefficients of the energies in the contribution of cluster i to weight[n]. Local. */
void hf_cluster_add_weights(const struct hf_clusters *clusters, int i, double factor,
                            double weight[]);

#endif
