/* XYZ: what its reader and that of its comment line share. */
#ifndef HF_XYZ_H
#define HF_XYZ_H

#include "draft.h"

enum { HF_MAX_XYZ_COLUMN = 200 };

/** Where in a line the element and the coordinates stand, counted in words from 0. */
struct xyz_columns {
    int element, position;
    bool given; /**< the comment says so (Properties) */
};

/** The comment line: charge, multiplicity, units, columns, title. `unit` is what stood behind the
 *  count: 1 for bohr, 0 for angstrom, -1 for nothing. */
hf_status hf_xyz_read_comment(struct draft *draft, int line, int unit, struct xyz_columns *columns,
                              struct hf_error *error);

#endif
