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


class Evaluated(NamedTuple):
    """Eqs. 9.9 to 9.14 with the parameters below on so many processes: seconds and speedups of P1 and P2, and the
    speedup of P2 over Gigabit Ethernet. The book draws them (Figs. 9.4 to 9.6); these numbers follow from its equations."""
    n_process: int
    p1_seconds: float
    p1_speedup: float
    p2_seconds: float
    p2_speedup: float
    p2_ethernet_speedup: float


# Section 9.5: uracil dimer in cc-pVDZ, all electrons, one batch. alpha, beta per word, gamma; for P1 beta + gamma/2.
MP2_FUNCTIONS, MP2_SHELLS, MP2_OCCUPIED, MP2_SECONDS = 264, 104, 58, 2462.0
P1_ALPHA, P1_PER_WORD = 130e-6, 58e-9
P2_ALPHA, P2_PER_WORD = 9.9e-6, 15.7e-9
ETHERNET_ALPHA, ETHERNET_PER_WORD = 11e-6, 68e-9
MP2_MODELS = (
    Evaluated(16, 217.5, 11.3, 197.4, 12.5, 9.0),
    Evaluated(100, 95.2, 25.9, 32.0, 77.0, 54.7),
    Evaluated(110, 93.3, 26.4, 29.1, 84.7, 60.2),
)
# Of the models: P2 is as fast as P1 on 12 processes, and P1 has its largest speedup near 1183.
MP2_CROSSING, P1_LARGEST_SPEEDUP, P1_LARGEST_AT = 12, 31.5, 1183
# Measured (Figs. 9.7 to 9.9 and text): P2 over P1 on 110 processes; P1 is the fastest from 2 to 16.
P2_OVER_P1_OF_110, P1_FASTEST_UP_TO = 2.5, 16
# Section 5.4: Fig. 5.6 sets the speedup of 16 processes to 16; Fig. 5.8 has so many passes over the integrals.
INFLATED_FROM, PASSES = 16, {1: 4, 2: 2, 4: 1}


class LocalMp2(NamedTuple):
    """Section 10.3.3: measured speedups of local MP2 in cc-pVDZ on so many processes."""
    n_process: int
    transformation: float
    iterations: float
    whole: float


# Figs. 10.4 and 10.5. Of C32H66 those of transformation and whole are relative to two processes, set to 2.
LOCAL_MP2 = {"uracil dimer": LocalMp2(100, 90, 52, 67), "C32H66": LocalMp2(100, 87, 37, 62)}
