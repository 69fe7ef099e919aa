/* Which molfiles lack hydrogen atoms, which only look so, and which are drawings. */
#include "reading.h"

#include <math.h>
#include <stdio.h>

enum verdict { SILENT, WARNED, REFUSED, DRAWING };

/** Atoms "C 0 0 0;..." and bonds "1-2=1;..." become a V2000 file. */
static void write_file(char *text, const char *atoms, const char *bonds, const char *properties)
{
    char symbol[4];
    double x, y, z;
    int a, b, type, n, n_atom = 0, n_bond = 0;
    for (const char *c = atoms; c != NULL && *c != '\0';
         c = strchr(c, ';') ? strchr(c, ';') + 1 : NULL)
        n_atom++;
    for (const char *c = bonds; c != NULL && *c != '\0';
         c = strchr(c, ';') ? strchr(c, ';') + 1 : NULL)
        n_bond++;
    text += sprintf(text, "\n\n\n%3d%3d  0  0  0  0            999 V2000\n", n_atom, n_bond);
    for (; sscanf(atoms, "%3s %lf %lf %lf%n", symbol, &x, &y, &z, &n) == 4; atoms += n + 1) {
        text += sprintf(text, "%10.4f%10.4f%10.4f %-3s 0  0\n", x, y, z, symbol);
        if (atoms[n] == '\0') break;
    }
    for (; sscanf(bonds, "%d-%d=%d%n", &a, &b, &type, &n) == 3; bonds += n + 1) {
        text += sprintf(text, "%3d%3d%3d\n", a, b, type);
        if (bonds[n] == '\0') break;
    }
    sprintf(text, "%sM  END\n", properties);
}

#define BENZENE_CARBON                                                                             \
    "C 1.39 0 0;C 0.695 1.204 0;C -0.695 1.204 0;C -1.39 0 0;C -0.695 -1.204 0;C 0.695 -1.204 0"
#define BENZENE_HYDROGEN                                                                           \
    ";H 2.48 0 0;H 1.24 2.148 0;H -1.24 2.148 0;H -2.48 0 0;H -1.24 -2.148 0;H 1.24 -2.148 0"
#define CH_BONDS ";1-7=1;2-8=1;3-9=1;4-10=1;5-11=1;6-12=1"
#define RING     "1-2=1;2-3=1;3-4=1;4-5=1;5-6=1;6-1=1"

