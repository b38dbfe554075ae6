"""Mistakes with a parameter, which is read off the mask: layouts mixed up, stale prefix, windows.

Each is a ``Mistake`` like those of the library, so it can be made again at another size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from lookahead_viz import visibility
from lookahead_viz.masklab import orders
from lookahead_viz.masklab.layouts import canonical_step
from lookahead_viz.masklab.mistakes import MISTAKES, Mistake
from lookahead_viz.masklab.orders import Grid
from lookahead_viz.masklab.scene import Masks, Scene
from lookahead_viz.words import count

ORDERS: dict[str, tuple[str, Callable[[Grid], list[int]]]] = {
    "lade": ("LADE", orders.row_major),
    "lade-flash": ("LADE flash", orders.row_zero_then_columns),
    "llama.cpp": ("llama.cpp", orders.candidates_first),
    "trt": ("TensorRT-LLM", orders.column_major),
}
"""The different token orders of full passes, by the layout that gives them their name."""


CUT = "cut"


def suspects(scene: Scene, masks: Masks) -> Iterator[Mistake]:
    """Every mistake that this mask could be: the library, then those with a parameter."""
    yield from MISTAKES.values()
    yield from other_orders(scene)
    yield from cut_masks(scene)
    if scene.committed:
        yield from stale_prefixes(scene, masks)
    yield from sliding_windows(scene, masks)


# --- tokens in one order, the mask in another


def other_orders(scene: Scene) -> Iterator[Mistake]:
    """The mask of another engine's order on these tokens."""
    for name, (title, order) in ORDERS.items():
        if tuple(order(scene.grid)) != scene.order:
            yield Mistake(
                f"order-of-{name}",
                f"the right mask in the order of {title}",
                f"Pack the tokens as {title} does, or permute the mask's lines and columns to "
                f"your own order; if your tokens are in that order, check with layout {name!r}.",
                _in_order(order),
            )


def _in_order(order: Callable[[Grid], list[int]]) -> Callable[[Scene], Masks | None]:
    def rule(scene: Scene) -> Masks | None:
        size = scene.grid.slots
        if scene.size != size or len(set(scene.order)) != size:
            return None  # a part of a pass, or with committed tokens in front
        place = np.empty(size, dtype=int)
        place[list(scene.order)] = np.arange(size)
        other = place[order(scene.grid)]
        right = scene.right[other][:, other]
        prefix = scene.right_prefix
        return Masks(right, None if prefix is None else prefix[other])

    return rule


# --- a mask of another size, cut to this one


def cut_masks(scene: Scene) -> Iterator[Mistake]:
    """Built for more candidates, or for a wider window, and cut to the first T tokens.

    In an order that ends with the candidates, too many of them are cut off without harm.
    """
    for window, candidates in ((0, 1), (0, 2), (0, 3), (1, 0), (2, 0), (1, 1)):
        mistake = cut_mask(window, candidates)
        masks = mistake.rule(scene)
        if masks is not None and not masks.equals(scene.masks):
            yield mistake


def cut_mask(window: int, candidates: int) -> Mistake:
    """The mask of a pass with so many more window columns and candidates, cut."""
    more = [
        f"{count(abs(number), what)} {'more' if number > 0 else 'fewer'}"
        for number, what in ((window, "window column"), (candidates, "candidate"))
        if number
    ]
    title = f"the mask of a pass with {' and '.join(more)}, cut to this size"
    return Mistake(
        f"{CUT}{window:+d}{candidates:+d}",
        title,
        "Build the mask for the candidates that this pass has; a larger one cannot be cut in this "
        "order.",
        lambda scene: _cut(scene, window, candidates),
    )


def _cut(scene: Scene, window: int, candidates: int) -> Masks | None:
    grid = scene.grid
    mine = [order for _, order in ORDERS.values() if tuple(order(grid)) == scene.order]
    larger = Grid(grid.rows, grid.cols + window, grid.candidates + candidates, grid.guesses)
    if not mine or larger.candidates < 0 or larger.slots < scene.size:
        return None
    slots = mine[0](larger)[: scene.size]
    mask = visibility.mask(canonical_step(larger))[slots][:, slots]
    return Masks(scene.in_window(mask), scene.right_prefix)


# --- a stale number of committed columns


def stale_prefixes(scene: Scene, masks: Masks) -> Iterator[Mistake]:
    """Built for another number of committed columns than the cache holds.

    The row of the current token tells for how many.
    """
    seen = int(masks.packed[scene.current].sum())
    seen += scene.committed if masks.prefix is None else int(masks.prefix[scene.current].sum())
    missing = scene.committed + 1 - seen
    if missing and seen:
        yield stale_prefix(missing)


def stale_prefix(missing: int) -> Mistake:
    """The mask of a pass with ``missing`` fewer committed tokens (negative: more)."""
    fewer = f"{abs(missing)} too {'few' if missing > 0 else 'many'}"
    return Mistake(
        f"stale-prefix{-missing:+d}",
        f"the mask of a pass with {count(abs(missing), 'committed column')} too "
        f"{'few' if missing > 0 else 'many'}",
        f"Build the mask after the cache has its new length: it was built for a prefix {fewer}."
        + _static(missing),
        lambda scene: _shifted(scene, missing),
    )


