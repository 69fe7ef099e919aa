"""MP2 of Janssen and Nielsen with hf's own numbers: Table 9.1, Figures 9.4 to 9.9, 5.6 and 5.8, for the uracil dimer in
cc-pVDZ with all electrons; and forces of MP2. Each function makes the traces it needs, writes its files and returns lines of text."""

import dataclasses
import json
import pathlib

from . import book, launch, models
from .forecast import Forecast
from .gradient_replay import AFTER, MP2, RELAXATION, WITH, Gradient, Mp2Forces
from .method_replay import Mp2
from .plots import Curve, Panel
from .reproduction import NETWORK, ideal, speedup_panel

OPTIONS = ["--basis", "cc-pVDZ", "--frozen-core", "none", "--commutator-tolerance", "1e-5", "--method", "mp2",
           "--checkpoint", "none"]
ALGORITHMS = ("p1", "p2", "kets", "pairs")
NAMES = {"p1": "P1", "p2": "P2", "kets": "kets", "pairs": "pairs"}
MP2_OF_DIMER = "MP2 of the uracil dimer in cc-pVDZ"
SIZES = {"kets": (1, 100)}  # the units of its second half depend on the number of ranks
PROCESSES = (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 80, 100, 110)
ETHERNET = dataclasses.replace(NETWORK, alpha_seconds=book.ETHERNET_ALPHA,
                               beta_seconds_per_byte=book.ETHERNET_PER_WORD / models.BYTES_PER_WORD)
BOOK_SIZES = models.Transformation(book.MP2_FUNCTIONS, book.MP2_SHELLS, book.MP2_OCCUPIED,
                                   book.MP2_FUNCTIONS - book.MP2_OCCUPIED)
BOOK_MACHINES = {"p1": models.Machine(book.P1_ALPHA, book.P1_PER_WORD, 0.0),
                 "p2": models.Machine(book.P2_ALPHA, book.P2_PER_WORD, 0.0)}
MEGABYTES = 540  # of P2 on each process: the dimer takes 4, 2 and 1 batches with 1, 2 and 4 times that


def recording(shop, algorithm, name=None, memory="0"):
    dimer = [str(shop.inputs / "uracil-dimer.mol"), *OPTIONS, "--mp2-algorithm", algorithm, "--memory", memory]
    return shop.recording(name or f"dimer-mp2-{algorithm}", dimer, SIZES.get(algorithm, (1,)))


def simulated(shop, algorithm, network=NETWORK):
    """Simulated once for all figures."""
    key = algorithm, network
    if key not in shop.simulated:
        shop.simulated[key] = Mp2(recording(shop, algorithm), network)
    return shop.simulated[key]


# ---- What the models predict: Figs. 9.4 to 9.6 ----

def book_seconds(algorithm, n_process):
    return models.transformation_seconds(algorithm, BOOK_MACHINES[algorithm], BOOK_SIZES, book.MP2_SECONDS, n_process)


def predicted_times(own):
    """Fig. 9.4: with the parameters of the book, and with ours."""
    panels = []
    for title, seconds, communication in (
            ("(a) parameters of the book", book_seconds,
             lambda name, p: models.TRANSFORMATION_SECONDS[name](BOOK_MACHINES[name], BOOK_SIZES, p)),
            ("(b) hf and a cluster of today", lambda name, p: own[name].model_seconds(p),
             lambda name, p: models.TRANSFORMATION_SECONDS[name](own[name].machine, own[name].model, p))):
        curves = []
        for colour, name in enumerate(("p1", "p2")):
            curves.append(Curve(f"{NAMES[name]}, total", [(p, seconds(name, p)) for p in PROCESSES], "model", colour))
            curves.append(Curve(f"{NAMES[name]}, communication", [(p, communication(name, p)) for p in PROCESSES[1:]],
                                "book", colour))
        panels.append(Panel(title, "Processes", "Seconds", curves, True))
    return panels


