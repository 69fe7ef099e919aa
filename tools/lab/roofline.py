"""Shares of the processor's peak, from the file of hf-bench integrals --json: two pictures and the table of a page."""

import pathlib
from typing import NamedTuple

from .failure import BAD_INPUT, Failure
from .plots import COLOURS, bar_frame, data_block, label_ticks, quoted, render

# The lines of a page between which the tool writes
BEGIN, END = "<!-- begin: written by tools/roofline -->", "<!-- end: written by tools/roofline -->"


class Series(NamedTuple):
    """Points of one look; `values` has one share for each label, or None."""
    title: str
    values: list


def labels_of(entries, key):
    """In their order, each once."""
    return list(dict.fromkeys(entry[key] for entry in entries))


def series_of(title, labels, entries, key):
    shares = {entry[key]: entry["share_of_peak"] for entry in entries if entry["share_of_peak"] > 0}
    return Series(title, [shares.get(label) for label in labels])


def engine_series(results):
    """(labels, series) of the engine, one for each precision, in percent of the peak of that precision."""
    entries = results["engine"]
    labels = labels_of(entries, "class")
    return labels, [series_of(f"{precision} precision", labels,
                              [entry for entry in entries if entry["precision"] == precision], "class")
                    for precision in labels_of(entries, "precision")]


def digestion_series(results):
    entries = results["digestion"]
    labels = labels_of(entries, "bra")
    return labels, [series_of(f"numbers of {precision} precision, from {place}", labels,
                              [entry for entry in entries if (entry["from"], entry["precision"]) == (place, precision)],
                              "bra")
                    for place in labels_of(entries, "from") for precision in labels_of(entries, "precision")]


def draw_shares(path, title, x_label, labels, series):
    """Points above labels; y from 0. [files]"""
    blocks, plots, most = [], [], 0.0
    for i, one in enumerate(series):
        points = [(x, 100 * share) for x, share in enumerate(one.values) if share is not None]
        most = max([most, *(y for _, y in points)])
        blocks += data_block(f"series_{i}", points)
        plots.append(f"$series_{i} using 1:2 with linespoints lc rgb '{COLOURS[i]}' pt {(7, 5, 9, 13)[i % 4]} ps 1 lw 1 "
                     f"title {quoted(one.title)}")
    body = [*bar_frame(title, x_label, "share of the peak / %"), "set grid ytics lc rgb '#DDDDDD' lt 1 lw 1",
            "set key above", f"set xtics rotate by -60 {label_ticks(labels, 60)}",
            f"set xrange [-0.7:{len(labels) - 0.3}]", f"set yrange [0:{1.05 * (most or 1.0)}]", "plot " + ", ".join(plots)]
    return render(path, blocks, body)


def draw_all(folder, results):
    """Two pictures. [files]"""
    folder = pathlib.Path(folder)
    name = f"{pathlib.Path(results['molecule']).stem}, {results['basis']}"
    files = draw_shares(folder / "engine", f"Two-electron integrals of {name}", "class of shell quartets",
                        *engine_series(results))
    return files + draw_shares(folder / "digestion", f"Digestion, atoms of {name}", "shells of the bra",
                               *digestion_series(results))


def replace_table(page, text):
    """The page with `text` between the two lines."""
    if page.count(BEGIN) != 1 or page.count(END) != 1:
        raise Failure(f"the page has no lines {BEGIN} and {END}", BAD_INPUT)
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n```text\n{text.strip(chr(10))}\n```\n{END}{rest.split(END)[1]}"


def rates(output):
    """What hf-bench printed from its lines about the peak on, and the lines that tell the molecule."""
    lines = output.splitlines()
    begin = next((i for i, line in enumerate(lines) if line.startswith("  Peak ")), None)
    if begin is None:
        raise Failure("hf-bench printed no peak", BAD_INPUT)
    head = [line for line in lines[:begin] if line.startswith(("  Numbers ", "  Warning ", "  Molecule ", "  Left out "))]
    return "\n".join(head + lines[begin:])
