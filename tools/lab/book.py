"""What C. L. Janssen and I. M. B. Nielsen measured (Parallel Computing in Quantum Chemistry, 2008): numbers of their
tables and text, to stand beside ours."""

from typing import NamedTuple


class Row(NamedTuple):
    """A line of Table 7.1: ethane, integrals of single shell quartets (q) and of shell pairs with all others (p)."""
    basis: str
    n_function: int
    n_shell: int
    quartet_microseconds: float
    quartet_deviation: float  # sigma_q / mu_q
    pair_deviation: float     # sigma_p / mu_p


TABLE_7_1 = (
    Row("STO-3G", 16, 10, 32, 0.5, 0.6),
    Row("6-31G*", 42, 20, 14, 1.4, 0.8),
    Row("cc-pVDZ", 58, 28, 11, 3.7, 1.2),
    Row("cc-pVTZ", 144, 54, 10, 2.0, 1.1),
    Row("cc-pVQZ", 290, 88, 23, 2.6, 1.5),
)

# Section 7.2.2.3, Fig. 7.2: the ratios that the models of ethane, butane and octane in cc-pVTZ were drawn with.
QUARTET_DEVIATION, PAIR_DEVIATION = 2.0, 1.1
# Section 7.3: measured efficiency of static pairs, butane in cc-pVTZ; the last one is "below 60 % around 200".
STATIC_PAIRS = {20: 0.93, 50: 0.78, 200: 0.60}

# Section 8.3 and 8.4, Figs. 8.3 and 8.6: speedups of the Fock build on 100 processes, uracil dimer in aug-cc-pVTZ.
SPEEDUP_OF_100 = {("replicated", "manager"): 99, ("replicated", "static"): 88,
                  ("distributed", "manager"): 91, ("distributed", "static"): 81}

# Section 8.4: the network and the cost of an integral that the model of distributed data was worked out with.
LATENCY_SECONDS, SECONDS_PER_WORD, INTEGRAL_SECONDS = 30e-6, 14e-9, 0.5e-6
