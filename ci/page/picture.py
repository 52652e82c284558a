#!/usr/bin/env python3
"""Draws the terminal output of a command as SVG: picture.py COMMAND FILE, where FILE comes from script(1)."""

import html
import re
import sys

COLORS = {"31": "#f47067", "32": "#8ddb8c", "33": "#f69d50"}
CELL, LINE, EDGE = 7.8, 18, 16
COLUMNS = 100


def final(line):
    """The line as the terminal shows it: a carriage return restarts it."""
    parts = [part for part in line.rstrip("\r").split("\r") if part]
    return parts[-1] if parts else ""


def spans(line):
    """The parts of a line with their style."""
    style, drawn = {}, []
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        code = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
        if code is None:
            if part:
                drawn.append((dict(style), part))
            continue
        for number in code.group(1).split(";"):
            if number in ("", "0"):
                style = {}
            elif number == "1":
                style["font-weight"] = "bold"
            elif number in COLORS:
                style["fill"] = COLORS[number]
    return drawn


def wrapped(line):
    """The rows of a line in a terminal of COLUMNS; a line without styles only, which is what long lines are."""
    if "\x1b" in line or len(line) <= COLUMNS:
        return [line]
    return [line[at : at + COLUMNS] for at in range(0, len(line), COLUMNS)]


def main():
    command, path = sys.argv[1:]
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    lines = text.split("\n")
    lines = [line for line in lines if not line.startswith(("Script started", "Script done"))]
    # Cursor movements belong to the progress line.
    lines = [re.sub(r"\x1b\[[0-9;?]*[A-LN-Za-ln-z]", "", final(line)) for line in lines]
    while lines and not lines[-1].strip():
        lines.pop()
    lines = [f"\x1b[1m$ {command}\x1b[0m", *(row for line in lines for row in wrapped(line))]
    width, height = round(COLUMNS * CELL + 2 * EDGE), len(lines) * LINE + 2 * EDGE
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">')
    print(f"<title>{html.escape(command)}</title>")
    print(f'<rect width="{width}" height="{height}" rx="8" fill="#1c2128"/>')
    print('<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="13" fill="#d7dde3">')
    for number, line in enumerate(lines):
        at = EDGE + (number + 0.75) * LINE
        column, parts = 0, []
        for style, part in spans(line):
            attributes = "".join(f' {name}="{value}"' for name, value in style.items())
            x = EDGE + column * CELL
            length = len(part) * CELL
            parts.append(
                f'<tspan x="{x:.1f}" textLength="{length:.1f}"{attributes}>{html.escape(part)}</tspan>'
            )
            column += len(part)
        print(f'<text y="{at:.1f}" xml:space="preserve">{"".join(parts)}</text>')
    print("</g>\n</svg>")


main()
