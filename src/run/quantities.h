/* The list of what is computed from a wave function. */
#ifndef HF_QUANTITIES_H
#define HF_QUANTITIES_H

/** All quantities, in the order in which they are computed, reported and written. WITH: those whose options,
 *  hf_options_NAME, begin the group Output; the options of others stand elsewhere in the table, if they have any. */
#define HF_QUANTITIES(WITH, WITHOUT)                                                               \
    WITHOUT(optimisation)                                                                          \
    WITHOUT(mp2)                                                                                   \
    WITHOUT(local_mp2)                                                                             \
    WITHOUT(localised)                                                                             \
    WITH(properties)                                                                               \
    WITH(polarisability)                                                                           \
    WITH(excitations)                                                                              \
    WITHOUT(gradient)                                                                              \
    WITHOUT(vibrations)                                                                            \
    WITH(potential_charges)                                                                        \
    WITH(orbitals)                                                                                 \
    WITH(molden)                                                                                   \
    WITH(trexio)                                                                                   \
    WITH(wfn)                                                                                      \
    WITH(wfx)                                                                                      \
    WITH(cubes)                                                                                    \
    WITH(fcidump)

#endif
