"""The mask lab's page: any mask in, an answer or one sentence out; what it shows and offers."""

from __future__ import annotations

import json
import random
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from lookahead_viz.masklab import check, gallery, packed
from lookahead_viz.masklab.export import FORMATS, export_mask
from lookahead_viz.masklab.gallery import EXHIBITS
from lookahead_viz.masklab.layouts import LAYOUTS
from lookahead_viz.masklab.mistakes import MISTAKES
from lookahead_viz.masklab.scene import Scene
from lookahead_viz.ui import masklab, masklab_trial, models
from lookahead_viz.views.masklab import report_view
from lookahead_viz.views.masklab_questions import five_answers
from lookahead_viz.views.masklab_sizes import size_lines
from tests.masklab_files import EXAMPLES, npy, npz, right_mask, small_files
from tests.test_masklab_fuzz import damaged

ROOT = Path(__file__).resolve().parent.parent


def opened(**state: Any) -> AppTest:
    at = AppTest.from_file(str(ROOT / "pages" / "mask-lab.py"), default_timeout=60)
    for name, value in state.items():
        at.session_state[name] = value
    return at.run()


def said(at: AppTest) -> str:
    return "\n".join(
        element.proto.body for element in at.get("html") if "<style>" not in element.proto.body
    )


def sound(at: AppTest) -> AppTest:
    """No exception, and nothing that could not be drawn."""
    assert not at.exception
    assert "This could not be drawn" not in said(at)
    return at


def drawn(at: AppTest) -> dict[str, Any]:
    """What the difference view was given."""
    data: dict[str, Any] = json.loads(at.get("bidi_component")[-1].proto.json)
    return data


def uploaded(at: AppTest, *files: tuple[str, bytes]) -> AppTest:
    if at.session_state["lab_source"] != "Upload":
        at.button_group(key="lab_source").set_value("Upload").run()
    return (
        at.file_uploader("lab_file")
        .set_value([(name, data, "application/octet-stream") for name, data in files])
        .run()
    )


NAMED: dict[str, str] = {
    "neighbours": "‘same-row attention’ in all 441 cells",
    "all-of-row-0": "‘row-0 prefix not shortened’",
    "one-block": "‘candidates see each other’",
    "comment": "‘the right mask in the order of LADE’",
    "other-way": "‘inverted’",
    "late": "2 committed columns too few",
    "counted": "counted through (arange)",
    "sliding": "sliding window of 24 counted by cache index",
    "words": "‘the right mask in the order of LADE’",
    "two-at-once": "‘self missing’ and ‘same-row attention’ together",
}


def test_the_page_opens_on_a_wrong_mask_and_its_diagnosis() -> None:
    at = sound(opened())
    assert at.title[0].value == "Is my mask right?"
    assert "✗ Wrong: 25 of 441 cells differ from LADE, W=5, N=4, G=2." in said(at)
    assert NAMED["neighbours"] in said(at)
    assert "line 6 (L11, row 1, column 1 of the window), column 5 (L10, row 1, column 0" in said(
        at
    )
    assert at.code[0].value == 'lv.masklab.assert_mask(mask, 5, 4, 2, layout="lade")'
    assert drawn(at)["size"] == 21


def test_each_of_the_ten_is_named_for_what_it_is() -> None:
    assert list(EXHIBITS) == list(NAMED)
    at = opened()
    for key, named in NAMED.items():
        sound(at.selectbox("lab_exhibit").set_value(key).run())
        assert named in said(at), key
        assert "lv-wrong" in said(at)
        assert at.selectbox("lab_layout").value == EXHIBITS[key].layout


def test_a_right_mask_is_called_right() -> None:
    at = sound(uploaded(opened(), ("mask.npy", npy(right_mask()))))
    assert "✓ Right: the mask of LADE, W=5, N=4, G=2." in said(at)
    assert at.button("lab_decode").disabled
    assert "“mask.npy”: 21 lines and columns" in said(at)


