"""The tables and figures of chapters 5, 7 and 8 of Janssen and Nielsen with hf's own numbers. Each function makes the
traces it needs, writes its files into a folder and returns lines of text with the book's numbers beside ours."""

import pathlib

from . import book, models, molecules, runner
from .plots import Curve, Panel, draw_panels
from .prediction import Simulated
from .recording import Recording
from .network import Network

# hf computes an integral tens of times as fast as the cluster of the book, so its network must not be that of the book.
NETWORK = Network()
# One process has no density of its own in its first build but that of the atoms, which lets go of half the quartets:
# the second build has nearly all.
TWO_BUILDS = ["--memory", "0", "--max-iterations", "2"]
EXCHANGE_BYTES = 4 + 24  # hf's request to the manager and its answer
PROCESSES_7 = (1, 2, 5, 10, 20, 30, 50, 70, 100, 130, 160, 200)
PROCESSES_8 = (1, 2, 4, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 90, 100)


class Workshop:
    """Where files go, and how traces are made."""

    def __init__(self, folder, hf, inputs, n_run, mpiexec="mpiexec"):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.hf, self.inputs, self.n_run, self.mpiexec = hf, pathlib.Path(inputs), n_run, mpiexec
        self.simulated = {}

    def recording(self, name, arguments, sizes=(1,), last_only=False):
        """Traces of one calculation in a folder of that name."""
        return Recording(runner.make_traces(self.hf, arguments, self.folder / "traces" / name, sizes, self.n_run,
                                            "reproduce-book"), last_only)

    def alkane(self, n_carbon):
        return str(molecules.write(self.folder, "alkane", n_carbon, "cc-pVTZ"))

    def draw(self, name, title, panels):
        draw_panels(str(self.folder / name), title, panels)

    def figure(self, number, title, panels, how="simulated", name=""):
        """A figure of the book; `name` goes on after figure-NUMBER."""
        self.draw(f"figure-{number}{name}", f"{title} (after Janssen and Nielsen, Fig. {number}, {how})", panels)

    def write(self, name, lines):
        lines = list(lines)
        (self.folder / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return lines


def ideal(counts, height=lambda p: p):
    return Curve("ideal", [(p, height(p)) for p in counts], "ideal")


def speedup_panel(curves, y_label="Speedup", **looks):
    return Panel("", "Processes", y_label, curves, linear=True, **looks)


def last_build(recording):
    return recording.sizes[0].builds[-1]


def deviation(build):
    return models.statistics_of(build.computed).relative_deviation


# --- Chapter 7: the integrals of one build ---

def table_7_1(shop):
    """Ethane: functions, shells, and how the costs of quartets and pairs spread."""
    ethane = str(shop.inputs / "ethane.mol")
    lines = ["Table 7.1: ethane, one process; in brackets the book's",
             f"{'basis':<8} {'functions':>12} {'shells':>10} {'mu_q/us':>14} {'sigma_q/mu_q':>14} {'sigma_p/mu_p':>14}"]
    for row in book.TABLE_7_1:
        found = {}
        for grain in ("shell-quartet", "shell-pair"):
            found[grain] = shop.recording(f"ethane-{row.basis}-{grain}".replace("*", "d"),
                                          [ethane, "--basis", row.basis, "--grain", grain, *TWO_BUILDS])
        quartets = models.statistics_of(last_build(found["shell-quartet"]).computed)
        header = found["shell-pair"].header
        lines.append(f"{row.basis:<8} {header['n_function']:>6} ({row.n_function:3d}) {header['n_shell']:>5} "
                     f"({row.n_shell:2d}) {1e6 * quartets.mean:>9.2f} ({row.quartet_microseconds:2d}) "
                     f"{quartets.relative_deviation:>8.1f} ({row.quartet_deviation:3.1f}) "
                     f"{deviation(last_build(found['shell-pair'])):>8.1f} ({row.pair_deviation:3.1f})")
    return shop.write("table-7.1", lines)


def n_unique(n_shell):
    """(pairs, quartets) of shells without screening."""
    n_pair = n_shell * (n_shell + 1) // 2
    return n_pair, n_pair * (n_pair + 1) // 2


def round_efficiency(recording, scheduler, n_rank):
    """Of the last build's round of tasks alone: there is no Fock matrix in chapter 7."""
    build = last_build(recording)
    simulated = Simulated(recording, NETWORK)
    return simulated.round_efficiency(scheduler, build, n_rank)


def integral_recordings(shop):
    """{carbon atoms: (recording of quartets or None, of pairs)} of Fig. 7.2's alkanes."""
    found = {}
    for n_carbon in (2, 4, 8):
        path = shop.alkane(n_carbon)
        quartets = None
        if n_carbon < 8:  # octane has 130 million quartets
            quartets = shop.recording(f"alkane-{n_carbon}-quartets", [path, "--grain", "shell-quartet", *TWO_BUILDS])
        found[n_carbon] = quartets, shop.recording(f"alkane-{n_carbon}-pairs",
                                                   [path, "--grain", "shell-pair", *TWO_BUILDS])
    return found


def static_panel(found, which, name):
    """Fig. 7.2 for quartets (which = 0) or pairs (1)."""
    curves = [ideal(PROCESSES_7, lambda p: 1.0)]
    own = models.statistics_of(last_build(found[4][which]).computed).relative_deviation
    books = (book.QUARTET_DEVIATION, book.PAIR_DEVIATION)[which]
    for colour, (n_carbon, recordings) in enumerate(found.items()):
        n_task = n_unique(recordings[1].header["n_shell"])[1 - which]
        if recordings[which] is not None:
            curves.append(Curve(f"C{n_carbon}, replay", [
                (p, round_efficiency(recordings[which], "static", p)) for p in PROCESSES_7], "replay", colour))
        curves.append(Curve(f"C{n_carbon}, model", [
            (p, models.static_efficiency(n_task, own, p, models.approximate_load_imbalance_factor))
            for p in PROCESSES_7], "model", colour))
        curves.append(Curve(f"C{n_carbon}, model of the book", [
            (p, models.static_efficiency(n_task, books, p, models.approximate_load_imbalance_factor))
            for p in PROCESSES_7], "book", colour))
    return Panel(name, "Processes", "Efficiency", curves, linear=True)


def figure_7_2(shop):
    """Static quartets and static pairs: ethane, butane, octane in cc-pVTZ."""
    found = integral_recordings(shop)
    shop.figure("7.2", "Integrals of alkanes in cc-pVTZ, static", [
        static_panel(found, 0, "(a) shell quartets"), static_panel(found, 1, "(b) shell pairs")])
    lines = ["Figure 7.2: efficiency of a static distribution, butane in cc-pVTZ",
             f"{'processes':>9} {'quartets':>9} {'pairs':>7} {'model of pairs':>15} {'book, pairs':>12}"]
    n_pair = n_unique(found[4][1].header["n_shell"])[0]
    for p in PROCESSES_7:
        told = f"{book.STATIC_PAIRS[p]:12.2f}" if p in book.STATIC_PAIRS else f"{'':12}"
        model = models.static_efficiency(n_pair, deviation(last_build(found[4][1])), p)
        lines.append(f"{p:9d} {round_efficiency(found[4][0], 'static', p):9.3f} "
                     f"{round_efficiency(found[4][1], 'static', p):7.3f} {model:15.3f} {told}")
    return shop.write("figure-7.2", lines)


def figure_7_4(shop):
    """Pairs handed out by a manager: butane in cc-pVTZ."""
    pairs = shop.recording("alkane-4-pairs", [shop.alkane(4), "--grain", "shell-pair", *TWO_BUILDS])
    n_pair = n_unique(pairs.header["n_shell"])[0]
    counts = PROCESSES_7[1:]
    replay = [(p, round_efficiency(pairs, "manager", p)) for p in counts]
    shop.figure("7.4", "Shell pairs of butane in cc-pVTZ", [speedup_panel([
        ideal(counts, lambda p: 1.0),
        Curve("manager, replay", replay, "replay", 0),
        Curve("manager, model (p-1)/p, Eq. 7.12", [(p, models.manager_efficiency(p)) for p in counts], "model", 0),
        Curve("static, replay", [(p, round_efficiency(pairs, "static", p)) for p in counts], "replay", 1),
        Curve("static, model, Eq. 7.8", [(p, models.static_efficiency(n_pair, deviation(last_build(pairs)), p))
                                         for p in counts], "model", 1)], "Efficiency")])
    lines = ["Figure 7.4: efficiency of pairs handed out by a manager, butane in cc-pVTZ; the book's follows (p-1)/p",
             f"{'processes':>9} {'replay':>7} {'(p-1)/p':>8}"]
    lines += [f"{p:9d} {efficiency:7.3f} {models.manager_efficiency(p):8.3f}" for p, efficiency in replay]
    return shop.write("figure-7.4", lines)


# --- Chapter 8: whole Fock builds ---

def model_seconds(simulated, scheduler, n_rank):
    """All builds as the models have them, from the mean and the deviation of the tasks, not from each of them."""
    size, header, machine = simulated.recording.nearest(n_rank), simulated.recording.header, simulated.machine
    n_worker = n_rank - 1 if scheduler == "manager" and n_rank > 1 else n_rank

    def of_tasks(costs):
        if not costs:
            return 0.0
        if scheduler == "static":
            return models.static_seconds(len(costs), models.statistics_of(costs), n_rank)
        if scheduler == "manager":
            return models.manager_seconds(machine, sum(costs), len(costs), n_rank, EXCHANGE_BYTES)
        return sum(costs) / n_rank

    seconds = size.local_seconds
    for build in size.builds:
        seconds += sum(build.stored.values()) / n_worker + of_tasks(build.computed) + of_tasks(build.coulomb)
        seconds += simulated.beside_coulomb_tasks(build, n_rank)
        if header["fock"] == "replicated":
            seconds += models.replicated_communication_seconds(machine, header["n_function"], n_rank)
        else:  # the atom quartets that passed the screening (Eqs. 8.12 and 8.14)
            used = (build.info["quartets_computed"] + build.info["quartets_read"]) / build.info["quartets_total"]
            seconds += models.distributed_communication_seconds(machine, used * header["n_atom"]**4 / 8,
                                                                header["n_function"] / header["n_atom"], n_rank)
    return seconds


def figure_8(shop, number, fock, basis, options, sizes=(1, 4, 16, 100), last_only=False):
    """Fig. 8.3 (replicated) or 8.6 (distributed): Fock builds of the uracil dimer."""
    dimer = [str(shop.inputs / "uracil-dimer.mol"), "--basis", basis, "--fock", fock, *options]
    simulated = Simulated(shop.recording(f"dimer-{basis}-{fock}", dimer, sizes, last_only), NETWORK)
    curves = [ideal(PROCESSES_8)]
    lines = [f"Figure {number}: speedup of the Fock build, uracil dimer in {basis}, matrices {fock}",
             f"{'':>10} {'replay, 100 processes':>22} {'model':>7} {'book (aug-cc-pVTZ)':>19}"]
    for colour, scheduler in enumerate(("manager", "counter", "steal", "static")):
        speedups = [(p, p * simulated.predict(scheduler, p).efficiency) for p in PROCESSES_8]
        model = [(p, p * simulated.efficiency(None, model_seconds(simulated, scheduler, p), p)) for p in PROCESSES_8]
        curves.append(Curve(f"{scheduler}, replay", speedups, "replay", colour))
        if scheduler in ("manager", "static"):
            curves.append(Curve(f"{scheduler}, model", model, "model", colour))
        told = book.SPEEDUP_OF_100.get((fock, scheduler))
        lines.append(f"{scheduler:>10} {speedups[-1][1]:22.1f} {model[-1][1]:7.1f} {told if told else '-':>19}")
    shop.figure(number, f"Uracil dimer in {basis}, matrices {fock}", [speedup_panel(curves, "Speedup of the Fock build")], name=f"-{basis}")
    return shop.write(f"figure-{number}-{basis}", lines)


# --- Chapter 5: superlinear speedup ---

def figure_5_7(shop, megabytes=150, counts=(1, 2, 4, 8, 12, 16, 24, 32)):
    """Stored integrals: whole calculations of the uracil dimer in cc-pVDZ with the same memory on every process. What
    p processes store together, one process stores with p times the memory."""
    dimer = [str(shop.inputs / "uracil-dimer.mol"), "--basis", "cc-pVDZ"]
    fock, scf, model, reading, first = [], [], [], [], None
    lines = [f"Figure 5.7: uracil dimer in cc-pVDZ, {megabytes} MB per process for integrals, static",
             f"{'processes':>9} {'stored %':>8} {'Fock builds':>12} {'Eq. 8.10':>9} {'and reading':>12} "
             f"{'whole SCF':>10}"]
    for p in counts:
        recording = shop.recording(f"dimer-stored-{p}", [*dimer, "--memory", f"{megabytes * p} MB"], (p,))
        found = StoredRun(recording, Simulated(recording, NETWORK).predict("static", p).seconds)
        first = first or found
        fock.append((p, first.fock_seconds / found.fock_seconds))
        scf.append((p, first.scf_seconds(1) / found.scf_seconds(p)))
        model.append((p, first.modelled(1, 0.0) / found.modelled(p, 0.0)))
        reading.append((p, first.modelled(1, first.read) / found.modelled(p, found.read)))
        lines.append(f"{p:9d} {100 * found.share:8.1f} {fock[-1][1]:12.2f} {model[-1][1]:9.2f} {reading[-1][1]:12.2f} "
                     f"{scf[-1][1]:10.2f}")
    highest = 1.2 * max(speedup for _, speedup in fock)  # all of Eq. 8.10 would flatten the other curves
    shop.figure("5.7", f"Stored integrals, {megabytes} MB per process", [speedup_panel([
        ideal(counts), Curve("Fock builds, replay", fock, "replay", 0),
        Curve("Fock builds, Eq. 8.10 and reading", reading, "model", 0),
        Curve("whole SCF, replay", scf, "replay", 1)], y_most=highest)])
    return shop.write("figure-5.7", lines)


class StoredRun:
    """A calculation with the memory of p processes, replayed on them."""

    def __init__(self, recording, fock_seconds):
        builds = recording.sizes[0].builds
        self.fock_seconds = fock_seconds
        self.n_iteration = len(builds)
        self.share = max(build.info["stored_share_of_cost"] for build in builds)
        whole = max(sum(build.computed) for build in builds)
        self.read = sum(builds[-1].stored.values()) / (self.share * whole)  # over computing the same
        self.other = recording.other_seconds

    def modelled(self, n_process, read):
        """Eq. 8.10's time in units of one whole build: integrals' cost for their number; to `read` one takes that part
        of the time to compute it."""
        return (self.n_iteration - self.share * (1.0 - read) * (self.n_iteration - 1)) / n_process

    def scf_seconds(self, n_process):
        """One-electron integrals are shared out; the rest is as long on many processes as on one."""
        return self.fock_seconds + self.other["One-electron integrals"] / n_process + sum(
            seconds for phase, seconds in self.other.items() if phase != "One-electron integrals")