def figures_9_4_to_9_6(shop):
    """Eqs. 9.9 to 9.14: times, speedups, and P2 on Gigabit Ethernet."""
    own = {name: simulated(shop, name) for name in ALGORITHMS}
    ethernet = simulated(shop, "p2", ETHERNET)
    shop.figure("9.4", MP2_OF_DIMER, predicted_times(own), "models")
    curves = [ideal(PROCESSES)]
    for colour, name in enumerate(ALGORITHMS):
        curves.append(Curve(f"{NAMES[name]}, hf", [(p, p * own[name].efficiency(None, own[name].model_seconds(p), p))
                                                   for p in PROCESSES], "model", colour))
        if name in BOOK_MACHINES:
            curves.append(Curve(f"{NAMES[name]}, parameters of the book",
                                [(p, book.MP2_SECONDS / book_seconds(name, p)) for p in PROCESSES], "book", colour))
    shop.figure("9.5", MP2_OF_DIMER, [speedup_panel(curves)], "models")
    shop.figure("9.6", "P2, uracil dimer in cc-pVDZ", [speedup_panel([
        ideal(PROCESSES), *(Curve(title, [(p, p * run.efficiency(None, run.model_seconds(p), p)) for p in PROCESSES], "model", colour)
                            for colour, (title, run) in enumerate({"a cluster of today": own["p2"],
                                                                   "Gigabit Ethernet": ethernet}.items()))])], "models")
    lines = ["Figures 9.4 to 9.6: models of MP2, uracil dimer in cc-pVDZ, all electrons; in brackets with the book's parameters",
             "seconds on one process: " + ", ".join(f"{NAMES[name]} {run.own_seconds:.1f}" for name, run in own.items())
             + f" (P1 and P2 {book.MP2_SECONDS:.0f})",
             f"{'processes':>9} {'P1 s':>16} {'speedup':>15} {'P2 s':>16} {'speedup':>15} {'Ethernet':>15} "
             f"{'kets':>7} {'pairs':>7}"]
    for row in book.MP2_MODELS:
        p = row.n_process
        seconds = {name: run.model_seconds(p) for name, run in own.items()}
        speedup = {name: p * run.efficiency(None, seconds[name], p) for name, run in own.items()}
        over_ethernet = p * ethernet.efficiency(None, ethernet.model_seconds(p), p)
        lines.append(f"{p:9d} {seconds['p1']:8.2f} ({row.p1_seconds:5.1f}) {speedup['p1']:8.1f} ({row.p1_speedup:4.1f}) "
                     f"{seconds['p2']:8.2f} ({row.p2_seconds:5.1f}) {speedup['p2']:8.1f} ({row.p2_speedup:4.1f}) "
                     f"{over_ethernet:8.1f} ({row.p2_ethernet_speedup:4.1f}) {speedup['kets']:7.1f} {speedup['pairs']:7.1f}")
    crossing = next((p for p in range(2, 10000) if own["p2"].model_seconds(p) <= own["p1"].model_seconds(p)), None)
    lines.append(f"P2 is as fast as P1 on {crossing or 'no number of'} ({book.MP2_CROSSING}) processes")
    return shop.write("figures-9.4-9.6", lines)


# ---- What is replayed: Figs. 9.7 to 9.9, 5.6 ----

def replayed_curves(own, value):
    """P2 with both of the book's schedulers, the others with the best for them."""
    curves = []
    for colour, (name, scheduler, title) in enumerate((
            ("p1", "static", "P1"), ("p2", "static", "P2, static"), ("p2", "manager", "P2, manager"),
            ("kets", "steal", "kets"), ("pairs", "steal", "pairs"))):
        points = [(p, value(own[name], own[name].whole(scheduler, p))) for p in PROCESSES
                  if p > 1 or scheduler != "manager"]
        curves.append(Curve(title, points, "replay", colour))
    return curves


