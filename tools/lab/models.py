"""Performance models of C. L. Janssen and I. M. B. Nielsen, Parallel Computing in Quantum Chemistry (2008): each
equation a function of plain numbers. Times are in seconds, matrices in words of 8 bytes, p is the number of processes."""

import json
import math
from statistics import NormalDist, fmean, pstdev
from typing import NamedTuple

BYTES_PER_WORD = 8
PROBABILITY = 0.99  # the book's T


class Statistics(NamedTuple):
    """What Eqs. 7.5 to 7.8 know of the tasks: mu, in the unit of the costs, and sigma/mu."""
    mean: float
    relative_deviation: float


class Machine(NamedTuple):
    """Eqs. 5.1 and 5.14: alpha, the latency of a message; beta per word; gamma, an addition in a reduction."""
    alpha_seconds: float
    beta_seconds_per_word: float
    gamma_seconds: float


def line_of_pingpong(path):
    """(alpha, beta per byte) of a file of `hf-bench pingpong --json`: the line fitted to the messages between rank 0 and the
    partner of the largest alpha. ValueError."""
    try:
        with open(path, encoding="utf-8") as file:
            written = json.load(file)
        lines = [(partner["fitted"]["alpha_seconds"], partner["fitted"]["beta_seconds_per_byte"], partner["damaged_bytes"])
                 for partner in written["results"]["partners"]]
        alpha, beta, _ = max(lines)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path}: no file of hf-bench pingpong: {error}") from error
    if any(damaged != 0 for *_, damaged in lines):
        raise ValueError(f"{path}: bytes arrived damaged")
    if not (0 < alpha < math.inf and 0 < beta < math.inf):
        raise ValueError(f"{path}: the fitted alpha_seconds is {alpha} and beta_seconds_per_byte is {beta}, expected numbers above 0")
    return alpha, beta


def all_reduce_seconds(machine, n_word, n_process):
    """Eq. 3.8, Rabenseifner's all-reduce: 2 log2(p) alpha + 2 (p - 1)/p l (beta + gamma/2)."""
    per_word = machine.beta_seconds_per_word + machine.gamma_seconds / 2
    return 2 * math.log2(n_process) * machine.alpha_seconds + 2 * (n_process - 1) / n_process * n_word * per_word


def statistics_of(costs):
    """Of Table 7.1, with the sigma of the whole population."""
    mean = fmean(costs)
    return Statistics(mean, pstdev(costs, mean) / mean)


# --- Distribution of tasks (chapter 7) ---

def load_imbalance_factor(n_process):
    """k(p) of Eqs. 7.9 and 7.10: with probability T none of p normally distributed times is longer than mu + k sigma."""
    log_below = math.log(PROBABILITY) / n_process  # T**(1/p) is the probability that one time is below
    # For many processes T**(1/p) is 1 but for its last digits; 1 - T**(1/p) has them all.
    return -NormalDist().inv_cdf(-math.expm1(log_below))


def approximate_load_imbalance_factor(n_process):
    """k(p) of Eq. 7.11, Eq. 7.10 for T = 0.99 to about a percent."""
    return math.sqrt(1.9 * math.log(n_process) + 5.3)


def static_seconds(n_task, tasks, n_process):
    """t(p) of Eqs. 7.5 (quartets) and 7.6 (pairs): mu n/p + k(p) sigma sqrt(n/p); k(1) = 0."""
    imbalance = tasks.relative_deviation * math.sqrt(n_process / n_task)
    return tasks.mean * n_task / n_process * (1 + (load_imbalance_factor(n_process) * imbalance if n_process > 1 else 0))


def static_efficiency(n_task, relative_deviation, n_process, factor=load_imbalance_factor):
    """E(p) of Eqs. 7.7 and 7.8. The k(1) of the numerator is that of `factor`, as printed, so that E(1) = 1."""
    one, many = (1 + factor(p) * relative_deviation * math.sqrt(p / n_task) for p in (1, n_process))
    return one / many


def manager_efficiency(n_process):
    """E(p) of Eq. 7.12: one process does nothing but hand tasks out. A single process has no manager."""
    return 1.0 if n_process == 1 else (n_process - 1) / n_process


def manager_seconds(machine, work_seconds, n_task, n_process, exchange_bytes):
    """The longer one of the workers' time (Eq. 7.12) and the manager's (section 7.3.2.2): (n + p - 1) requests with their
    answers, which have `exchange_bytes` together."""
    if n_process == 1:
        return work_seconds
    exchange = 2 * machine.alpha_seconds + exchange_bytes / BYTES_PER_WORD * machine.beta_seconds_per_word
    return max(work_seconds / (n_process - 1), (n_task + n_process - 1) * exchange)


# --- Fock matrices (chapter 8) ---

def replicated_communication_seconds(machine, n_function, n_process):
    """Eq. 8.9 of hf: J and K, n**2/2 words each, are summed one after the other, and the density is gathered."""
    return (2 * all_reduce_seconds(machine, n_function**2 / 2, n_process)
            + all_reduce_seconds(machine, n_function**2, n_process))


