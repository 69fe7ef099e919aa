"""Errors of single precision, from the file of hf-bench precision --json: two pictures."""

import pathlib

from .plots import COLOURS, bar_frame, data_block, label_ticks, quoted, render

LEAST_SIZE = 2.0 ** -8  # errors up to it are counted together, those above by powers of two


def exceeding(entry):
    """[(x, share of the quartets that err by more than x)], as far as there are any."""
    points, left = [], entry["n_quartet"]
    for i, n in enumerate(entry["n_of_size"]):
        left -= n
        if left > 0:
            points.append((LEAST_SIZE * 2.0 ** i, left / entry["n_quartet"]))
    return points


def draw_classes(path, results):
    """Mean and largest error of every class beside the margin. [files]"""
    entries = results["classes"]
    labels = [entry["class"] for entry in entries]
    blocks, plots = [], []
    for i, (key, title) in enumerate({"largest": "largest", "rms": "root of the mean square", "mean": "mean"}.items()):
        blocks += data_block(key, [(x, entry[key]) for x, entry in enumerate(entries)])
        plots.append(f"${key} using 1:2 with points lc rgb '{COLOURS[i]}' pt {(7, 5, 9)[i]} ps 1 title {quoted(title)}")
    margin = entries[0]["largest"] / entries[0]["share_of_margin"]
    plots.append(f"{margin} with lines lc rgb '#444444' dt 2 title {quoted('margin')}")
    body = [*bar_frame("Errors of quartets in single precision", "class of shell quartets", "error / unit"), "set logscale y",
            "set grid ytics lc rgb '#DDDDDD' lt 1 lw 1", "set key above",
            f"set xtics rotate by -60 {label_ticks(labels, 60)}", f"set xrange [-0.7:{len(labels) - 0.3}]",
            "plot " + ", ".join(plots)]
    return render(path, blocks, body)


def draw_sizes(path, results):
    """How many quartets of each situation err by more than so much. [files]"""
    blocks, plots = [], []
    for i, entry in enumerate(results["situations"]):
        blocks += data_block(f"series_{i}", exceeding(entry))
        plots.append(f"$series_{i} using 1:2 with linespoints lc rgb '{COLOURS[i]}' pt 7 ps 0.7 lw 1 "
                     f"title {quoted(entry['situation'])}")
    body = [*bar_frame("Quartets that err by more in single precision", "error / unit", "share of the quartets"),
            "set logscale y", "set logscale x 2", "set grid lc rgb '#DDDDDD' lt 1 lw 1", "set key below",
            "plot " + ", ".join(plots)]
    return render(path, blocks, body)


def draw_all(folder, results):
    """Two pictures. [files]"""
    folder = pathlib.Path(folder)
    return draw_classes(folder / "classes", results) + draw_sizes(folder / "sizes", results)
