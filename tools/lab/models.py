"""Performance models of C. L. Janssen and I. M. B. Nielsen, Parallel Computing in Quantum Chemistry (2008): each
equation a function of plain numbers.

p is the number of processes, `n_process`; a curve may be drawn with values between whole ones. Times are in
seconds, matrices in words of 8 bytes. A bad argument is a ValueError of one sentence."""

import json
import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

BYTES_PER_WORD = 8
PROBABILITY = 0.99  # the book's T
EXCHANGE_BYTES = 4 + 8  # a request of one integer and an answer of two, of 4 bytes each (section 7.3.2.2)
GAMMA_SECONDS = 1e-9  # the order of magnitude that section 8.3 gives


class MachineError(ValueError):
    """One line for the user: the file does not have what a Machine needs."""


class Statistics(NamedTuple):
    """What Eqs. 7.5 to 7.8 know of the tasks: mu, in the unit of the costs, and sigma/mu, a plain number."""
    mean: float
    relative_deviation: float


@dataclass(frozen=True)
class Machine:
    """The idealized machine model, Eqs. 5.1 and 5.14: alpha, the latency of a message; beta, the inverse bandwidth,
    per word of 8 bytes; gamma, the time of one addition in a reduction. All in seconds."""
    alpha_seconds: float
    beta_seconds_per_word: float
    gamma_seconds: float

    def __post_init__(self):
        _require_not_negative(alpha_seconds=self.alpha_seconds, beta_seconds_per_word=self.beta_seconds_per_word,
                              gamma_seconds=self.gamma_seconds)


def _require_processes(n_process):
    if not 1 <= n_process < math.inf:
        raise ValueError(f"the number of processes is {n_process}, expected 1 or more")


def _require_positive(**numbers):
    for name, number in numbers.items():
        if not 0 < number < math.inf:
            raise ValueError(f"{name} is {number}, expected a number above 0")


def _require_not_negative(**numbers):
    for name, number in numbers.items():
        if not 0 <= number < math.inf:
            raise ValueError(f"{name} is {number}, expected 0 or more")


# --- The machine ---

def _read_partners(path):
    """results.partners of a file of hf-bench pingpong."""
    try:
        with open(path, encoding="utf-8") as file:
            written = json.load(file)
    except OSError as error:
        raise MachineError(f"{path}: {error.strerror}, expected a file of hf-bench pingpong") from error
    except ValueError as error:
        raise MachineError(f"{path}: no file of hf-bench pingpong: {error}") from error
    if not isinstance(written, dict) or written.get("program") != "hf-bench":
        raise MachineError(f"{path}: no file of hf-bench pingpong")
    if written.get("kernel") != "pingpong":
        raise MachineError(f"{path}: a file of hf-bench {written.get('kernel')}, expected one of hf-bench pingpong")
    results = written.get("results")
    partners = results.get("partners") if isinstance(results, dict) else None
    if not isinstance(partners, list) or len(partners) == 0:
        raise MachineError(f"{path}: no partners in results, expected one or more")
    return partners


def machine_from_pingpong(path):
    """The Machine in a file of `hf-bench pingpong --json`: alpha and beta of the line that was fitted to the messages
    between rank 0 and the partner of the largest alpha. Messages say nothing about gamma: it is that of GAMMA_SECONDS."""
    partners = _read_partners(path)
    try:
        lines = [(partner["fitted"]["alpha_seconds"], partner["fitted"]["beta_seconds_per_byte"])
                 for partner in partners]
        n_damaged = sum(partner["damaged_bytes"] for partner in partners)
    except (KeyError, TypeError) as error:
        raise MachineError(f"{path}: a partner without fitted alpha_seconds, beta_seconds_per_byte or "
                           "damaged_bytes") from error
    if n_damaged != 0:
        raise MachineError(f"{path}: {n_damaged:g} bytes arrived damaged, expected none")
    for alpha, beta in lines:
        if not all(isinstance(number, (int, float)) and 0 < number < math.inf for number in (alpha, beta)):
            raise MachineError(f"{path}: the fitted alpha_seconds is {alpha} and beta_seconds_per_byte is {beta}, "
                               "expected numbers above 0")
    alpha_seconds, beta_seconds_per_byte = max(lines)
    return Machine(alpha_seconds, BYTES_PER_WORD * beta_seconds_per_byte, GAMMA_SECONDS)


def all_reduce_seconds(machine, n_word, n_process):
    """Eq. 3.8, Rabenseifner's all-reduce of l = n_word words on every process:
    2 log2(p) alpha + 2 (p - 1)/p l (beta + gamma/2). Where p is no power of two, log2(p) is not rounded up."""
    _require_processes(n_process)
    _require_not_negative(n_word=n_word)
    per_word = machine.beta_seconds_per_word + machine.gamma_seconds / 2
    return 2 * math.log2(n_process) * machine.alpha_seconds + 2 * (n_process - 1) / n_process * n_word * per_word


