"""The checks of a mask, from the shape to the last cell; each can be read for itself.

A right mask is known by its rows alone: each sees itself, nothing later, exactly one token at
every position up to its own, and these are its path (its parent's row and itself).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lookahead_viz.masklab.findings import Finding, Names, finding
from lookahead_viz.masklab.layouts import LAYOUTS, PackedLayout
from lookahead_viz.masklab.normalise import ReadMask
from lookahead_viz.masklab.positions import shift_of
from lookahead_viz.masklab.scene import Masks, Scene
from lookahead_viz.visibility import BoolMatrix
from lookahead_viz.words import count

QUESTIONS = {
    "shape": "Has it the shape of this pass?",
    "polarity": "Does True mean may attend?",
    "self": "Does every line see itself?",
    "later": "Does no line see a later position?",
    "committed": "Does every line see all committed columns?",
    "one-per-position": "Does every line see one token at each position up to its own?",
    "path": "Are these tokens its path: its parent's line and itself?",
    "positions": "Is every position one more than its parent's?",
    "comparison": "Is every cell as it is to be?",
}
"""The checks in their order."""

AFTER_SHAPE = tuple(QUESTIONS)[2:]


def lint(
    read: ReadMask,
    masks: Masks,
    scene: Scene,
    layout: PackedLayout,
    names: Names,
    positions: Sequence[int] | None = None,
) -> tuple[Finding, ...]:
    """All checks. ``masks`` has the layout's size; ``positions`` [T] as they were given."""
    return (
        Finding("shape", QUESTIONS["shape"], True, f"{count(layout.size, 'packed token')}."),
        polarity(read),
        _self(masks, names),
        _later(masks, scene, names),
        _committed(masks, scene, names),
        _one_per_position(masks, scene, names),
        _path(masks, scene, layout, names),
        _positions(positions, scene, layout, names),
        _comparison(masks, scene, layout, names),
    )


def wrong_shape(read: ReadMask, layout: PackedLayout) -> tuple[Finding, ...]:
    """The checks where the number of packed tokens is another one: most cannot be made."""
    message = (
        f"It has {count(read.size, 'line')}; {layout.title} with {layout.settings} packs "
        f"{count(layout.size, 'token')}."
    )
    others = other_candidates(read.size, layout)
    if others is not None:
        message += f" So many are a pass with {count(others, 'candidate')}: check with G={others}."
    own = np.flatnonzero(~np.diagonal(read.mask))
    itself = Finding("self", QUESTIONS["self"], True, "Yes.")
    if len(own):
        message_self = f"{count(len(own), 'line')} do not."
        itself = Finding("self", QUESTIONS["self"], False, message_self, tuple(own.tolist()))
    skipped = (
        Finding(name, QUESTIONS[name], None, "Not checked: another shape.")
        for name in AFTER_SHAPE
        if name != "self"
    )
    shape = Finding("shape", QUESTIONS["shape"], False, message)
    return (shape, polarity(read), itself, *skipped)


def other_candidates(size: int, layout: PackedLayout) -> int | None:
    """The number of candidates with which the pass has ``size`` tokens; None where none has."""
    candidates, rest = divmod(size, layout.ngram_size - 1)
    candidates -= layout.window_size
    if rest or candidates < 0 or not LAYOUTS[layout.name].steady:
        return None
    return candidates


def polarity(read: ReadMask) -> Finding:
    """Is it told, or right, what the values mean?"""
    if not read.inverted:
        return Finding("polarity", QUESTIONS["polarity"], True, "Yes, as read.")
    return Finding(
        "polarity",
        QUESTIONS["polarity"],
        False,
        f"No: the values are the other way round; the checks below read it so. {read.flip}",
        tuple(range(read.size)),
    )


def _self(masks: Masks, names: Names) -> Finding:
    missing = ~masks.packed & np.eye(len(masks.packed), dtype=bool)
    message = "{rows} do not: {names}."
    return finding("self", QUESTIONS["self"], names, missing, masks.packed, message)


def _later(masks: Masks, scene: Scene, names: Names) -> Finding:
    later = masks.packed & (scene.position[None, :] > scene.position[:, None])
    message = "{rows} see the future in {cells}: {names}."
    return finding("later", QUESTIONS["later"], names, later, masks.packed, message)


def _committed(masks: Masks, scene: Scene, names: Names) -> Finding:
    question = QUESTIONS["committed"]
    window = scene.sliding_window
    if window is not None:
        question = f"Does every line see the committed columns of its sliding window ({window})?"
    if not scene.committed:
        return Finding("committed", question, True, "There are no committed columns.")
    seen = whole(masks, scene.committed)
    wrong = seen != whole(scene.masks, scene.committed)
    wrong[:, scene.committed :] = False
    beyond = int(np.count_nonzero(wrong & seen))
    missing = int(np.count_nonzero(wrong)) - beyond
    message = "{rows} do not, in {cells}: {names}."
    if beyond:
        message = "{rows} see columns beyond it, in {cells}: {names}."
    if beyond and missing:
        message = f"{{rows}} see {beyond} beyond it and miss {missing} of it: {{names}}."
    return finding("committed", question, names, wrong, seen, message, _reach(scene))


