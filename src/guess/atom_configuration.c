/* Electron configurations of neutral atoms, and of their valence shells outside a core. */
#include "atom.h"

/** Ground states that differ from the order of filling: electrons moved from one angular momentum to another. Source:
 *  NIST Atomic Spectra Database, ground levels. */
static const struct departure {
    int atomic_number, from_l, to_l, n_electron;
} departures[] = {
    {24, 0, 2, 1}, {29, 0, 2, 1}, {41, 0, 2, 1}, {42, 0, 2, 1}, {44, 0, 2, 1},
    {45, 0, 2, 1}, {46, 0, 2, 2}, {47, 0, 2, 1}, {57, 3, 2, 1}, {58, 3, 2, 1},
    {64, 3, 2, 1}, {78, 0, 2, 1}, {79, 0, 2, 1}, {89, 3, 2, 1}, {90, 3, 2, 2},
    {91, 3, 2, 1}, {92, 3, 2, 1}, {93, 3, 2, 1}, {96, 3, 2, 1}, {103, 2, 1, 1},
};

/** Fills n electrons into subshells of angular momentum l_filled [n_subshell], one after another; -1 is skipped. */
static void fill(int n, int n_subshell, const int l_filled[], int n_electron[HF_ATOM_N_L])
{
    for (int l = 0; l < HF_ATOM_N_L; l++) n_electron[l] = 0;
    for (int i = 0; i < n_subshell && n > 0; i++) {
        if (l_filled[i] < 0) continue;
        const int room = 2 * (2 * l_filled[i] + 1), filled = n < room ? n : room;
        n_electron[l_filled[i]] += filled;
        n -= filled;
    }
}

void hf_atom_configuration(int atomic_number, int n_electron[HF_ATOM_N_L])
{
    /* order of filling: 1s 2s 2p 3s 3p 4s 3d 4p 5s 4d 5p 6s 4f 5d 6p 7s 5f 6d 7p */
    static const int l_filled[] = {0, 0, 1, 0, 1, 0, 2, 1, 0, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1};
    fill(atomic_number, sizeof l_filled / sizeof *l_filled, l_filled, n_electron);
    for (size_t i = 0; i < sizeof departures / sizeof *departures; i++)
        if (departures[i].atomic_number == atomic_number) {
            n_electron[departures[i].from_l] -= departures[i].n_electron;
            n_electron[departures[i].to_l] += departures[i].n_electron;
        }
}

/** Subshells of the cores of effective core potentials: closed, by principal quantum number. The 54 electrons of a
 *  xenon core do not fill 4f. */
static void core_configuration(int n_core, int n_electron[HF_ATOM_N_L])
{
    const int l_4f = n_core == 54 ? -1 : 3;
    const int l_filled[] = {0, 0, 1, 0, 1, 2, 0, 1, 2, l_4f, 0, 1, 2, 3, 0, 1};
    fill(n_core, sizeof l_filled / sizeof *l_filled, l_filled, n_electron);
}

void hf_atom_valence_configuration(int atomic_number, int n_core, int n_electron[HF_ATOM_N_L])
{
    int core[HF_ATOM_N_L], missing = 0;
    hf_atom_configuration(atomic_number, n_electron);
    core_configuration(n_core, core);
    for (int l = 0; l < HF_ATOM_N_L; l++) {
        n_electron[l] -= core[l];
        if (n_electron[l] >= 0) continue;
        missing -= n_electron[l];
        n_electron[l] = 0;
    }
    for (int l = HF_ATOM_N_L - 1; l >= 0 && missing > 0; l--) { /* another kind of core */
        const int taken = missing < n_electron[l] ? missing : n_electron[l];
        n_electron[l] -= taken;
        missing -= taken;
    }
}