# --- What is measured (chapter 5) ---

def speedup(seconds_of_one, seconds):
    """S(p) = t(1)/t(p), Eq. 5.3, a plain number, from the seconds of one process and of p processes."""
    _require_positive(seconds_of_one=seconds_of_one, seconds=seconds)
    return seconds_of_one / seconds


def efficiency(achieved_speedup, n_process):
    """E(p) = S(p)/p, Eq. 5.4, a plain number, from S and p."""
    _require_processes(n_process)
    _require_positive(achieved_speedup=achieved_speedup)
    return achieved_speedup / n_process


def serial_fraction(achieved_speedup, n_process):
    """The serial fraction of Karp and Flatt (section 5.5), e = (1/S - 1/p)/(1 - 1/p): the f that Amdahl's law,
    Eq. 5.5, needs to give S on p processes. Below 0 for superlinear speedups; None for p = 1, where any f will do."""
    _require_processes(n_process)
    _require_positive(achieved_speedup=achieved_speedup)
    if n_process == 1:
        return None
    return (1 / achieved_speedup - 1 / n_process) / (1 - 1 / n_process)


def statistics_of(costs):
    """Statistics of a list or array of costs of tasks: mu and sigma/mu of Table 7.1, with the sigma of the whole
    population (its squares are divided by n, not n - 1)."""
    if len(costs) == 0:
        raise ValueError("there are no costs, expected those of one task or more")
    _require_not_negative(cost=min(costs))
    mean = math.fsum(costs) / len(costs)
    if not 0 < mean < math.inf:
        raise ValueError(f"the mean cost is {mean}, expected a number above 0")
    variance = math.fsum((cost - mean)**2 for cost in costs) / len(costs)
    return Statistics(mean, math.sqrt(variance) / mean)


# --- Static distribution of tasks (section 7.2) ---

def load_imbalance_factor(n_process):
    """k(p) of Eqs. 7.9 and 7.10, a plain number: with probability T none of p times, which are normally distributed,
    is longer than mu + k sigma; k = sqrt(2) erfinv(2 T**(1/p) - 1)."""
    _require_processes(n_process)
    log_below = math.log(PROBABILITY) / n_process  # T**(1/p) is the probability that one time is below
    # For many processes T**(1/p) is 1 but for its last digits; 1 - T**(1/p) has them all.
    return -NormalDist().inv_cdf(-math.expm1(log_below))


def approximate_load_imbalance_factor(n_process):
    """k(p) of Eq. 7.11, sqrt(1.9 ln p + 5.3), a plain number: Eq. 7.10 for T = 0.99 to about a percent."""
    _require_processes(n_process)
    return math.sqrt(1.9 * math.log(n_process) + 5.3)


def _relative_imbalance(n_task, relative_deviation, n_process, factor):
    """k(p) (sigma/mu) sqrt(p/n): load imbalance over the mean time of a process."""
    _require_processes(n_process)
    _require_positive(n_task=n_task)
    _require_not_negative(relative_deviation=relative_deviation)
    return factor(n_process) * relative_deviation * math.sqrt(n_process / n_task)


def static_seconds(n_task, tasks, n_process):
    """t(p) of Eqs. 7.5 (quartets) and 7.6 (pairs): mu n/p + k(p) sigma sqrt(n/p), where n = n_task tasks of
    Statistics `tasks` (mean in seconds) are dealt round robin. For p = 1 the book takes
    k = 0, and so does this. The model wants n much larger than p."""
    _require_not_negative(mean_seconds=tasks.mean)
    imbalance = _relative_imbalance(n_task, tasks.relative_deviation, n_process, load_imbalance_factor)
    return tasks.mean * n_task / n_process * (1 + (imbalance if n_process > 1 else 0))


def static_efficiency(n_task, relative_deviation, n_process, factor=load_imbalance_factor):
    """E(p) of Eqs. 7.7 (quartets) and 7.8 (pairs), a plain number:
    (1 + k(1) (sigma/mu)/sqrt(n)) / (1 + k(p) (sigma/mu) sqrt(p/n)), with sigma/mu = relative_deviation. The k(1) of
    the numerator is that of `factor`, as printed, so that E(1) = 1; too low for few processes, as in Fig. 7.2."""
    return ((1 + _relative_imbalance(n_task, relative_deviation, 1, factor))
            / (1 + _relative_imbalance(n_task, relative_deviation, n_process, factor)))


# --- A manager that hands tasks out (section 7.3) ---

def manager_efficiency(n_process):
    """E(p) of Eq. 7.12, (p - 1)/p: one process does nothing but hand tasks out. A single process has no manager:
    E(1) = 1."""
    _require_processes(n_process)
    return 1.0 if n_process == 1 else (n_process - 1) / n_process


