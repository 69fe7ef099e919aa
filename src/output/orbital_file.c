/* What files of orbitals have in common: which orbitals they show, one after another on rank 0, and the order of the
 * functions in them. While a set is written there is a matrix like its coefficients, spread as they are; rank 0 holds a
 * few orbitals. */
#include "orbital_file.h"

#include "basis/axial_order.h"
#include "hf/linalg.h"
#include "localise/localise.h"

#include <math.h>

const char *hf_orbital_file_path(const struct hf_quantity *quantity, int i)
{
    return i == 0 ? hf_options_text(quantity->of->options, quantity->ops->option) : NULL;
}

hf_status hf_orbital_file_open(const struct hf_quantity *quantity, struct hf_orbital_file *self,
                               struct hf_error *error)
{
    const struct hf_quantity_source *of = quantity->of;
    self->of = of;
    self->source = self->transitions && of->transition != NULL ? of->transition : of->wavefunction;
    self->natural = of->relaxed != NULL && of->localised == NULL;
    HF_CHECK(self->natural ? hf_natural_show(of->context, of->relaxed, &self->shown, error)
                           : hf_localised_show(of->context, of->localised, self->source,
                                               &self->shown, error));
    return hf_output_file_open(of->context, quantity->ops->path(quantity, 0), quantity->ops->file,
                               &self->file, error);
}

hf_status hf_orbital_file_send(const struct hf_orbital_file *self, int spin,
                               hf_matrix_rows_function take, void *data, struct hf_error *error)
{
    const struct hf_matrix *coefficient = self->shown.spin[spin].coefficient;
    struct hf_matrix *rows = NULL;
    hf_status status;
    HF_TRY(hf_matrix_create(self->shown.linalg, "orbitals as rows", hf_matrix_n_col(coefficient),
                            hf_matrix_n_row(coefficient), &rows, error));
    hf_matrix_add_transposed(1.0, coefficient, 0.0, rows);
    HF_TRY(hf_matrix_send_rows(rows, take, data, error));
cleanup:
    hf_matrix_destroy(&rows);
    return status;
}

hf_status hf_orbital_file_close(struct hf_orbital_file *self, hf_status status,
                                struct hf_error *error)
{
    status = hf_output_file_close(self->of->context, &self->file, status, error);
    hf_localised_show_done(&self->shown, self->source);
    return status;
}

enum hf_shell_kind hf_shell_kind_of(const struct hf_basis *basis, int l)
{
    enum hf_shell_kind kind = HF_NO_SHELLS;
    for (int s = 0; s < basis->n_shell; s++)
        if (basis->shell[s].l == l)
            kind |= basis->shell[s].spherical ? HF_SPHERICAL_SHELLS : HF_CARTESIAN_SHELLS;
    return kind;
}

/** Norm of x^i y^j z^k where that of x^(i+j+k) is 1. */
static double norm_of(int l, int place)
{
    int power[3] = {l, 0, 0}, factorial[3] = {1, 1, 1}, whole = 1;
    for (int at = 0; at < place; at++) { /* x falling, then y falling */
        if (power[1] > 0) {
            power[1]--;
            power[2]++;
        } else {
            power[1] = l - --power[0];
            power[2] = 0;
        }
    }
    for (int d = 0; d < 3; d++)
        for (int n = 2 * power[d] - 1; n > 1; n -= 2) factorial[d] *= n;
    for (int n = 2 * l - 1; n > 1; n -= 2) whole *= n;
    return sqrt((double)(factorial[0] * factorial[1] * factorial[2]) / whole);
}

hf_status hf_function_order_init(const struct hf_basis *basis,
                                 const signed char cartesian[][HF_MOST_CARTESIAN], bool axial_p,
                                 struct hf_function_order *order, struct hf_error *error)
{
    *order = (struct hf_function_order){.arena = {.label = "the order of functions"}};
    HF_TAKE(&order->arena, order->function, (size_t)basis->n_function);
    HF_TAKE(&order->arena, order->factor, (size_t)basis->n_function);
    HF_CHECK(hf_arena_check(&order->arena, error));
    for (int s = 0; s < basis->n_shell; s++) {
        const struct hf_shell *shell = &basis->shell[s];
        for (int i = 0; i < shell->n_function; i++) {
            const bool axial = shell->spherical || (shell->l == 1 && axial_p);
            const int place = axial               ? hf_axial_place(shell->l, i)
                              : cartesian != NULL ? cartesian[shell->l][i]
                                                  : i;
            order->function[shell->first_function + i] = shell->first_function + place;
            order->factor[shell->first_function + i] =
                shell->spherical ? 1.0 : norm_of(shell->l, place);
        }
    }
    return HF_OK;
}