def _static(missing: int) -> str:
    """A cache of a fixed length ends with columns that nothing is in yet."""
    if missing <= 0:
        return ""
    return (
        f" If it is a static cache with {count(missing, 'unused slot')} at its end, cut those "
        "columns off and check again."
    )


def _shifted(scene: Scene, missing: int) -> Masks | None:
    """All columns moved left by ``missing``, committed ones coming in at the left."""
    committed, size = scene.committed, scene.size
    if not committed or not -size < missing <= committed or scene.sliding_window is not None:
        return None
    whole = np.ones((size, committed + size), dtype=bool)
    whole[:, committed:] = scene.right
    moved = np.zeros_like(whole)
    if missing > 0:
        moved[:, :-missing] = whole[:, missing:]
    else:
        moved[:, -missing:] = whole[:, :missing]
        moved[:, :-missing] = True
    return Masks(moved[:, committed:], moved[:, :committed])


# --- sliding windows


def sliding_windows(scene: Scene, masks: Masks) -> Iterator[Mistake]:
    """A sliding window that was left out, counted by cache index, or of another size."""
    if scene.sliding_window is not None:
        yield from WINDOW_LEFT_OUT
    for size in _window_sizes(scene, masks, scene.committed + np.arange(scene.size)):
        yield window_by_index(size)
    first = int(scene.position.min())  # of what is fed again, which is no column of the cache
    for size in _window_sizes(scene, masks, scene.committed + scene.position - first):
        if size != scene.sliding_window:
            yield window_by_position(size, scene.sliding_window)


def _left_out(scene: Scene) -> Masks | None:
    """No window anywhere; None where it hides nothing at this size."""
    return Masks(scene.paths) if scene.hides_by_window else None


def _left_out_in_cache(scene: Scene) -> Masks | None:
    """Committed columns all visible; None where the window hides none among the packed tokens."""
    return Masks(scene.right) if scene.committed and _bites(scene) else None


def _left_out_in_step(scene: Scene) -> Masks | None:
    return Masks(scene.paths, scene.right_prefix) if scene.committed and _bites(scene) else None


def _bites(scene: Scene) -> bool:
    return bool((scene.right != scene.paths).any())


_FIX = (
    "Hide what stands further back than the model's sliding window: a line at position q reads "
    "positions above q - window only, "
)
WINDOW_LEFT_OUT = (
    Mistake(
        "window-not-applied",
        "sliding window not applied",
        _FIX + "in the committed columns and among the packed tokens.",
        _left_out,
    ),
    Mistake(
        "window-not-applied-to-cache",
        "sliding window not applied to the committed columns",
        _FIX + "in the committed columns as well as among the packed tokens.",
        _left_out_in_cache,
    ),
    Mistake(
        "window-not-applied-to-step",
        "sliding window not applied among the packed tokens",
        _FIX + "among the packed tokens as well as in the committed columns.",
        _left_out_in_step,
    ),
)
"""Mistakes about a sliding window that the model has; they cannot be made where it has none."""


def _window_sizes(scene: Scene, masks: Masks, place: np.ndarray) -> list[int]:
    """Sizes that would hide what is hidden in front: found at the first row that hides some.

    ``place`` [T] is where each row counts from; a row sees the last ``size`` places.
    """
    committed = scene.committed
    if committed and masks.prefix is not None:
        hidden = committed - masks.prefix.sum(axis=1)
        rows = np.flatnonzero((hidden > 0) & (hidden < committed))
        if len(rows):
            row = int(rows[0])
            return [int(place[row]) - int(hidden[row]) + 1]
        rows = np.flatnonzero(hidden == committed)
    else:
        rows = np.flatnonzero(~masks.packed[:, scene.current])
    if not len(rows):
        return []
    # the earliest row that hides the whole front hides its last place just so
    return (
        [int(place[rows].min()) - max(committed - 1, 0)]
        if committed
        else [int(place[rows].min()) - int(place[scene.current])]
    )


def window_by_index(size: int) -> Mistake:
    """A token at cache index i sees the indexes above i - size."""

    def rule(scene: Scene) -> Masks | None:
        if size < 2 or size >= scene.committed + scene.size:
            return None
        index = np.arange(scene.size)
        packed = scene.paths & (index[:, None] - index[None, :] < size)
        cached = np.arange(-scene.committed, 0)
        return Masks(packed, index[:, None] - cached[None, :] < size)

    return Mistake(
        f"window-by-index-{size}",
        f"a sliding window of {size} counted by cache index",
        "Count the sliding window by position (that of the line minus that of the column), not by "
        "index in the cache or in the packed pass.",
        rule,
    )


def window_by_position(size: int, due: int | None = None) -> Mistake:
    """The right mask of a model with another sliding window than ``due`` (None: it has none)."""

    def rule(scene: Scene) -> Masks | None:
        if size < 2:  # a token that sees itself alone looks back nowhere
            return None
        other = replace(scene, sliding_window=size)
        return Masks(other.right, other.right_prefix)

    if due is None:
        title = f"the right mask with a sliding window of {size} positions"
        fix = "otherwise every line sees all committed columns."
    else:
        title = f"the right mask with a sliding window of {size} positions instead of {due}"
        fix = f"otherwise a line at position q reads the positions above q - {due}."
    return Mistake(
        f"window-by-position-{size}",
        title,
        f"If the model has such a window, check with sliding_window={size}; {fix}",
        rule,
    )
