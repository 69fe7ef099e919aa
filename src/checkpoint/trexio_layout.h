/* Inside the checkpoint: rows of the tables of TREXIO files. One table serves to write and to read. */
#ifndef HF_TREXIO_LAYOUT_H
#define HF_TREXIO_LAYOUT_H

#include "checkpoint/trexio.h"
#include "checkpoint_hdf5.h"

struct hf_trexio_nucleus {
    double charge, place[3];
};
struct hf_trexio_core {
    int n_core, max_l;
};
struct hf_trexio_shell {
    int atom, l;
    double factor;
};
struct hf_trexio_primitive {
    int shell;
    double exponent, coefficient, norm;
};
struct hf_trexio_function {
    int shell;
    double norm;
};
extern const struct hf_fields hf_trexio_nucleus_fields, hf_trexio_core_fields,
    hf_trexio_local_fields, /**< of struct hf_trexio_core */
    hf_trexio_shell_fields, hf_trexio_primitive_fields, hf_trexio_function_fields,
    hf_trexio_core_term_fields,  /**< of struct hf_core_term */
    hf_trexio_core_atom_fields,  /**< of an int, for each of these */
    hf_trexio_occupation_fields, /**< of struct hf_trexio_orbital, as the next two */
    hf_trexio_spin_fields, hf_trexio_energy_fields;

#endif
