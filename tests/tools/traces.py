"""Traces for tests, made without hf: a header with what the tools need, tasks one after the other on each rank."""

import json

import tool_test  # noqa: F401 # pylint: disable=unused-import # says where lab is
from lab import constants, trace
from lab.network import Network

MODEL = {"basis": {"most_of_site": 24, "least_sites": 6},
         "fock": {"messages_under_way": 4, "least_cache_bytes": 8388608},
         "coulomb": {"steps": ["densities", "kets", "leaves", "up", "bounds", "across", "down", "matrices", "to leaves"], "lanes": 8,
                     "unit": 256, "numbers_of_kets": 11, "numbers_of_expansion": 441, "numbers_of_moments": 452,
                     "numbers_of_leaf": 505},
         "local_mp2": {"sweep_blocks": 128}}
constants.learn(MODEL)

KINDS = ["Total", "Set-up", "One-electron integrals", "Fock: computing", "Fock: waiting for blocks",
         "Fock: waiting for tasks", "Fock: waiting for the last rank", "Fock: moving matrices", "Output",
         "Initial guess", "Diagonalisation", "Other linear algebra", "Fock: Coulomb pass", "MP2: exchange", "Local MP2: exchange",
         "Properties", "Gradient: one electron", "Gradient: moving matrices", trace.TASK,
         trace.STORED_TASK, trace.COULOMB_TASK, trace.COULOMB_STEP, trace.FIRST_QUARTER, trace.SECOND_QUARTER, trace.PAIR_TASK, trace.COPYING, trace.STEP]
N_PHASE = KINDS.index(trace.TASK)
BLOCKS = {"J": trace.BLOCK_J, "K": trace.BLOCK_K, "added": trace.ADDS_K, "levels": trace.LEVELS}
BUILD = {"threshold": 1e-12, "quartets_total": 100, "quartets_computed": 50, "quartets_read": 0, "stored_bytes": 0,
         "stored_share_of_cost": 0, "blocks_asked": 0, "blocks_cached": 0, "blocks_own": 0, "sums_sent": 0}


def network(alpha=0.0, beta=0.0):
    """A machine where nothing but messages takes time, and these as said."""
    return Network(alpha, beta, 0.0, 0.0, 0.0, node_alpha_seconds=0.0, node_beta_seconds_per_byte=0.0, addition_seconds=0.0)


FREE = network()


def write(path, builds, totals=None, batches=(), later=(), **header):
    """`builds` and `batches` of MP2 are lists of (kind, rank, task, start, seconds), or ("J" or "K", rank, task, number, bytes) of a block, or
    levels() of tasks; `later` are builds after them; `totals` a dictionary of seconds per phase, the same on
    every rank."""
    n_rank = header.get("n_rank", 1)
    infos = [dict(BUILD, n_task=1 + max((task for kind, _, task, *_ in build if kind == trace.TASK), default=-1),
                  **header.get("info", {})) for build in builds]
    records, numbered = [], [*enumerate(builds), *enumerate(batches, trace.FIRST_BATCH), *enumerate(later, len(builds))]
    for rank in range(n_rank):
        records.append((0.0, rank, 0.0, trace.NO_BUILD, 0, trace.RANK))
        records += [(seconds, KINDS.index(phase), 0.0, trace.NO_BUILD, 0, trace.TOTAL)
                    for phase, seconds in {**dict.fromkeys(KINDS[:N_PHASE], 0.0), **(totals or {})}.items()]
        records += [(start, task, seconds, number, 0, BLOCKS.get(kind) or KINDS.index(kind)) for number, build in numbered
                    for kind, of_rank, task, start, seconds in build if of_rank == rank]
    whole = {"format": trace.FORMAT, "version": trace.VERSION, "record_bytes": trace.RECORD.size,
             "n_record": len(records), "kinds": KINDS, "model": MODEL, "input_path": "molecule.mol", "basis": "tiny", "n_atom": 4,
             "n_function": 20, "n_shell": 8, "n_rank": 1, "n_thread": 1, "n_core_on_node": 2, "fock": "replicated",
             "schedule": "static", "grain": "atom-quartet", "memory_bytes": 0, "screening": 1e-12, "tasks_for": n_rank,
             "builds": infos, **{key: value for key, value in header.items() if key != "info"}}
    with open(path, "wb") as file:
        file.write(json.dumps(whole).encode() + b"\n")
        for record in records:
            file.write(trace.RECORD.pack(*record))
    return str(path)


def row(costs, kind=trace.TASK, rank=0):
    """Tasks one after the other."""
    start, found = 0.0, []
    for task, seconds in enumerate(costs):
        found.append((kind, rank, task, start, seconds))
        start += seconds
    return found


def levels(*values):
    """Of up to eight tasks."""
    return [("levels", 0, 0, trace.EIGHT.unpack(bytes(values).ljust(8, b"\0"))[0], float(KINDS.index(trace.TASK)))]


def local_mp2(path, n_iteration=2, **header):
    """Two orbitals 10 bohr apart with pairs of 10, 20 and 10 functions and work 1, 3, 2; 1 s of sweeps, domains of 1, 2 and 3 s,
    excitations of 1 s; tasks of 4, 3, 2, 1 s, second halves of 3 and 1 s, 800 bytes each; residuals of
    1, 3, 2 s, amplitudes of 0.5 s but in the last iteration. The residual of each pair needs T of the pair before it."""
    orbitals = [{"centre_bohr": [x, 0.0, 0.0], "domain": [atom], "extended_domain": [atom]} for atom, x in ((1, 0.0), (2, 10.0))]
    pairs = [{"i": i, "j": j, "class": "strong", "functions": n, "correction_functions": n, "work": work}
             for i, j, n, work in ((1, 1, 10, 1.0), (2, 1, 20, 3.0), (2, 2, 10, 2.0))]
    local = {"domains": "default", "iterations": n_iteration, "screening": 1e-8, "sweeps": 4,
             "rotation_products": 3, "rotated_pairs": 1,
             "extended_weak_pairs": False, "orbitals": orbitals, "pairs": pairs}
    second = row([3.0, 1.0], trace.PAIR_TASK)
    amplitudes = row([0.5] * 3, trace.PAIR_TASK)
    needs = [("K", 0, 0, 2, 800.0), ("K", 0, 1, 0, 800.0), ("K", 0, 2, 1, 3200.0)]
    batches = [row([1.0]) + [(trace.STEP, 0, 0, 0.0, 1.5)],
               row([1.0, 2.0, 3.0]) + row([1.0, 1.0], trace.PAIR_TASK),
               row([4.0, 3.0, 2.0, 1.0]) + second + [("J", 0, task, 0, 800.0) for _, _, task, *_ in second],
               amplitudes, needs + row([1.0, 3.0, 2.0]) + amplitudes]
    batches += [row([1.0, 3.0, 2.0]) + amplitudes for _ in range(n_iteration - 2)] + [row([1.0, 3.0, 2.0])]
    return write(path, [row([1.0])], batches=batches, n_occupied=10, extras={"local_mp2": local}, **header)
