/* Clusters of fragments and what each contributes; see fragments.h.
 *
 *     contribution(s) = E(s) - sum of contribution(t)          t in s, t not s
 *
 * The sum over all clusters is the energy of the expansion. With single fragments and the whole alone, the contribution
 * of the whole is the energy of interaction. */
#include "fragments.h"

#include <math.h>
#include <stdio.h>

bool hf_cluster_has(const struct hf_fragments *fragments, const struct hf_cluster *cluster,
                    int fragment)
{
    if (cluster->n == fragments->n) return true;
    for (int i = 0; i < cluster->n; i++)
        if (cluster->member[i] == fragment) return true;
    return false;
}

void hf_cluster_state(const struct hf_fragments *fragments, const struct hf_molecule *molecule,
                      const struct hf_cluster *cluster, int *charge, int *multiplicity)
{
    *charge = molecule->charge;
    *multiplicity = molecule->multiplicity;
    if (cluster->n == fragments->n) return;
    *charge = 0;
    *multiplicity = 1;
    for (int i = 0; i < cluster->n; i++) {
        *charge += fragments->charge[cluster->member[i]];
        *multiplicity += fragments->multiplicity[cluster->member[i]] - 1;
    }
}

const char *hf_cluster_name(const struct hf_fragments *fragments, const struct hf_cluster *cluster,
                            size_t size, char text[])
{
    if (fragments->n == 1 || cluster->n > HF_MOST_BODIES)
        snprintf(text, size, fragments->n == 1 ? "molecule" : "all fragments");
    else if (cluster->n == 1)
        snprintf(text, size, "fragment %d", cluster->member[0] + 1);
    else
        snprintf(text, size, cluster->n == 2 ? "fragments %d, %d" : "fragments %d, %d, %d",
                 cluster->member[0] + 1, cluster->member[1] + 1, cluster->member[2] + 1);
    return text;
}

/** Refuses clusters of several open shells in a molecule of lower spin. */
static hf_status check_spins(const struct hf_fragments *fragments,
                             const struct hf_molecule *molecule, const struct hf_cluster *cluster,
                             struct hf_error *error)
{
    int n_unpaired = 0, n_open = 0;
    if (cluster->n == fragments->n) return HF_OK;
    for (int i = 0; i < fragments->n; i++) n_unpaired += fragments->multiplicity[i] - 1;
    for (int i = 0; i < cluster->n; i++) n_open += fragments->multiplicity[cluster->member[i]] > 1;
    if (n_open < 2 || n_unpaired == molecule->multiplicity - 1) return HF_OK;
    return hf_fail(error, HF_BAD_INPUT,
                   "fragments %d and %d are open shells in a molecule whose spins are not "
                   "parallel: the spin of clusters is not known; expected no --many-body, or the "
                   "multiplicity %d",
                   cluster->member[0] + 1, cluster->member[1] + 1, n_unpaired + 1);
}

static double distance_of(const struct hf_fragments *fragments, int i, int k)
{
    return fragments->distance[(size_t)i * (size_t)fragments->n + (size_t)k];
}

/** Adds a cluster, unless two of its members are too far apart. */
static hf_status add(struct hf_fragments *fragments, const struct hf_molecule *molecule,
                     struct hf_cluster cluster, double distance, struct hf_clusters *clusters,
                     struct hf_error *error)
{
    for (int i = 0; i < cluster.n && cluster.n <= HF_MOST_BODIES; i++)
        for (int k = 0; k < i; k++)
            cluster.distance = fmax(cluster.distance,
                                    distance_of(fragments, cluster.member[i], cluster.member[k]));
    if (cluster.n > 1 && cluster.distance > distance) {
        clusters->n_left_out[cluster.n]++;
        return HF_OK;
    }
    HF_CHECK(check_spins(fragments, molecule, &cluster, error));
    if (!hf_arena_grow(&fragments->arena, &clusters->cluster, clusters->n + 1, &clusters->room,
                       sizeof cluster))
        return hf_arena_check(&fragments->arena, error);
    clusters->cluster[clusters->n++] = cluster;
    return HF_OK;
}

hf_status hf_clusters_make(struct hf_fragments *fragments, const struct hf_molecule *molecule,
                           int most, double distance, struct hf_clusters *clusters,
                           struct hf_error *error)
{
    const int n = fragments->n;
    for (int i = 0; i < n; i++)
        HF_CHECK(add(fragments, molecule, (struct hf_cluster){1, {i, 0, 0}, 0.0}, distance,
                     clusters, error));
    for (int i = 0; i < n && most >= 2; i++)
        for (int k = i + 1; k < n; k++)
            HF_CHECK(add(fragments, molecule, (struct hf_cluster){2, {i, k, 0}, 0.0}, distance,
                         clusters, error));
    for (int i = 0; i < n && most >= 3; i++)
        for (int k = i + 1; k < n; k++) {
            const bool is_far = distance_of(fragments, i, k) > distance;
            if (is_far) clusters->n_left_out[3] += n - 1 - k;
            for (int l = k + 1; l < n && !is_far; l++)
                HF_CHECK(add(fragments, molecule, (struct hf_cluster){3, {i, k, l}, 0.0}, distance,
                             clusters, error));
        }
    if (most > 0 || n == 1) return HF_OK;
    struct hf_cluster all = {n, {0, 1, 2}, 0.0}; /* whose members do not count beyond three */
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) all.distance = fmax(all.distance, distance_of(fragments, i, k));
    return add(fragments, molecule, all, INFINITY, clusters, error);
}

static int order(const struct hf_cluster *a, const struct hf_cluster *b)
{
    if (a->n != b->n) return a->n > b->n ? 1 : -1;
    for (int i = 0; i < a->n; i++)
        if (a->member[i] != b->member[i]) return a->member[i] > b->member[i] ? 1 : -1;
    return 0;
}

/** The place of a cluster; -1: it is not there. */
static int find(const struct hf_clusters *clusters, const struct hf_cluster *wanted)
{
    int low = 0, high = clusters->n - 1;
    while (low <= high) {
        const int middle = (low + high) / 2;
        const int difference = order(&clusters->cluster[middle], wanted);
        if (difference == 0) return middle;
        if (difference < 0)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return -1;
}

/** Cluster number k = 0, 1, ... of those inside of cluster i; -1: it is not there; -2: there are no more. */
static int inside(const struct hf_clusters *clusters, int i, int k)
{
    const struct hf_cluster *of = &clusters->cluster[i];
    struct hf_cluster part = {0};
    if (of->n > HF_MOST_BODIES) return k < of->n ? k : -2;
    if (k + 1 >= (1 << of->n) - 1) return -2;
    for (int m = 0; m < of->n; m++) /* bit m of k + 1 says whether member m is in it */
        if (((k + 1) >> m & 1) != 0) part.member[part.n++] = of->member[m];
    return find(clusters, &part);
}

void hf_cluster_subtract(const struct hf_clusters *clusters, int i, double energy[])
{
    for (int k = 0, part; (part = inside(clusters, i, k)) >= -1; k++)
        if (part >= 0) energy[i] -= energy[part];
}

void hf_cluster_add_weights(const struct hf_clusters *clusters, int i, double factor,
                            double weight[])
{
    weight[i] += factor;
    for (int k = 0, part; (part = inside(clusters, i, k)) >= -1; k++)
        if (part >= 0) hf_cluster_add_weights(clusters, part, -factor, weight);
}