def _reach(scene: Scene) -> str:
    """The answer where the committed columns are right."""
    if scene.sliding_window is None:
        return "Yes."
    if scene.hides_by_window:
        return "Yes, and nothing beyond it."
    return (
        f"Yes; the window hides nothing behind {count(scene.committed, 'committed column')}: to "
        f"see that it is applied, check behind {scene.sliding_window} of them as well."
    )


def whole(masks: Masks, committed: int = 0) -> BoolMatrix:
    """[T, P + T]: the committed columns (``committed`` of them where all are seen), the others."""
    prefix = masks.prefix
    if prefix is None:
        prefix = np.ones((len(masks.packed), committed), dtype=bool)
    return np.hstack([prefix, masks.packed])


def _one_per_position(masks: Masks, scene: Scene, names: Names) -> Finding:
    """Density: as many tokens as positions, each of them once. It holds in every layout."""
    question = QUESTIONS["one-per-position"]
    if scene.sliding_window is not None:
        question = question.replace("?", ", within the sliding window?")
    by_position = np.argsort(scene.position, kind="stable")
    places, starts = np.unique(scene.position[by_position], return_index=True)

    def per_position(mask: BoolMatrix) -> NDArray[np.int64]:
        """[T, places], how many tokens a row sees at each."""
        return np.add.reduceat(mask[:, by_position], starts, axis=1, dtype=np.int64)

    seen, wanted = per_position(masks.packed), per_position(scene.right)
    rows = np.flatnonzero((seen != wanted).any(axis=1))
    if not len(rows):
        return Finding("one-per-position", question, True, "Yes.")
    row = int(rows[0])
    several = [f"{place:+d}" for place in places[seen[row] > wanted[row]]]
    missing = [f"{place:+d}" for place in places[seen[row] < wanted[row]]]
    said = [f"too many at {', '.join(several[:4])}"] if several else []
    said += [f"none at {', '.join(missing[:4])}"] if missing else []
    message = (
        f"{count(len(rows), 'line')} do not: {names.rows(rows.tolist())}. "
        f"{names.token(row)} sees {' and '.join(said)}."
    )
    wrong = masks.packed != scene.right
    wrong[np.setdiff1d(scene.index, rows)] = False
    return Finding(
        "one-per-position",
        question,
        False,
        message,
        tuple(rows.tolist()),
        names.cells(wrong, masks.packed),
        int(np.count_nonzero(wrong)),
    )


def _path(masks: Masks, scene: Scene, layout: PackedLayout, names: Names) -> Finding:
    """Where a fault begins: a row that departs from its parent's, and from what is right."""
    parents = np.array(layout.parents)
    wanted = np.where((parents >= 0)[:, None], masks.packed[parents], False)
    wanted = scene.in_window(wanted | scene.itself)
    departs = (masks.packed != wanted) & (masks.packed != scene.right)
    message = "The fault begins in {rows}, {cells}: {names}."
    return finding("path", QUESTIONS["path"], names, departs, masks.packed, message)


def _positions(
    positions: Sequence[int] | None, scene: Scene, layout: PackedLayout, names: Names
) -> Finding:
    question = QUESTIONS["positions"]
    if positions is None:
        return Finding("positions", question, None, "No positions were given.")
    given = np.array(positions) - positions[scene.current]
    rows = np.flatnonzero(given != scene.position)
    if len(rows):
        row = int(rows[0])
        message = (
            f"{count(len(rows), 'token')} stand elsewhere: {names.rows(rows.tolist())}. "
            f"{names.token(row)} stands at {given[row]:+d} from the current token, it must be "
            f"{int(scene.position[row]):+d}."
        )
        return Finding("positions", question, False, message, tuple(rows.tolist()))
    start = positions[scene.current]
    if shift_of(start, scene.committed, layout.refed):
        message = (
            f"They agree among themselves, but the current token stands at {start} behind "
            f"{count(scene.committed + layout.refed, 'committed token')}."
        )
        return Finding("positions", question, False, message, (scene.current,))
    return Finding("positions", question, True, "Yes.")


def _comparison(masks: Masks, scene: Scene, layout: PackedLayout, names: Names) -> Finding:
    seen = whole(masks, scene.committed)
    wrong = seen != whole(scene.masks, scene.committed)
    leaking = int(np.count_nonzero(wrong & seen))
    blind = int(np.count_nonzero(wrong)) - leaking
    return finding(
        "comparison",
        QUESTIONS["comparison"],
        names,
        wrong,
        seen,
        f"{{cells}} differ from {layout.title}, {layout.settings}: {leaking} seen that must be "
        f"hidden (leak), {blind} hidden that must be seen (blind).",
        f"Yes, equal to {layout.title}, {layout.settings}.",
    )
