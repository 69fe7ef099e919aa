/* Shared by the files of combinations: what is computed, and what comes out. */
#ifndef HF_EACH_COMBINATION_PRIVATE_H
#define HF_EACH_COMBINATION_PRIVATE_H

#include "basis_limit.h"
#include "each/combination.h"
#include "fragments.h"

/** Functions of a cluster: its own, or those of all fragments. */
enum hf_functions { HF_OWN_FUNCTIONS, HF_ALL_FUNCTIONS, HF_N_FUNCTIONS };

/** A calculation. */
struct hf_part {
    int cluster;
    enum hf_functions functions;
    int set;       /**< of the basis limit */
    bool scf_only; /**< for the gradient of a correlated method in two sets */
    uint64_t hash;
    long line;         /**< where its result is in the JSON lines; -1: nowhere */
    double scf, total; /**< energies */
};

/** Sums over clusters with one kind of functions, hartree. */
struct hf_interaction {
    double *energy, *contribution;        /**< [n_cluster] */
    double of_bodies[HF_MOST_BODIES + 1]; /**< contributions of clusters of so many fragments */
    double energy_of_interaction, scf_of_interaction, total;
    double *gradient, *gradient_of_interaction; /**< [3 n_atom], of the total energy; NULL: none */
};

struct hf_combination {
    const struct hf_combination_settings *settings; /**< borrowed */
    const struct hf_molecule *molecule;             /**< borrowed */
    struct hf_fragments fragments;
    struct hf_clusters clusters;
    struct hf_basis_limit limit;
    int most;               /**< fragments of a cluster; 0: single ones and all */
    double distance;        /**< bohr */
    enum hf_functions last; /**< HF_ALL_FUNCTIONS with the counterpoise correction */
    bool gradient, correlated;
    int64_t n_part;
    struct hf_part *part;
    struct hf_interaction interaction[HF_N_FUNCTIONS];
    struct hf_options options; /**< of the job */
    uint64_t settings_hash;    /**< of the job; on rank 0 */
    char *path;                /**< of the JSON lines */
    char name[400], *text;     /**< of the last record */
    struct hf_arena arena;
};

/** Lists the calculations and makes the arrays of the sums. Local. HF_NO_RESOURCE. */
hf_status hf_parts_plan(struct hf_combination *self, struct hf_error *error) HF_MUST_CHECK;

/** Whether a part has an atom, and whether it is a ghost. */
bool hf_part_has_atom(const struct hf_combination *self, const struct hf_part *part, int atom,
                      bool *ghost);

/** "fragment 1 with all functions", cut to `size` bytes. Returns `text`. */
const char *hf_part_name(const struct hf_combination *self, const struct hf_part *part, size_t size,
                         char text[]);

/** Makes record i of a combination, as of struct hf_record_source, and sets its hash. */
hf_status hf_parts_make_record(void *data, int64_t i, struct hf_molecule_record *record,
                               struct hf_error *error) HF_MUST_CHECK;

/** Reads the results in the order of the parts, so that sums have the same bits, and adds them up. Local, on rank 0.
 *  HF_NOT_CONVERGED, HF_BAD_INPUT, HF_NO_RESOURCE: one of them has failed. */
hf_status hf_parts_add_up(struct hf_combination *self, struct hf_error *error) HF_MUST_CHECK;

/** What comes out. Local. */
void hf_combination_report(FILE *out, const struct hf_combination *self,
                           const struct hf_calculation *calculation);

/** The JSON file. Local. HF_NO_RESOURCE. */
hf_status hf_combination_save(const struct hf_combination *self,
                              const struct hf_calculation *calculation, const char *path,
                              struct hf_error *error) HF_MUST_CHECK;

#endif
