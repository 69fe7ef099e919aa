"""Numbers in tables for people and in CSV files."""

import csv
import io


def cell(value, form, width=0):
    """A number, or "-" for None."""
    return f"{'-' if value is None else format(value, form):>{width}}"


def of_processes(count):
    return f"{count} process{'es' if count > 1 else ''}"


def csv_text(rows, heading=None):
    """Rows are dictionaries with the same keys, or lists below `heading`."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heading or rows[0])
    writer.writerows(row if heading else row.values() for row in rows)
    return text.getvalue()
