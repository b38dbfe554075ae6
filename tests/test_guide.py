"""The teacher's guide: its numbers are the runs' numbers, its links lead to what they say."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import parse_qs, urlparse

import pytest

from lookahead_viz import gallery, glossary
from lookahead_viz.lessons import guide
from lookahead_viz.lessons.cards import asks, card
from lookahead_viz.ui import lesson

TEXT = guide.GUIDE.read_text(encoding="utf-8")
LINKS = sorted(set(re.findall(r"\(http://localhost:8501(/[^)\s]*)\)", TEXT)))


def test_what_it_says_about_runs_is_what_the_runs_say() -> None:
    assert guide.written(TEXT) == TEXT, "run: python -m lookahead_viz.lessons.guide"


def test_all_parts_are_there_and_written() -> None:
    parts = re.findall(r"<!-- begin (\w+) -->\n(.*?)<!-- end -->", TEXT, re.DOTALL)
    assert {name for name, _ in parts} == set(guide.PARTS)
    assert all(text.strip() for _, text in parts)


def test_a_number_that_drifts_is_found() -> None:
    stale = "a <!-- begin troubles -->\n| flip | 99 |\n<!-- end --> b"
    assert guide.written(stale) == f"a <!-- begin troubles -->\n{guide.counted()}<!-- end --> b"


def test_its_words_are_the_glossarys_own(monkeypatch: pytest.MonkeyPatch) -> None:
    part = TEXT.partition("<!-- begin words -->\n")[2].partition("<!-- end -->")[0]
    used = guide.used_terms()
    assert part.count("\n") == len(used) + 2
    assert {"pass", "window", "n-gram", "frozen", "bonus", "low yield"} <= {
        one.name for one in used
    }
    assert {"scaling law", "roofline"}.isdisjoint(one.name for one in used)
    (first, *others) = glossary.terms()
    monkeypatch.setattr(glossary, "terms", lambda: (replace(first, words="New."), *others))
    assert guide.written(TEXT) != TEXT, "a word that is explained anew makes the guide stale"


def test_every_question_has_its_answer() -> None:
    part = guide.answers()
    assert part.count("\n  *") == len(asks()) == part.count("](http")


@pytest.mark.parametrize("link", LINKS)
def test_every_link_leads_somewhere(link: str) -> None:
    parsed = urlparse(link)
    query = {name: values[0] for name, values in parse_qs(parsed.query).items()}
    pages = {path.stem for path in (guide.GUIDE.parent.parent / "pages").glob("*.py")}
    assert parsed.path.strip("/") in pages | {""}
    if "run" in query:
        assert query["run"] in [one.key for one in gallery.exhibits()]
    if "card" in query:
        found = card(query["card"])
        assert found is not None
        if "step" in query:
            ask = found.asks[int(query.get("question", "1")) - 1]
            (run, *_) = [
                run for method in ask.methods for run in guide.example().of_method(method)
            ]
            assert ask.best_step(run) == int(query["step"])


def test_the_claims_name_their_machines() -> None:
    assert "1.8 times (MT-bench) is one GPU; its 4 times is code on several GPUs" in TEXT


def test_in_the_app_its_links_are_the_apps_own() -> None:
    shown = guide.in_the_app(TEXT)
    assert "localhost" not in shown and "<!--" not in shown and "](/learn?card=" in shown


def test_the_app_and_the_guide_mean_the_same_example() -> None:
    assert guide.EXAMPLE == lesson.EXAMPLE
