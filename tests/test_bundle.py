"""The scripts of the pictures: whole, each name for one thing, no colour and no markup."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from lookahead_viz.player.bundle import LABVIEW, LANES, PLAYER, WORDS, Bundle, theme_data

BUNDLES = (PLAYER, WORDS, LANES, LABVIEW)
SET_ELSEWHERE = {"px", "height", "lines"}
"""Variables of the styles that are no colours."""

bundles = pytest.mark.parametrize("bundle", BUNDLES, ids=lambda bundle: bundle.folder.name)


def read(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@bundles
def test_every_module_is_in_the_script_once_and_begins_the_component(bundle: Bundle) -> None:
    assert sorted(path.stem for path in (bundle.folder / "js").glob("*.js")) == sorted(bundle.own)
    assert not re.search(r"^(import|export)\b", bundle.script, re.MULTILINE)
    assert re.search(rf"^function {bundle.mount}\b", bundle.script, re.MULTILINE)
    assert bundle.component.endswith(f"\nexport default {bundle.mount};\n")


@bundles
def test_no_name_stands_for_two_things(bundle: Bundle) -> None:
    declared = re.findall(
        r"^(?:async )?(?:function|const|let|class) (?:\{[^}]*\} = )?(\w+)",
        bundle.script,
        re.MULTILINE,
    )
    assert [name for name, count in Counter(declared).items() if count > 1] == []


@bundles
def test_what_a_module_uses_it_imports_from_one_before_it(bundle: Bundle) -> None:
    before: dict[str, str] = {}
    for file in bundle.files:
        source = read(file)
        for imported, home in re.findall(r'import \{([^}]*)\} from "[./\w]*/(\w+)\.js"', source):
            exported = set(
                re.findall(
                    r"^export (?:async )?(?:function|const|class) (\w+)",
                    before[home],
                    re.MULTILINE,
                )
            )
            wanted = {part.strip() for part in imported.split(",") if part.strip()}
            assert wanted <= exported, (file.stem, home)
            used = source.replace(imported, "", 1)
            assert all(re.search(rf"\b{one}\b", used) for one in wanted), (file.stem, wanted)
        before[file.stem] = source


@bundles
def test_colours_and_markup_stay_out(bundle: Bundle) -> None:
    for source in [*map(read, bundle.files), bundle.styles]:
        assert not re.search(r"#[0-9A-Fa-f]{3}\b|#[0-9A-Fa-f]{6}\b", source)
        assert not re.search(r"(inner|outer|insertAdjacent)HTML|eval\(", source)
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", source)


@bundles
def test_every_variable_of_the_styles_is_a_colour_of_both_themes(bundle: Bundle) -> None:
    used = set(re.findall(r"var\(--lv-([a-z0-9-]+)", bundle.styles + bundle.script))
    for name in ("light", "dark"):
        assert used - SET_ELSEWHERE <= set(theme_data()[name])