static const struct {
    const char *name, *atoms, *bonds, *properties;
    const char *charge; /* of the command line */
    enum verdict verdict;
} cases[] = {
    {"carbon dioxide", "C 0 0 0;O 0 0 1.16;O 0 0 -1.16", "1-2=2;1-3=2", "", "0", SILENT},
    {"carbon monoxide, no charges", "C 0 0 0;O 0 0 1.128", "1-2=3", "", "0", WARNED},
    {"carbon monoxide, charges", "C 0 0 0;O 0 0 1.128", "1-2=3", "M  CHG  2   1  -1   2   1\n", "0",
     SILENT},
    {"carbon monoxide, one bond", "C 0 0 0;O 0 0 1.128", "1-2=1", "", "0", WARNED},
    {"ozone, no charges", "O 0 0 0.1;O 0 1.09 -0.57;O 0.2 -1.09 -0.57", "1-2=2;1-3=1", "", "0",
     WARNED},
    {"hydrogen isocyanide", "N 0 0 0;C 0 0 1.17;H 0 0.1 -1", "1-2=3;1-3=1", "", "0", WARNED},
    {"white phosphorus", "P 0 0 0;P 1.56 1.56 0;P 1.56 0 1.56;P 0 1.56 1.56",
     "1-2=1;1-3=1;1-4=1;2-3=1;2-4=1;3-4=1", "", "0", SILENT},
    {"sulfur ring of four", "S 0 0 0;S 2.06 0 0.2;S 2.06 2.06 0;S 0 2.06 0.2",
     "1-2=1;2-3=1;3-4=1;4-1=1", "", "0", SILENT},
    {"sulfur dioxide, single bonds", "S 0 0 0;O 0.1 1.24 0.72;O 0 -1.24 0.72", "1-2=1;1-3=1", "",
     "0", WARNED},
    {"benzene", BENZENE_CARBON BENZENE_HYDROGEN, "1-2=2;2-3=1;3-4=2;4-5=1;5-6=2;6-1=1" CH_BONDS, "",
     "0", SILENT},
    {"benzene, aromatic bonds", BENZENE_CARBON BENZENE_HYDROGEN,
     "1-2=4;2-3=4;3-4=4;4-5=4;5-6=4;6-1=4" CH_BONDS, "", "0", SILENT},
    {"benzene, bond orders not known", BENZENE_CARBON BENZENE_HYDROGEN, RING CH_BONDS, "", "0",
     WARNED},
    {"benzene without hydrogen", BENZENE_CARBON, "1-2=2;2-3=1;3-4=2;4-5=1;5-6=2;6-1=1", "", "0",
     DRAWING},
    {"benzene without hydrogen, tilted",
     "C 1.39 0 0.1;C 0.695 1.204 0;C -0.695 1.204 0;C -1.39 0 0;C -0.695 -1.204 0;C 0.695 -1.204 0",
     "1-2=2;2-3=1;3-4=2;4-5=1;5-6=2;6-1=1", "", "0", REFUSED},
    {"ethane without hydrogen", "C 0 0 0;C 0 0 1.54", "1-2=1", "", "0", REFUSED},
    {"methanol without the hydrogen of oxygen",
     "C 0 0 0;O 0 0 1.43;H 1.03 0 -0.36;H -0.51 0.89 -0.36;H -0.51 -0.89 -0.36",
     "1-2=1;1-3=1;1-4=1;1-5=1", "", "1", WARNED},
    {"methoxide", "C 0 0 0;O 0 0 1.36;H 1.03 0 -0.36;H -0.51 0.89 -0.36;H -0.51 -0.89 -0.36",
     "1-2=1;1-3=1;1-4=1;1-5=1", "M  CHG  1   2  -1\n", NULL, SILENT},
    {"methyl cation, charge of the command line",
     "C 0 0 0;H 1.09 0 0;H -0.545 0.944 0;H -0.545 -0.944 0.01", "1-2=1;1-3=1;1-4=1", "", "1",
     WARNED},
    {"methyl cation, charge of the file",
     "C 0 0 0;H 1.09 0 0;H -0.545 0.944 0;H -0.545 -0.944 0.01", "1-2=1;1-3=1;1-4=1",
     "M  CHG  1   1   1\n", NULL, SILENT},
    {"methylene, singlet", "C 0 0 0.1;H 0 0.86 -0.6;H 0 -0.86 -0.6", "1-2=1;1-3=1",
     "M  RAD  1   1   1\n", "0", SILENT},
    {"methylene, not said to be one", "C 0 0 0.1;H 0 0.86 -0.6;H 0 -0.86 -0.6", "1-2=1;1-3=1", "",
     "0", REFUSED},
    {"ammonium",
     "N 0 0 0;H 0.59 0.59 0.59;H -0.59 -0.59 0.59;H -0.59 0.59 -0.59;H 0.59 -0.59 -0.59",
     "1-2=1;1-3=1;1-4=1;1-5=1", "M  CHG  1   1   1\n", NULL, SILENT},
    {"nitrogen dioxide anion, five bonds at nitrogen",
     "N 0 0 0;O 0 1.05 0.66;O 0.1 -1.05 0.66;H 0 0 -1.05", "1-2=2;1-3=2;1-4=1", "", "0", SILENT},
    {"zinc chloride without bonds to zinc", "Zn 0 0 0;Cl 0 0 2.1;Cl 0 0 -2.1;H 0 0 5;H 0 0 5.74",
     "4-5=1", "", "0", WARNED},
    {"zinc complex of water oxygen", "Zn 0 0 0;O 0 0 1.7;H 0 0.9 2;Cl 0 0.1 -2.1", "2-3=1;1-4=1",
     "", "0", WARNED},
    {"oxygen and hydrogen bonded to nothing", "O 0 0 0;H 0 0.76 0.59;H 0 -0.76 0.59", "", "", "0",
     SILENT},
    {"one atom of carbon", "C 0 0 0", "", "", "0", REFUSED},
    {"neon", "Ne 0 0 0", "", "", "0", SILENT},
    {"fluoride", "F 0 0 0", "", "M  CHG  1   1  -1\n", NULL, SILENT},
    {"diborane",
     "B 0 0 0.88;B 0 0 -0.88;H 0 0.98 0;H 0 -0.98 0;H 1.04 0 1.46;H -1.04 0 1.46;H 1.04 0 -1.46;"
     "H -1.04 0 -1.46",
     "1-3=1;1-4=1;2-3=1;2-4=1;1-5=1;1-6=1;2-7=1;2-8=1", "", "0", SILENT},
};

TEST(only_what_surely_lacks_hydrogen_is_refused)
{
    static const char *const message[] = {"", "leave room for", "hydrogen atoms are missing",
                                          "flat drawing"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4000];
        struct reading this;
        write_file(text, cases[i].atoms, cases[i].bonds, cases[i].properties);
        const hf_status status =
            read_with(&this, text, cases[i].charge != NULL ? "charge" : NULL, cases[i].charge);
        const enum verdict verdict = cases[i].verdict;
        const bool parity = strstr(this.error.message, "cannot have multiplicity") != NULL;
        const bool refused = status != HF_OK && !parity;
        int n_warning = 0;
        for (int k = 0; k < this.input.n_warning; k++)
            n_warning += strstr(this.input.warning[k], message[WARNED]) != NULL;
        if (refused != (verdict >= REFUSED) ||
            (refused && strstr(this.error.message, message[verdict]) == NULL) ||
            n_warning != (verdict == WARNED))
            fail_msg("%s: status %d, %d warnings, '%s'", cases[i].name, (int)status, n_warning,
                     this.error.message);
        done(&this);
    }
}

TEST_MAIN