def test_a_pasted_mask_with_names() -> None:
    at = opened(lab_source="Paste", lab_text=EXAMPLES["llama.cpp"], lab_layout="llama.cpp")
    assert "✓ Right" in said(sound(at))
    at.text_area("lab_text").set_value(EXAMPLES["llama.cpp"].replace("110100", "110000")).run()
    assert "line 3 (V01, candidate 1, guess 2)" in said(sound(at)) and "blind" in said(at)
    at.text_area("lab_text").set_value("hello").run()
    assert "⚠ The text: No mask was found" in said(sound(at))
    at.text_area("lab_text").set_value("").run()
    assert "No mask yet" in said(sound(at))


def test_a_mask_of_another_size_names_what_it_fits_and_offers_it() -> None:
    mask = packed("lade-flash", 4, 5, 3).mask
    at = sound(uploaded(opened(), ("mask.npy", npy(mask))))
    assert "It has 28 lines" in said(at)
    assert at.button("lab_fits").label == "Compare with LADE flash, W=4, N=5, G=3"
    sound(at.button("lab_fits").click().run())
    assert "✓ Right: the mask of LADE flash, W=4, N=5, G=3." in said(at)


def test_warnings_about_what_engines_do_with_the_type() -> None:
    for array, warning in (
        (right_mask().astype(np.float32), "would hide nothing"),
        (right_mask(), "silently wrong with &quot;eager&quot;"),
        (np.where(right_mask(), 0, -10.0), "weak value (-10)"),
    ):
        assert warning in said(sound(uploaded(opened(), ("mask.npy", npy(array)))))


def test_how_a_mask_is_read_can_be_told() -> None:
    at = uploaded(opened(), ("mask.npy", npy(~right_mask())))
    assert "‘inverted’" in said(at)
    sound(at.selectbox("lab_polarity").set_value("keep=0").run())
    assert "✓ Right" in said(at)
    at = uploaded(opened(), ("p.json", b"[0, 1, 1, 2]"))
    sound(at.selectbox("lab_kind").set_value("parents").run())
    assert "Read as parents" in said(at)


def test_several_masks_at_once_in_one_table() -> None:
    wrong = right_mask().copy()
    wrong[4, 4] = False
    both = npz({"good": right_mask(), "bad": wrong})
    at = sound(uploaded(opened(), ("both.npz", both), ("c.npy", npy(right_mask(2, 3, 1)))))
    assert at.selectbox("lab_look").options == ["1. good", "2. bad", "3. c.npy"]
    assert "All masks that were given" in said(at)
    assert said(at).count("<td>bad</td>") == said(at).count("<td>c.npy</td>") == 1
    sound(at.selectbox("lab_look").select_index(1).run())
    assert "✗ Wrong: 1 of 441" in said(at)


def test_masks_of_several_sizes_are_each_checked_at_their_own() -> None:
    """Right at one size and wrong at another, as their names say."""
    wrong = MISTAKES["column-above-missing"].rule
    masks = {}
    for window, ngram, candidates in ((5, 4, 2), (5, 3, 2), (2, 3, 1)):
        made = wrong(Scene.of(packed("lade", window, ngram, candidates)))
        assert made is not None
        masks[f"mask_W{window}_N{ngram}_G{candidates}"] = made.packed
    at = sound(uploaded(opened(), ("sizes.npz", npz(masks))))
    assert "<td>Wrong: 5 of 441 cells differ from LADE, W=5, N=4, G=2.</td>" in said(at)
    assert "<td>Right: the mask of LADE, W=5, N=3, G=2.</td>" in said(at)
    assert "<td>Right: the mask of LADE, W=2, N=3, G=1.</td>" in said(at)
    at = sound(uploaded(opened(), ("a.npz", npz({"mask_W0_N9_G9": right_mask(2, 3, 1)}))))
    assert "lv-trouble" in said(at)