def _exchange_seconds(machine, exchange_bytes):
    """Seconds of a request and its answer, which have `exchange_bytes` together."""
    _require_not_negative(exchange_bytes=exchange_bytes)
    return 2 * machine.alpha_seconds + exchange_bytes / BYTES_PER_WORD * machine.beta_seconds_per_word


def manager_communication_seconds(machine, n_task, n_process, exchange_bytes=EXCHANGE_BYTES):
    """Seconds that the manager exchanges messages (section 7.3.2.2): (n_MN + p - 1)(2 alpha + 12 beta), with beta per
    byte; n_task = n_MN is the number of times tasks are handed out. Another length of request and answer together
    than the book's 12 bytes is `exchange_bytes`. 0 for one process."""
    _require_processes(n_process)
    _require_not_negative(n_task=n_task)
    if n_process == 1:
        return 0.0
    return (n_task + n_process - 1) * _exchange_seconds(machine, exchange_bytes)


def manager_seconds(machine, work_seconds, n_task, n_process, exchange_bytes=EXCHANGE_BYTES):
    """Time with a manager that may be too slow: the longer one of the workers' time, work/(p - 1) (Eq. 7.12), and
    the manager's (manager_communication_seconds). `work_seconds` is t(1), and the time of one process."""
    _require_not_negative(work_seconds=work_seconds)
    manager = manager_communication_seconds(machine, n_task, n_process, exchange_bytes)
    n_worker = 1 if n_process == 1 else n_process - 1
    return max(work_seconds / n_worker, manager)


# --- Fock matrix with replicated data (section 8.3) ---

def replicated_communication_seconds(machine, n_function, n_process, n_summed=1, n_gathered=0):
    """t_comm(p) of Eq. 8.9, 2 log2(p) alpha + (p - 1)/p n**2 (beta + gamma/2): Eq. 3.8 for the n**2/2 words of a
    symmetric matrix over n = n_function functions. The book sums one, G; hf sums n_summed = 2, J and K, one after the
    other, and gathers n_gathered = 1, the density, under ScaLAPACK by an all-reduce of all n**2 words (Eq. 3.8 with
    l = n**2), else by a broadcast, which has the same beta term."""
    _require_not_negative(n_function=n_function, n_summed=n_summed, n_gathered=n_gathered)
    return (n_summed * all_reduce_seconds(machine, n_function**2 / 2, n_process)
            + n_gathered * all_reduce_seconds(machine, n_function**2, n_process))


# --- Fock matrix with distributed data (section 8.4) ---

def atom_quartets(n_atom):
    """n_quartet of Eq. 8.12 without screening, a number: n_atom**4/8."""
    _require_positive(n_atom=n_atom)
    return n_atom**4 / 8


def _quartet_communication_seconds(machine, functions_per_atom):
    """12 alpha + 12 (n/n_atom)**2 beta: six blocks of the density fetched and six of the Fock matrix sent."""
    _require_positive(functions_per_atom=functions_per_atom)
    return 12 * machine.alpha_seconds + 12 * functions_per_atom**2 * machine.beta_seconds_per_word


def distributed_communication_seconds(machine, n_quartet, functions_per_atom, n_process):
    """t_comm(p) of Eq. 8.11, n_quartet/p (12 alpha + 12 (n/n_atom)**2 beta), for n_quartet atom quartets and
    n/n_atom = functions_per_atom. The book counts every block as another process's, which is so for large p; for one
    process nothing is sent and this is 0."""
    _require_processes(n_process)
    _require_not_negative(n_quartet=n_quartet)
    if n_process == 1:
        return 0.0
    return n_quartet / n_process * _quartet_communication_seconds(machine, functions_per_atom)


# --- MP2: transformation of integrals to pairs of occupied orbitals (chapter 9) ---

class Transformation(NamedTuple):
    """Sizes: n = n_function functions in n_shell shells, o = n_occupied and v = n_virtual correlated orbitals, n_I =
    n_batch batches of occupied ones."""
    n_function: int
    n_shell: int
    n_occupied: int
    n_virtual: int
    n_batch: int = 1

    @property
    def pair_operations(self):
        """Additions and multiplications of the quarters 2 to 4 for orbitals j <= i: o**2 n**3 + o**2 n**2 v +
        o**2 n v**2, the complexities after Eq. 9.8."""
        n, o, v = self.n_function, self.n_occupied, self.n_virtual
        return o**2 * n * (n**2 + n * v + v**2)


def p1_communication_seconds(machine, sizes, n_process):
    """t_comm(p) of Eq. 9.9: n_I n_shell**2 / 2 all-reduces (Eq. 3.8) of quarter-transformed integrals, o n**3 / 2
    words in all."""
    _require_processes(n_process)
    latency = sizes.n_batch * sizes.n_shell**2 * math.log2(n_process) * machine.alpha_seconds
    per_word = machine.beta_seconds_per_word + machine.gamma_seconds / 2
    return latency + (n_process - 1) / n_process * sizes.n_occupied * sizes.n_function**3 * per_word


