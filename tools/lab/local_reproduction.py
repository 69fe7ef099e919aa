"""Local MP2 of Janssen and Nielsen with hf's own numbers: Figures 10.4 and 10.5, replayed from a trace of one process. Each
function makes the traces it needs, writes its files and returns lines of text."""

from . import book
from .forecast import Forecast
from .method_replay import FETCHED, REPLICATED, TRANSFORMATION, WHOLE, LocalMp2
from .reproduction import NETWORK, speedup_panel

OPTIONS = ["--basis", "cc-pVDZ", "--method", "lmp2", "--checkpoint", "none"]
PROCESSES = (1, 2, 4, 8, 16, 24, 32, 48, 64, 80, 100)
SCHEDULER = "steal"
TRANSPORT = "rma"  # amplitudes are fetched from windows of MPI, which serve at once


def beside_the_book(rows, name):
    """Speedups and efficiencies on the book's number of processes."""
    told = book.LOCAL_MP2[name]
    found = {row.step: row.efficiency for row in rows if row.processes == told.n_process}
    yield f"on {told.n_process} processes: {'speedup':>10} {'book':>6} {'efficiency':>11}"
    for step, speedup in ((TRANSFORMATION, told.transformation), (FETCHED, None), (REPLICATED, told.iterations), (WHOLE, told.whole)):
        yield f"{step:<27} {told.n_process * found[step]:10.1f} {speedup if speedup else '-':>6} {found[step]:11.3f}"


def figure(shop, number, name, title, arguments):
    forecast = Forecast(LocalMp2(shop.recording(f"figure-{number}", [*arguments, *OPTIONS]), NETWORK, transport=TRANSPORT), [SCHEDULER], PROCESSES)
    shop.figure(number, f"Local MP2, {title} in cc-pVDZ", [speedup_panel(forecast.curves(lambda n, efficiency: efficiency * n))])
    return shop.write(f"figure-{number}", [
        f"Figure {number}: local MP2, {title} in cc-pVDZ", *beside_the_book(forecast.rows, name), "", *forecast.lines()])


def figure_10_4(shop):
    """The uracil dimer."""
    return figure(shop, "10.4", "uracil dimer", "uracil dimer", [str(shop.inputs / "uracil-dimer.mol")])


def figure_10_5(shop):
    """A linear alkane."""
    return figure(shop, "10.5", "C32H66", "C32H66", [shop.alkane(32)])
