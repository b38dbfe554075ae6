"""``check-mask``: is the mask in a file right? ``mask``: the right mask, in any form."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

from lookahead_viz.cli_inputs import checked_out
from lookahead_viz.cli_text import printable
from lookahead_viz.masklab import PackedLayout, Report, UnreadableMask, check, packed
from lookahead_viz.masklab.export import FORMATS, export_mask
from lookahead_viz.masklab.reading import Upload, read_upload
from lookahead_viz.masklab.reading_model import MAX_UPLOAD_BYTES, MAX_UPLOAD_MB

TEXT = "text"
RIGHT, WRONG = 0, 1
VARIANTS = ("step", "fill", "prompt_length", "rank", "ranks", "refed", "length")
"""Options that reach ``packed`` where they are given."""


def check_command(arguments: Namespace) -> int:
    """Exit code 0: right; 1: wrong; 2 (by an error): no mask could be read."""
    layout = _layout(arguments)
    report = _report(arguments, layout)
    if arguments.json:
        print(json.dumps(report.to_dict(), indent=1))  # ASCII: sound JSON in any encoding
    else:
        for line in report.lines():
            print(printable(line))
    return RIGHT if report else WRONG


def _report(arguments: Namespace, layout: PackedLayout) -> Report:
    upload = _chosen(read_upload(*_read(arguments.mask)), arguments.array)
    positions: Any = upload.positions
    if arguments.positions is not None:
        positions = _positions(arguments.positions)
    report = check(
        upload.mask,
        layout=layout,
        positions=positions,
        tokens=upload.tokens if upload.tokens else None,
        polarity=arguments.polarity,
        committed=arguments.committed,
        sliding_window=arguments.sliding_window,
    )
    said = (*upload.statements, *report.read.statements)
    return replace(report, read=replace(report.read, statements=said))


def _layout(arguments: Namespace) -> PackedLayout:
    variant = {name: value for name, value in vars(arguments).items() if name in VARIANTS}
    return packed(
        arguments.layout,
        arguments.window_size,
        arguments.ngram_size,
        arguments.candidates,
        **variant,
    )


def _read(name: str) -> tuple[bytes, str]:
    """(bytes, file name) of a file or of standard input; never more than the limit."""
    if name == "-":
        if sys.stdin is None:
            raise ValueError("standard input is closed; give a file.")
        data, name = sys.stdin.buffer.read(MAX_UPLOAD_BYTES + 1), "pasted.txt"
    else:
        path = Path(name)
        if not path.is_file():
            raise ValueError(f"there is no mask file {name}.")
        with path.open("rb") as stream:
            data = stream.read(MAX_UPLOAD_BYTES + 1)
    if len(data) > MAX_UPLOAD_BYTES:
        raise UnreadableMask(f"{name} is larger than the {MAX_UPLOAD_MB} MB a mask may have.")
    return data, Path(name).name


def _chosen(uploads: tuple[Upload, ...], name: str | None) -> Upload:
    names = [upload.name for upload in uploads]
    if name is None:
        if len(uploads) > 1:
            raise UnreadableMask(
                f"the file holds {len(uploads)} masks; choose one with --array: "
                f"{', '.join(names)}."
            )
        return uploads[0]
    if name not in names:
        raise UnreadableMask(f"the file holds no mask {name!r}, but {', '.join(names)}.")
    return uploads[names.index(name)]


def _positions(text: str) -> list[int]:
    """``0,1,2`` or a file that holds such a list."""
    try:
        return _whole_numbers(text)
    except ValueError:
        pass  # no list, so it is a file
    shown = text if len(text) <= 60 else f"{text[:60]}…"
    try:
        with Path(text).open(encoding="utf-8") as stream:
            return _whole_numbers(stream.read(1_000_000))
    except ValueError:  # also: no text
        raise ValueError(f"the file {shown} of --positions holds no whole numbers.") from None
    except OSError:
        raise ValueError(
            f"--positions must be whole numbers, such as 0,1,2, or a file of them; {shown!r} is "
            "neither."
        ) from None


def _whole_numbers(text: str) -> list[int]:
    return [int(piece) for piece in text.strip(" []()\n").replace(",", " ").split()]


# --- mask


def mask_command(arguments: Namespace) -> int:
    """Text goes to standard output, or with ``--out`` to a file; arrays to a file only."""
    layout = _layout(arguments)
    name = arguments.format
    if name == TEXT:
        whole = export_mask(layout, "csv", prefix=arguments.prefix).text or ""
        data = whole.replace(",", "").encode()
    elif name not in FORMATS:
        raise ValueError(f"--format {name} is not known; use {TEXT} or one of {_formats()}.")
    else:
        export = export_mask(layout, name, prefix=arguments.prefix)
        data = export.data
        if export.text is None and arguments.out is None:
            raise ValueError(f"--format {name} is no text; give a file with --out.")
    if arguments.out is None:
        print(data.decode().rstrip("\n"))
        return 0
    out = checked_out(arguments.out)
    out.write_bytes(data)
    print(f"{printable(str(out))}: {layout.title}, {layout.settings}, {len(data) / 1000:.1f} kB")
    return 0


def _formats() -> str:
    return ", ".join(FORMATS)