def p2_communication_seconds(machine, sizes, n_process):
    """t_comm(p) of Eq. 9.12: n_shell**2 o**2 (p - 1)/p**2 messages of n**2/n_shell words."""
    _require_processes(n_process)
    n_message = sizes.n_shell**2 * sizes.n_occupied**2 * (n_process - 1) / n_process**2
    n_word = sizes.n_function**2 / sizes.n_shell
    return n_message * (machine.alpha_seconds + n_word * machine.beta_seconds_per_word)


def kets_communication_seconds(machine, sizes, n_process):
    """hf's "kets": the o v n**2 / 2 integrals (ia|rs) go to the ranks that finish orbitals i, each word once; of each
    orbital a rank sends a message, and one after the other if it has several to finish."""
    _require_processes(n_process)
    o, n = sizes.n_occupied, sizes.n_function
    n_word = o * sizes.n_virtual * n**2 / 2
    return ((n_process - 1) * max(1.0, o / n_process) * machine.alpha_seconds
            + (n_process - 1) / n_process**2 * n_word * machine.beta_seconds_per_word)


def pairs_communication_seconds(machine, sizes, n_process):
    """hf's "pairs" (Fig. 10.2 with canonical orbitals): o**2 n**2 / 2 integrals (iM|jN) are sent once, in one
    redistribution for each batch (its Eq. 10.7 counts such words)."""
    _require_processes(n_process)
    n_word = sizes.n_occupied**2 * sizes.n_function**2 / 2
    return ((n_process - 1) * sizes.n_batch * machine.alpha_seconds
            + (n_process - 1) / n_process**2 * n_word * machine.beta_seconds_per_word)


TRANSFORMATION_SECONDS = {"p1": p1_communication_seconds, "p2": p2_communication_seconds,
                          "kets": kets_communication_seconds, "pairs": pairs_communication_seconds}


def transformation_seconds(algorithm, machine, sizes, compute_seconds, n_process):
    """t_total(p) of Eqs. 9.10 (P1) and 9.13 (P2), t_comp(1)/p + t_comm(p), where compute_seconds is t_comp(1); of hf's
    other algorithms the same sum."""
    _require_positive(compute_seconds=compute_seconds)
    return compute_seconds / n_process + TRANSFORMATION_SECONDS[algorithm](machine, sizes, n_process)


def transformation_words(algorithm, sizes):
    """(kept, sent): words on all ranks together, the largest arrays alone, and those sent in all if every rank had to
    send all that it has. P1 sums the words that it sends: each counts once for each rank."""
    n, o, v, n_i = sizes.n_function, sizes.n_occupied, sizes.n_virtual, sizes.n_occupied / sizes.n_batch
    return {"p1": (n_i * o * n**2, o * n**3 / 2),
            "p2": (n_i * o * n**2, sizes.n_shell * o**2 * n**2),
            "kets": (n_i * v * n**2 / 2, o * v * n**2 / 2),
            "pairs": (n_i * o * n**2 / 2, o**2 * n**2 / 2)}[algorithm]


def transformation_operations(algorithm, sizes):
    """Additions and multiplications of the four quarters for orbitals j <= i: that of the first, o n**4, and those of
    the others."""
    n, o, v = sizes.n_function, sizes.n_occupied, sizes.n_virtual
    if algorithm == "kets":
        return o * n**4 + o * v * n**3 + o**2 * v * n**2 + o**2 * v**2 * n
    return o * n**4 + sizes.pair_operations


# --- Local MP2 (chapter 10) ---

def redistribution_seconds(machine, n_word, n_process):
    """t_comm(p) of Eq. 10.7, (p - 1) alpha + n_half/p beta: n_word half-transformed integrals in all, each process sends what
    it has to all the others (an all-to-all scatter, Eq. 3.2). 0 for one process, which sends nothing."""
    _require_processes(n_process)
    _require_not_negative(n_word=n_word)
    if n_process == 1:
        return 0.0
    return (n_process - 1) * machine.alpha_seconds + n_word / n_process * machine.beta_seconds_per_word


def replication_seconds(machine, n_word, n_process):
    """t_comm(p) of Eq. 10.8, log2(p) alpha + n_ampl (p - 1)/p beta: n_word amplitudes in all go from their owners to all
    processes (an all-to-all broadcast by recursive doubling, Eq. 3.4)."""
    _require_processes(n_process)
    _require_not_negative(n_word=n_word)
    return (math.log2(n_process) * machine.alpha_seconds
            + n_word * (n_process - 1) / n_process * machine.beta_seconds_per_word)
