"""The measures of tools/speedup as lines of text, as CSV and as JSON."""

from . import cells, phases
from .cells import cell, of_processes

MARK = "*"
IMPOSSIBLE = "!"
LEAST_LOSS = 0.005  # smaller shares are not worth a word
KEY = (
    "spread: slowest minus fastest run, over the median; speedup: time of the reference over that time; efficiency: "
    "speedup per process;",
    "serial fraction: what cannot run in parallel, by Karp and Flatt; imbalance: computing time of the slowest process "
    "over the mean;",
    "communication, idle: shares of the wall time, means over the processes; idle is waiting for blocks, tasks and the "
    "last process.")


def heading(result, n_repetition):
    runs = f"medians of {n_repetition} runs" if n_repetition > 1 else "one run of each"
    threads = f", {result.threads} threads per process" if result.threads > 1 else ""
    return (f"{result.molecule or 'Molecule'}, {result.basis}: {result.n_atom} atoms, {result.n_function} functions; "
            f"hf {result.version}, {result.launch['mpi_library']}, {result.cores_on_node} cores on a node{threads}; "
            f"{runs}")


def block(title, points, part, references):
    """The lines of one table; `part` is "fock" or "scf"."""
    width = max(len(title), *(len(point.case.title) for point in points))
    yield (f"{title:<{width}} {'processes':>10} {'wall s':>11} {'spread':>7} {'speedup':>8} {'efficiency':>10} "
           f"{'serial fraction':>15} {'imbalance':>9} {'communication':>13} {'idle':>7}")
    last = None
    for point in points:
        row = getattr(point, part)
        name, last = "" if point.case == last else point.case.title, point.case
        fraction = cell(row.serial_fraction, ".4f") + ("" if row.is_possible else IMPOSSIBLE)
        yield (f"{name:<{width}} {point.processes:9d}{MARK if point.crowded else ' '} {row.seconds:11.4f} {row.spread:7.1%} "
               f"{row.speedup:8.2f} {row.efficiency:10.1%} {fraction:>15} "
               f"{point.imbalance:9.3f} {row.communication:13.1%} {row.idle:7.1%}")
    for builder, reference in references.items():
        seconds = getattr(reference, f"{part}_seconds")
        yield f"Speedup of {builder.title}: over {reference.case.schedule} on {of_processes(reference.processes)}, {seconds:.4f} s"


def notes(points, references):
    """What must be known to read the tables."""
    yield from KEY
    if not all(part.is_possible for point in points for part in (point.fock, point.scf)):
        yield (f"{IMPOSSIBLE} no serial fraction: below 0 the speedup is more than ideal (less work per process, such "
               "as stored integrals, more cache, or a disturbed reference), above 1 more processes took longer "
               "(more processes than cores, a busy machine, or waiting).")
    if any(point.crowded for point in points):
        yield f"{MARK} more processes (times threads) than cores on a node: these times say little."
    for builder, reference in references.items():
        if reference.processes > 1:
            yield (f"{builder.title}: a speedup of {reference.processes} is assumed on the fewest processes, "
                   f"{reference.processes}; this flatters when they are not ideal (Janssen and Nielsen, section 5.4).")


def told_losses(losses):
    """The shares of the processes' time that were lost, the largest first; gains are negative losses."""
    def told(share, phase, computing):
        name = phase.removeprefix("Fock: ")
        return f"{computing if phase == phases.COMPUTING else name[0].lower() + name[1:]} {abs(share):.1%}"
    worth = sorted(((share, phase) for phase, share in losses.items() if abs(share) >= LEAST_LOSS), reverse=True)
    lost = ", ".join(told(*one, "more or slower computing") for one in worth if one[0] > 0)
    gained = ", ".join(told(*one, "less or faster computing") for one in reversed(worth) if one[0] < 0)
    return "; ".join(text for text in (lost and f"lost to {lost}", gained and f"gained by {gained}") if text) or "nothing worth a word was lost"


def reasons(points, references):
    """Why not better: two lines for each case, of the most processes, those that are not crowded if there are any beyond the
    fewest."""
    for case in dict.fromkeys(point.case for point in points):
        own = [point for point in points if point.case == case]
        fewest = min(point.processes for point in own)
        good = [point for point in own if not point.crowded and point.processes > fewest]
        point = max(good or own, key=lambda point: point.processes)
        if point.processes > references[case.builder].processes:
            where = f"{point.case.title}, {point.processes} processes{MARK if point.crowded else ''}"
            yield f"  {where}: efficiency of the Fock builds {point.fock.efficiency:.1%}; {told_losses(point.fock.losses)}"
            yield f"  {'of the whole SCF':>{len(where)}}: {point.scf.efficiency:.1%}; {told_losses(point.scf.losses)}"


def lines(points, references, n_repetition):
    """Everything for people."""
    yield heading(points[0].results[0], n_repetition)
    for title, part in (("Fock builds", "fock"), ("Whole SCF", "scf")):
        yield ""
        yield from block(title, points, part, references)
    yield ""
    yield from notes(points, references)
    why = list(reasons(points, references))
    yield from (["Why not better (shares of the time that all processes have together):", *why] if why else [])


def record(point, references):
    """One point without its runs, flat, for CSV."""
    reference = references[point.case.builder]
    row = {"fock": point.case.fock, "onesided": point.case.onesided or "", "schedule": point.case.schedule,
           "processes": point.processes, "threads": point.results[0].threads,
           "cores_on_node": point.results[0].cores_on_node, "more_than_cores": int(point.crowded),
           "runs": len(point.results), "reference_schedule": reference.case.schedule,
           "reference_processes": reference.processes, "imbalance": point.imbalance,
           "stored_share_of_cost": point.stored_share}
    for name, part in (("fock", point.fock), ("scf", point.scf)):
        row.update({f"{name}_seconds": part.seconds, f"{name}_seconds_min": part.least,
                    f"{name}_seconds_max": part.most, f"{name}_speedup": part.speedup,
                    f"{name}_efficiency": part.efficiency, f"{name}_serial_fraction": part.serial_fraction,
                    f"{name}_communication_share": part.communication, f"{name}_idle_share": part.idle})
    row.update({f"seconds: {phase}": seconds for phase, seconds in point.phase_seconds.items()})
    return row


def csv_text(points, references):
    return cells.csv_text([record(point, references) for point in points])


def json_object(points, references):
    """All of it, the repetitions and what the losses were included."""
    return {
        "references": [{"builder": builder.title, "schedule": reference.case.schedule,
                        "processes": reference.processes, "fock_seconds": reference.fock_seconds,
                        "scf_seconds": reference.scf_seconds} for builder, reference in references.items()],
        "points": [{**record(point, references), "fock_losses": point.fock.losses, "scf_losses": point.scf.losses,
                    "repetitions": [result.record() for result in point.results]} for point in points],
    }