def test_every_layout_and_its_settings_can_be_chosen() -> None:
    at = opened()
    for name in LAYOUTS:
        sound(at.selectbox("lab_layout").set_value(name).run())
    at.selectbox("lab_layout").set_value("trt-fill").run()
    at.number_input("lab_fill").set_value(99).run()
    assert "‘fill’ is 99; it must be from 1 to 2." in said(sound(at))
    at = opened(lab_layout="trt-merged", lab_tokens="I a b")
    assert "21 canonical slots" in said(sound(at))


@pytest.mark.parametrize("size", [(1, 2, 0), (1000, 9, 0), (1, 1000, 1000), (60, 11, 40)])
def test_sizes_at_the_edge(size: tuple[int, int, int]) -> None:
    at = sound(opened(lab_w=size[0], lab_n=size[1], lab_g=size[2]))
    assert "lv-wrong" in said(at) or "4000 are the most" in said(at)


def test_damaged_uploads_are_an_answer_or_one_sentence() -> None:
    """Through the whole page; the fuzz of the readers alone is much longer."""
    rng = random.Random(5)
    at = opened()
    for name, data in small_files().items():
        sound(uploaded(at, (name, data)))
        sound(uploaded(at, (name, damaged(data, rng))))
    sound(uploaded(at, ("<b>.npy", b"\x93NUMPY<script>")))
    assert "<script" not in said(at) and "<b>" not in said(at)


def test_a_large_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(masklab, "MAX_UPLOAD_BYTES", 100)
    at = sound(uploaded(opened(), ("mask.npy", npy(right_mask()))))
    assert "larger than 80 MB" in said(at)


def test_hostile_token_texts_are_text() -> None:
    evil = ["</p><script>alert(1)</script>", "<img src=x onerror=alert(1)>", ":red[x]"] * 7
    mask = right_mask().copy()
    mask[3, 9] = True
    at = sound(uploaded(opened(), ("m.npz", npz({"mask": mask, "tokens": np.array(evil)}))))
    assert "<script" not in said(at) and "<img" not in said(at)
    assert drawn(at)["texts"][0] == evil[0].replace(" ", "·")


def test_the_right_mask_in_every_format() -> None:
    at = opened()
    for name in FORMATS:
        sound(at.selectbox("lab_format").set_value(name).run())
        text = export_mask(packed("lade", 5, 4, 2), name).text
        if text is not None:
            assert escape(text[:300]) in said(at)
        assert "hashlib.sha256" in at.code[1].value


# --- the model


@pytest.mark.parametrize("key", ["neighbours", "late"])
def test_what_the_mask_does_to_the_tiny_model(key: str) -> None:
    at = opened(lab_exhibit=key)
    at.selectbox("lab_exhibit").set_value(key).run()
    sound(at.button("lab_decode").click().run(timeout=240))
    assert "with the right mask" in said(at)
    text = "The text is the same" if key == "neighbours" else "with this one"
    assert text in said(at)
    assert len(at.get("plotly_chart")) == 1


def test_a_prompt_of_ones_own_and_a_model_that_was_loaded() -> None:
    models.SHELF.get("tiny")
    at = opened()
    assert at.selectbox("lab_model").options[0] == "tiny"
    at.selectbox("lab_prompt").set_value("own").run()
    sound(at.button("lab_decode").click().run(timeout=240))
    assert "Your own prompt is empty" in said(at)
    at.text_area("lab_own_prompt").set_value("a" * 4001).run()
    sound(at.button("lab_decode").click().run(timeout=240))
    assert "has 4,001 characters; at most 4,000" in said(at)
    at.text_area("lab_own_prompt").set_value("def add(a, b):\n").run()
    sound(at.button("lab_decode").click().run(timeout=240))
    assert "tiny, your own prompt:" in said(at) and "with the right mask" in said(at)