def figures_9_7_to_9_9(shop):
    """Times, speedups and efficiencies as they are replayed."""
    own = {name: simulated(shop, name) for name in ALGORITHMS}
    fastest = min(run.own_seconds for run in own.values())
    times = replayed_curves(own, lambda _, found: found.seconds)
    for colour, name in enumerate(("p1", "p2")):
        times.append(Curve(f"{NAMES[name]}, communication", [
            (p, own[name].whole("static", p).moving) for p in PROCESSES[1:]], "book", colour))
    shop.figure("9.7", MP2_OF_DIMER, [Panel("", "Processes", "Seconds", times, True)])
    shop.figure("9.8", MP2_OF_DIMER, [speedup_panel([ideal(PROCESSES), *replayed_curves(own, lambda _, found: found.speedup)])])
    shop.figure("9.9", MP2_OF_DIMER, [speedup_panel([
        ideal(PROCESSES, lambda p: 1.0), *replayed_curves(own, lambda _, found: found.efficiency)], "Efficiency")])
    lines = ["Figures 9.7 to 9.9: MP2 replayed, uracil dimer in cc-pVDZ, all electrons; efficiency, and in brackets the one",
             f"relative to the fastest algorithm on one process ({fastest:.1f} s)",
             f"{'processes':>9}" + "".join(f"{heading:>16}" for heading in ("P1", "P2, static", "P2, manager", "kets", "pairs"))]
    for p in (2, 16, 100, 110, 1000):
        cells = [f"{found.efficiency:8.3f} ({fastest / (p * found.seconds):5.3f})" for found in (
            own["p1"].whole("static", p), own["p2"].whole("static", p), own["p2"].whole("manager", p),
            own["kets"].whole("steal", p), own["pairs"].whole("steal", p))]
        lines.append(f"{p:9d}" + "".join(f"{cell:>16}" for cell in cells))
    ratio = own["p1"].whole("static", 110).seconds / own["p2"].whole("static", 110).seconds
    lines.append(f"P1 over P2 on 110 processes, seconds: {ratio:.1f} (book, measured: {book.P2_OVER_P1_OF_110})")
    return shop.write("figures-9.7-9.9", lines)


def figure_5_6(shop):
    """Speedups relative to one process, and to 16 whose speedup is set to 16."""
    own = {name: simulated(shop, name) for name in ("p1", "p2")}
    base = book.INFLATED_FROM
    curves = [ideal(PROCESSES)]
    lines = [f"Figure 5.6: speedups on 100 processes, relative to 1 and to {base}, uracil dimer in cc-pVDZ"]
    for colour, (name, scheduler) in enumerate((("p1", "static"), ("p2", "manager"))):
        found = {p: own[name].whole(scheduler, p) for p in PROCESSES}
        inflated = {p: base * found[base].seconds / found[p].seconds for p in PROCESSES if p >= base}
        curves.append(Curve(f"{NAMES[name]}, relative to 1", [(p, found[p].speedup) for p in PROCESSES[1:]], "replay", colour))
        curves.append(Curve(f"{NAMES[name]}, relative to {base}", list(inflated.items()), "model", colour))
        lines.append(f"{NAMES[name]}: {found[100].speedup:6.1f} and {inflated[100]:6.1f}")
    shop.figure("5.6", MP2_OF_DIMER, [speedup_panel(curves)])
    return shop.write("figure-5.6", lines)


# ---- Batches: Fig. 5.8 ----

def figure_5_8(shop, megabytes=MEGABYTES):
    """P2 with the same memory on every process: fewer passes over the integrals the more processes there are. What p
    processes keep together, one process keeps with p times the memory."""
    by_factor = {factor: Mp2(recording(shop, "p2", f"dimer-mp2-p2-memory-{factor}", f"{factor * megabytes} MB"),
                                      NETWORK) for factor in (1, 2, 4)}
    counts = [p for p in PROCESSES if p <= 32]
    few, one_pass = {}, {}
    for p in counts:
        run = by_factor[max(factor for factor in by_factor if factor <= p)]
        few[p] = by_factor[1].own_seconds / run.whole("counter", p).seconds
        one_pass[p] = by_factor[4].whole("counter", p).speedup
    shop.figure("5.8", "P2, uracil dimer in cc-pVDZ", [speedup_panel([
        ideal(counts), Curve(f"{megabytes} MB on each process", list(few.items()), "replay", 0),
        Curve("one pass on any number", list(one_pass.items()), "replay", 1)])])
    lines = [f"Figure 5.8: P2, uracil dimer in cc-pVDZ, {megabytes} MB on each process; passes over the integrals, the book's in "
             "brackets", f"{'processes':>9} {'passes':>8} {'speedup':>8} {'with one pass':>14}"]
    for p in counts:
        factor = max(factor for factor in by_factor if factor <= p)
        lines.append(f"{p:9d} {by_factor[factor].model.n_batch:4d} ({book.PASSES[factor]}) {few[p]:8.2f} {one_pass[p]:14.2f}")
    return shop.write("figure-5.8", lines)


# ---- Table 9.1 ----

def sent_by_two(shop, algorithm, arguments):
    """Words that two processes send together."""
    path = shop.folder / "traces" / f"uracil-mp2-{algorithm}" / "two.json"
    if not path.exists():
        launch.timed([shop.mpiexec, "-n", "2", shop.hf, *arguments, "--json", str(path)], path.with_suffix(".out"), False,
                     f"{algorithm} on two processes")
    with open(path, encoding="utf-8") as file:
        return json.load(file)["extras"]["hf"]["mp2"]["sent_bytes"] / models.BYTES_PER_WORD


