"""Local MP2 of Janssen and Nielsen with hf's own numbers: Figures 10.4 and 10.5, replayed from a trace of one process. Each
function makes the traces it needs, writes its files and returns lines of text."""

from . import book, models
from .local_forecast import bounds, efficiencies, make_rows, speedup_curves, table
from .local_replay import SimulatedLocalMp2
from .plots import Panel
from .reproduction import NETWORK

OPTIONS = ["--basis", "cc-pVDZ", "--method", "lmp2", "--checkpoint", "none"]
PROCESSES = (1, 2, 4, 8, 16, 24, 32, 48, 64, 80, 100)
SCHEDULER = "steal"


def beside_the_book(simulated, name):
    """Speedups and efficiencies on the book's number of processes."""
    told = book.LOCAL_MP2[name]
    replay = simulated.predict(SCHEDULER, told.n_process)
    found = efficiencies(simulated, replay)
    yield f"on {told.n_process} processes: {'speedup':>10} {'book':>6} {'efficiency':>11}"
    for step, title, speedup in (("transformation", "transformation", told.transformation),
                                 ("fetched", "iterations, T fetched", None),
                                 ("replicated", "iterations, T on every rank", told.iterations), ("whole", "whole", told.whole)):
        yield f"{title:<27} {told.n_process * found[step]:10.1f} {speedup if speedup else '-':>6} {found[step]:11.3f}"


def figure(shop, number, name, title, arguments):
    simulated = SimulatedLocalMp2(shop.recording(f"figure-{number}", [*arguments, *OPTIONS]), NETWORK, models.GAMMA_SECONDS)
    shop.draw(f"figure-{number}", f"Local MP2, {title} in cc-pVDZ (after Janssen and Nielsen, Fig. {number}, simulated)", [
        Panel("", "Processes", "Speedup",
              speedup_curves(simulated, [simulated.predict(SCHEDULER, p) for p in PROCESSES]), linear=True)])
    rows = make_rows(simulated, [SCHEDULER], PROCESSES)
    return shop.write(f"figure-{number}", [
        f"Figure {number}: local MP2, {title} in cc-pVDZ", *beside_the_book(simulated, name), "", *table(rows, simulated), "",
        *bounds(simulated, rows[-1].replay)])


def figure_10_4(shop):
    """The uracil dimer."""
    return figure(shop, "10.4", "uracil dimer", "uracil dimer", [str(shop.inputs / "uracil-dimer.mol")])


def figure_10_5(shop):
    """A linear alkane."""
    return figure(shop, "10.5", "C32H66", "C32H66", [shop.alkane(32)])
