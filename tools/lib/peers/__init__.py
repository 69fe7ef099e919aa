"""Other programs beside hf on one problem, for tools/bench-peers: same molecule, basis functions digit for
digit, screening, convergence and cores. A program is a class with `name`, `executable`, `about`, a
constructor that writes its input into a folder (`launch` starts ranks, `path` is the program), and `run()`,
which gives a measurement. `mp2` says whether it can compute an MP2 gradient in place of an SCF (problem.mp2):

    seconds, cpu_seconds  wall time of the whole program; processor time of all its processes
    energy_hartree        total energy
    builds                Fock matrices built
    first_build_seconds   one whole Fock build, integrals computed
    later_build_seconds   a later one as sharp: from changes, from stored integrals, or whole like the first
"""

from .hf import Hf
from .nwchem import NWChem, NWChemDiis
from .psi4 import Psi4Direct, Psi4Pk

PEERS = (Psi4Direct, Psi4Pk, NWChem, NWChemDiis)