def rate(mp2, half):
    """Operations per CPU second of the products of a half."""
    seconds = mp2[f"{half}_half_product_seconds"]
    return mp2[f"{half}_half_flops"] / seconds if seconds > 0.0 else 0.0


def table_9_1(shop):
    """Words kept and sent, operations of both halves and their rates: uracil in cc-pVDZ. Two processes send half of what
    many do; a sum of two over both counts what each gives."""
    lines = ["Table 9.1: uracil in cc-pVDZ, all electrons, one batch, as counted by hf; in brackets over what the models say",
             f"{'':>6} {'integrals':>10} {'words kept':>18} {'sent by two':>18} {'operations':>18} {'GF/s of the halves':>19}"]
    unique = None
    for algorithm in ("kets", "pairs", "p1", "p2"):
        arguments = [str(shop.inputs / "uracil.mol"), *OPTIONS, "--mp2-algorithm", algorithm, "--memory", "0"]
        run = Mp2(shop.recording(f"uracil-mp2-{algorithm}", arguments), NETWORK)
        sizes, mp2 = run.model, run.recording.mp2
        unique = unique or mp2["quartets_computed"] / 2.0  # "kets" computes each twice
        kept, sent = models.transformation_words(algorithm, sizes)
        halves = 2.0 if algorithm == "p1" else 0.5
        measured = sent_by_two(shop, algorithm, arguments)
        done, expected = (mp2["first_half_flops"] + mp2["second_half_flops"],
                         models.transformation_operations(algorithm, sizes))
        rates = " ".join(f"{1e-9 * rate(mp2, half):9.1f}" for half in ("first", "second"))
        kept_words = mp2["stored_bytes"] / models.BYTES_PER_WORD
        lines.append(f"{NAMES[algorithm]:>6} {mp2['quartets_computed'] / unique:9.2f}u {kept_words:10.3g} "
                     f"({kept_words / kept:5.2f}) {measured:10.3g} ({measured / (halves * sent):5.2f}) "
                     f"{done:10.3g} ({done / expected:5.2f}) {rates}")
    return shop.write("table-9.1", lines)


# ---- Forces ----

FORCES = ["--basis", "cc-pVDZ", "--method", "mp2", "--frozen-core", "none", "--task", "gradient", "--memory", "0", "--checkpoint", "none"]
FORCES_SIZES, FORCES_SCHEDULER = (1, 100), "steal"
FORCES_PROCESSES = (1, 2, 4, 10, 20, 40, 58, 100, 200, 400, 1000)


def forces_panel(name, forecast):
    """Efficiencies of all steps, as replayed; of both passes also as the model has it."""
    run, curves = forecast.part, [ideal(FORCES_PROCESSES, lambda p: 1.0)]
    for colour, step in enumerate((AFTER, WITH, MP2, RELAXATION, Gradient.WHOLE)):
        curves.append(Curve(step, [(row.processes, row.efficiency) for row in forecast.rows if row.step == step], "replay", colour))
    curves.append(Curve(f"{MP2}, model", [(p, run.efficiency(MP2, run.mp2.model_seconds(p), p)) for p in FORCES_PROCESSES[1:]], "model", 2))
    return Panel(name, "Processes", "Efficiency", curves)


def forces(shop):
    """Forces of MP2 in the form of Figs. 9.7 to 9.9, of the dimer and of an alkane: tables by phase, efficiencies."""
    lines, panels = ["Forces of MP2 replayed, cc-pVDZ, all electrons"], []
    for name, path in (("uracil dimer", str(shop.inputs / "uracil-dimer.mol")), ("C10H22", shop.alkane(10))):
        recorded = shop.recording(f"{pathlib.Path(path).stem}-mp2-gradient", [path, *FORCES], FORCES_SIZES)
        forecast = Forecast(Mp2Forces(recorded, NETWORK), [FORCES_SCHEDULER], FORCES_PROCESSES)
        lines += ["", name, *forecast.lines()]
        panels.append(forces_panel(name, forecast))
    shop.draw("mp2-forces", "Forces of MP2 in cc-pVDZ (in the form of Janssen and Nielsen, Fig. 9.9, simulated)", panels)
    return shop.write("mp2-forces", lines)
