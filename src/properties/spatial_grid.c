/* Grids round molecules. */
#include "properties/spatial_grid.h"

#include <math.h>

hf_status hf_grid_around(const struct hf_molecule *molecule, double spacing, double margin,
                         struct hf_grid *grid, struct hf_error *error)
{
    const double most = 1e9;
    double n_point = 1.0;
    grid->spacing = spacing;
    for (int d = 0; d < 3; d++) {
        double low = INFINITY, high = -INFINITY;
        for (int a = 0; a < molecule->n_atom; a++) {
            low = fmin(low, molecule->atom[a].position_bohr[d]);
            high = fmax(high, molecule->atom[a].position_bohr[d]);
        }
        const double n = ceil((high - low + 2.0 * margin) / spacing) + 1.0;
        n_point *= n;
        if (n_point > most)
            return hf_fail(error, HF_BAD_INPUT,
                           "a grid with points %g bohr apart and %g bohr round the atoms has more "
                           "than %.0e points",
                           spacing, margin, most);
        grid->n[d] = (int)n;
        grid->origin[d] = 0.5 * (low + high - (n - 1.0) * spacing);
    }
    return HF_OK;
}
