"""Which files of a model hold the weights that transformers reads, and what is missing of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

INDEX = ".index.json"
"""The end of the name of a list that says in which files the weights are."""

IN_THIS_ORDER = ("model.safetensors", "pytorch_model.bin")
"""transformers reads the first of them that is there, each whole or cut into several files."""


def index_of(names: Collection[str], config: Any = None) -> str | None:
    """The one file that is read first: the weights themselves, or the list of their files.

    ``names``: the files at the top level. ``config`` may name another file than the usual ones.
    None when there are no weights.
    """
    own = getattr(config, "transformers_weights", None)
    choices = [own] if isinstance(own, str) else []
    choices += [name for usual in IN_THIS_ORDER for name in (usual, usual + INDEX)]
    return next((name for name in choices if name in names), None)


def files_of(first: str, read: Callable[[str], Any]) -> list[str]:
    """The files with the weights, ``first`` being ``index_of``'s answer.

    ``read`` gives the content of a list of files. ValueError when that is no such list, or names
    a file elsewhere than beside it.
    """
    if not first.endswith(INDEX):
        return [first]
    content = read(first)
    places = content.get("weight_map") if isinstance(content, dict) else None
    if not isinstance(places, dict) or not places:
        raise ValueError(f"its {first} does not say in which files its weights are")
    names = sorted({str(name) for name in places.values()})
    strange = next((name for name in names if "/" in name or "\\" in name), None)
    if strange is not None:
        raise ValueError(f"its {first} names a file in another folder ({strange[:100]!r})")
    return names


def bytes_in(folder: Path, config: Any = None) -> int:
    """Bytes of the files in ``folder`` that hold the weights; ValueError when one is missing."""
    first = index_of({path.name for path in folder.iterdir()}, config)
    if first is None:
        raise ValueError(f"it has no weights ({' or '.join(IN_THIS_ORDER)})")
    names = files_of(first, lambda name: json.loads((folder / name).read_text("utf-8")))
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        raise ValueError(
            f"{len(missing)} of the {len(names)} files with its weights are missing (the first is "
            f"{missing[0]})"
        )
    return sum((folder / name).stat().st_size for name in names)