def distributed_communication_seconds(machine, n_quartet, functions_per_atom, n_process):
    """Eq. 8.11, n_quartet/p (12 alpha + 12 (n/n_atom)**2 beta): of each atom quartet six blocks of the density are fetched
    and six of the Fock matrix sent. One process sends nothing."""
    blocks = 12 * machine.alpha_seconds + 12 * functions_per_atom**2 * machine.beta_seconds_per_word
    return n_quartet / n_process * blocks if n_process > 1 else 0.0


# --- MP2: transformation of integrals to pairs of occupied orbitals (chapter 9) ---

class Transformation(NamedTuple):
    """n functions in n_shell shells, o correlated and v virtual orbitals, n_I batches of occupied ones."""
    n_function: int
    n_shell: int
    n_occupied: int
    n_virtual: int
    n_batch: int = 1


def p1_communication_seconds(machine, sizes, n_process):
    """Eq. 9.9: n_I n_shell**2 / 2 all-reduces of o n**3 / 2 words in all."""
    latency = sizes.n_batch * sizes.n_shell**2 * math.log2(n_process) * machine.alpha_seconds
    per_word = machine.beta_seconds_per_word + machine.gamma_seconds / 2
    return latency + (n_process - 1) / n_process * sizes.n_occupied * sizes.n_function**3 * per_word


def p2_communication_seconds(machine, sizes, n_process):
    """Eq. 9.12: n_shell**2 o**2 (p - 1)/p**2 messages of n**2/n_shell words."""
    n_message = sizes.n_shell**2 * sizes.n_occupied**2 * (n_process - 1) / n_process**2
    return n_message * (machine.alpha_seconds + sizes.n_function**2 / sizes.n_shell * machine.beta_seconds_per_word)


def kets_communication_seconds(machine, sizes, n_process):
    """hf's "kets": the o v n**2 / 2 integrals (ia|rs) go to the ranks that finish orbitals i, a message for each orbital."""
    o, n_word = sizes.n_occupied, sizes.n_occupied * sizes.n_virtual * sizes.n_function**2 / 2
    return ((n_process - 1) * max(1.0, o / n_process) * machine.alpha_seconds
            + (n_process - 1) / n_process**2 * n_word * machine.beta_seconds_per_word)


def pairs_communication_seconds(machine, sizes, n_process):
    """hf's "pairs" (Fig. 10.2 with canonical orbitals): o**2 n**2 / 2 integrals (iM|jN), one redistribution for each batch."""
    n_word = sizes.n_occupied**2 * sizes.n_function**2 / 2
    return ((n_process - 1) * sizes.n_batch * machine.alpha_seconds
            + (n_process - 1) / n_process**2 * n_word * machine.beta_seconds_per_word)


def forces_communication_seconds(machine, sizes, n_process):
    """Forces with "kets": T_ia(rs) go back where the (ia|rs) came from; processes that share an orbital swap its o v**2 amplitudes."""
    o, v = sizes.n_occupied, sizes.n_virtual
    swapped = max(0.0, 1.0 - o / n_process) * o**2 * v**2 / n_process
    return 2.0 * kets_communication_seconds(machine, sizes, n_process) + swapped * machine.beta_seconds_per_word


TRANSFORMATION_SECONDS = {"p1": p1_communication_seconds, "p2": p2_communication_seconds,
                          "kets": kets_communication_seconds, "pairs": pairs_communication_seconds,
                          "forces": forces_communication_seconds}


def transformation_seconds(algorithm, machine, sizes, compute_seconds, n_process):
    """Eqs. 9.10 (P1) and 9.13 (P2), t_comp(1)/p + t_comm(p); of hf's other algorithms the same sum."""
    return compute_seconds / n_process + TRANSFORMATION_SECONDS[algorithm](machine, sizes, n_process)


def transformation_words(algorithm, sizes):
    """(kept, sent): words on all ranks together, the largest arrays alone, and those sent in all if every rank had to
    send all that it has; forces have them go back. P1 sums the words that it sends: each counts once for each rank."""
    n, o, v, n_i = sizes.n_function, sizes.n_occupied, sizes.n_virtual, sizes.n_occupied / sizes.n_batch
    return {"p1": (n_i * o * n**2, o * n**3 / 2),
            "p2": (n_i * o * n**2, sizes.n_shell * o**2 * n**2),
            "kets": (n_i * v * n**2 / 2, o * v * n**2 / 2),
            "forces": (n_i * v * n**2 / 2, o * v * n**2),
            "pairs": (n_i * o * n**2 / 2, o**2 * n**2 / 2)}[algorithm]


def transformation_operations(algorithm, sizes):
    """Additions and multiplications of the four quarters for orbitals j <= i: that of the first, o n**4, and those of the
    others, by the complexities after Eq. 9.8."""
    n, o, v = sizes.n_function, sizes.n_occupied, sizes.n_virtual
    if algorithm == "kets":
        return o * n**4 + o * v * n**3 + o**2 * v * n**2 + o**2 * v**2 * n
    return o * n**4 + o**2 * n * (n**2 + n * v + v**2)


# --- Local MP2 (chapter 10) ---

def replication_seconds(machine, n_word, n_process):
    """Eq. 10.8, log2(p) alpha + n_ampl (p - 1)/p beta: all processes get n_word words from their owners (Eq. 3.4)."""
    return (math.log2(n_process) * machine.alpha_seconds
            + n_word * (n_process - 1) / n_process * machine.beta_seconds_per_word)