def test_one_question_is_open_at_a_time() -> None:
    at = opened()
    final = at.radio("lab_question").options[4]
    assert final.startswith("Green 1") and "No. Green 1" not in said(at)
    sound(at.radio("lab_question").set_value(final).run())
    assert "No. Green 1 reads the final token" in said(at)
    assert "Line L10, column I is on, as it must be" in said(at)


def test_the_oracle_says_which_token_is_off() -> None:
    at = opened()
    sound(at.button("lab_ask").click().run(timeout=240))
    assert "Wrong: " in said(at) and "a logit off by" in said(at)
    at.selectbox("lab_exhibit").set_value("late").run()
    assert "a logit off by" not in said(at)  # that was about another mask


def test_other_masks_over_several_prompts() -> None:
    at = opened(lab_masks=["same-iteration"], lab_prompts=["stack", "days"])
    sound(at.button("lab_compare").click().run(timeout=240))
    assert "same-iteration attention" in said(at) and "identical" in said(at)


def test_a_model_that_cannot_be_loaded_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> None:
        raise OSError("no such file: model.safetensors")

    monkeypatch.setattr(masklab_trial, "_model", broken)
    at = opened()
    sound(at.button("lab_decode").click().run())
    assert "No such file: model.safetensors" in said(at)


# --- views


def test_five_answers_speak_of_the_mask_at_hand() -> None:
    exhibit = EXHIBITS["neighbours"]
    report = gallery.checked(exhibit)
    answers = five_answers(report)
    assert len(answers) == 5
    own = answers[1].cells
    assert own[0].startswith(
        "Line L24, column L14 is off in your mask and must be on: Same n-gram"
    )
    assert own[1].startswith("Line L24, column L23 is on in your mask and must be off: Same row")
    yellow = answers[2]
    assert yellow.sentences[0].startswith("Yes.")
    assert [line.split(":")[0] for line in yellow.cells] == [
        "Line L24, column L03 is on, as it must be",
        "Line L24, column L04 is on, as it must be",
        "Line V12, column L04 is off, as it must be",
    ]
    for size in ((1, 2, 0), (2, 2, 1), (1, 4, 0)):
        small = gallery.checked(exhibit, packed("lade", *size))
        assert len(five_answers(small)) == 5


def test_all_wrong_rows_are_named_also_those_that_pass_the_first_failed_check() -> None:
    masks = MISTAKES["same-row"].rule(Scene.of(packed("lade")))
    assert masks is not None
    view = report_view(check(masks.packed))
    wrong = "L11, L12, L13, L14, L20, L21, L22, L23, L24"
    assert view.rows.startswith(f"9 of 21 lines are wrong: {wrong}. Does every line see one token")
    assert not report_view(check(packed("lade").mask)).rows
    moved = report_view(check(packed("lade").mask, positions=range(21)))
    assert moved.rows.startswith("Is every position one more")


def test_a_mistake_at_other_sizes() -> None:
    """At N = 3 and with one candidate some mistakes cannot be seen."""
    above = size_lines([MISTAKES["column-above-missing"]], packed("lade", 5, 4, 2), 0)
    found = {line.step: line for line in above}
    assert found["LADE, W=5, N=4, G=2"].wrong == 5
    assert found["LADE, W=5, N=3, G=2"].verdict == "✓ right: it cannot be seen here"
    other = size_lines([MISTAKES["candidates-see-each-other"]], packed("lade", 5, 4, 2), 0)
    assert {line.step: line.wrong for line in other}["LADE, W=5, N=4, G=1"] == 0
    none = size_lines([MISTAKES["prefix-hidden"]], packed("lade", 5, 4, 2), 0)
    assert {line.verdict for line in none} == {"– cannot be made here"}


def test_the_payload_is_made_once_for_every_check() -> None:
    at = opened()
    first = drawn(at)
    at.selectbox("lab_format").set_value("c").run()
    assert drawn(at) == first
