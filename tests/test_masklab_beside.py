"""Position ids and token texts beside a mask are used or refused; a paste may be wrapped."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from lookahead_viz.cli import main
from lookahead_viz.masklab import check, packed, right_mask
from lookahead_viz.masklab.export import export_mask
from lookahead_viz.masklab.normalise import UnreadableMask, normalise
from lookahead_viz.masklab.reading import Upload, read_pasted, read_upload
from tests.masklab_files import npz, pt

LAYOUT = packed("lade", 5, 4, 2)
RIGHT = LAYOUT.mask
PLACES = np.array(LAYOUT.positions)
BEHIND = right_mask(LAYOUT, 37)
ROWS = ["".join("1" if on else "0" for on in row) for row in RIGHT]


def read(**entries: Any) -> Upload:
    """The one mask of an .npz file, and of the same things as JSON."""
    lists = {
        name: value if isinstance(value, str) else np.asarray(value).tolist()
        for name, value in entries.items()
    }
    (found,) = read_upload(json.dumps(lists).encode(), "mask.json")
    if all(isinstance(value, np.ndarray) for value in entries.values()):
        (again,) = read_upload(npz(entries), "mask.npz")
        assert (again.positions is None) == (found.positions is None)
        assert again.positions is None or (again.positions == found.positions).all()
    return found


# --- position ids and texts


@pytest.mark.parametrize("shape", [(21,), (1, 21), (21, 1), (1, 1, 21)])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_position_ids_of_any_shape_and_type_are_read(shape: Any, dtype: type) -> None:
    found = read(mask=RIGHT, position_ids=PLACES.reshape(shape).astype(dtype))
    assert found.positions is not None and (found.positions == PLACES).all()
    wrong = read(mask=RIGHT, position_ids=np.arange(21).reshape(shape).astype(dtype))
    report = check(wrong.mask, positions=wrong.positions)
    assert report.known_names == ("positions-arange",)


def test_a_batch_of_equal_position_ids_is_one_list() -> None:
    found = read(mask=RIGHT, positions=np.stack([PLACES, PLACES]))
    assert found.positions is not None and (found.positions == PLACES).all()


@pytest.mark.parametrize("size", [1, 2, 20, 22, 57, 59])
def test_position_ids_that_do_not_fit_are_refused_with_both_numbers(size: int) -> None:
    with pytest.raises(UnreadableMask, match=f"“positions” holds {size} position id.*21 packed"):
        read(mask=BEHIND, positions=np.arange(size))
    with pytest.raises(UnreadableMask, match=f"“pos” holds {size} position id.*21 packed"):
        read(mask=RIGHT, pos=np.arange(size))


def test_position_ids_of_all_columns_are_cut_to_the_packed_tokens() -> None:
    whole = np.array([*range(37), *(PLACES + 37)])
    texts = np.array([f"t{i}" for i in range(58)])
    found = read(mask=BEHIND, positions=whole, tokens=texts)
    assert found.positions is not None and (found.positions == PLACES + 37).all()
    assert found.tokens == tuple(f"t{i}" for i in range(37, 58))
    assert "58 for all columns: the last 21" in " ".join(found.statements)
    assert check(found.mask, positions=found.positions)
    whole[40] += 1
    wrong = read(mask=BEHIND, positions=whole)
    assert not check(wrong.mask, positions=wrong.positions)


@pytest.mark.parametrize(
    ("positions", "words"),
    [
        (PLACES + 0.5, "holds 0.5; position ids are whole numbers"),
        (np.full(21, np.nan), "position ids are whole numbers"),
        (np.full(21, 2**40), "too large"),
        (np.full(21, True), "holds no numbers"),
        (np.array(["a"] * 21), "holds texts"),
        ("abc", "“positions” is no list"),
        (np.array([]), "“positions” (holds 0|is no list)"),
    ],
)
def test_what_is_no_list_of_position_ids_has_its_own_sentence(positions: Any, words: str) -> None:
    with pytest.raises(UnreadableMask, match=words):
        read(mask=RIGHT, positions=positions)


def test_what_only_describes_the_mask_stays_a_note() -> None:
    notes = {"name": "step 7", "text": "a note", "position": 37, "positions": None, "ok": True}
    (found,) = read_upload(json.dumps({"mask": RIGHT.tolist(), **notes}).encode(), "m.json")
    assert found.positions is None and found.tokens is None


def test_token_texts_that_do_not_fit_are_refused() -> None:
    with pytest.raises(UnreadableMask, match="“tokens” holds 5 token texts, .*21 packed tokens"):
        read(mask=RIGHT, tokens=np.array(list("abcde")))
    with pytest.raises(UnreadableMask, match="“tokens” is no list"):
        read(mask=RIGHT, tokens="abc")
    comment = read(mask=RIGHT, remarks=np.array(["one", "two"]))
    assert comment.tokens is None and "“remarks” is not used." in comment.statements


@pytest.mark.parametrize("name", ["tokens", "token_ids", "input_ids"])
def test_token_ids_are_no_second_mask(name: str) -> None:
    found = read(mask=RIGHT, **{name: np.arange(100, 121)})
    assert found.tokens is not None and found.tokens[:2] == ("100", "101")


def test_each_of_several_masks_has_its_own_position_ids() -> None:
    trt = packed("trt", 5, 4, 2)
    found = read_upload(
        npz(
            {
                "a": RIGHT,
                "b": trt.mask,
                "positions_b": np.array(trt.positions),
                "positions_a": PLACES,
            }
        ),
        "m.npz",
    )
    for upload, layout in zip(found, (LAYOUT, trt), strict=True):
        assert upload.positions is not None
        assert tuple(upload.positions) == layout.positions
    with pytest.raises(UnreadableMask, match="different position ids"):
        read(mask=RIGHT, pos_x=PLACES, pos_y=PLACES + 1)
    with pytest.raises(UnreadableMask, match="20 position ids, and no mask"):
        read_upload(npz({"a": RIGHT, "b": RIGHT, "positions_c": np.arange(20)}), "m.npz")


def test_position_ids_beside_parents_are_not_overlooked() -> None:
    found = read(parents=np.array(LAYOUT.parents), positions=np.arange(21))
    assert found.kind == "parents" and found.positions is not None
    assert (found.positions == np.arange(21)).all()


# --- pasted text


def _wrapped() -> dict[str, str]:
    text = "\n".join(ROWS)
    spaced = [" ".join(row) for row in ROWS]
    return {
        "fences": f"Here is it:\n```text\n{text}\n```\nWhat is wrong?",
        "an open fence": f"```\n{text}",
        "a quote": "\n".join(f"> {row}" for row in ROWS),
        "a quoted fence": "\n".join(f"> {row}" for row in ["```", *ROWS, "```"]),
        "numbers": "\n".join(f"{i}: {row}" for i, row in enumerate(ROWS)),
        "numbers from 1": "\n".join(f"{i}) {row}" for i, row in enumerate(spaced, 1)),
        "padded numbers": "\n".join(f"{i:>3}|{','.join(row)}" for i, row in enumerate(ROWS)),
        "a comment": f"# the mask of step 7\n{text}",
        "a comment of C": f"// rows are queries\n{text}",
        "semicolons": "; ".join(",".join(row) for row in ROWS),
        "matlab": f"[{'; '.join(spaced)}]",
        "drawn": "\n".join(row.replace("1", "#").replace("0", ".") for row in ROWS),
    }


@pytest.mark.parametrize("name", list(_wrapped()))
def test_a_mask_is_read_out_of_what_stands_around_it(name: str) -> None:
    (found,) = read_pasted(_wrapped()[name])
    assert found.kind == "mask" and (normalise(found.mask).mask == RIGHT).all()


def test_two_rows_on_one_line_are_no_positions() -> None:
    (found,) = read_pasted("1,0;1,1")
    assert found.kind == "mask" and np.asarray(found.mask).tolist() == [[1, 0], [1, 1]]
    with pytest.raises(UnreadableMask) as refused:
        read_pasted("0 5 -2")
    assert "+-" not in str(refused.value)


def test_source_code_is_called_source_code() -> None:
    source = export_mask(LAYOUT, "mask_mod").text or ""
    for text in (source, f"```python\n{source}\n```"):
        with pytest.raises(UnreadableMask, match="source code.*export or print the dense mask"):
            read_pasted(text)
    with pytest.raises(UnreadableMask, match="source code"):
        read_upload(source.encode(), "mask.txt")


def test_other_tensors_are_named_in_words() -> None:
    for tensor, words in (
        (torch.eye(3).to_sparse(), "sparse tensor .*to_dense"),
        (torch.eye(3, device="meta"), "meta device"),
    ):
        with pytest.raises(UnreadableMask, match=words) as refused:
            read_upload(pt(tensor), "mask.pt")
        assert "_rebuild" not in str(refused.value)


def test_names_of_settings_and_layouts_are_not_capitalised() -> None:
    with pytest.raises(ValueError, match="a pass of LADE, warm-up with W=1"):
        packed("lade-warmup", 1, 200, 0, step=99)


# --- position ids on the command line


def test_positions_on_the_command_line(tmp_path: Path, capsys: Any) -> None:
    mask = tmp_path / "mask.npy"
    np.save(mask, RIGHT)
    low = ",".join(str(place - 2) for place in PLACES)
    assert low.startswith("-2,-1")
    assert main(["check-mask", str(mask), "--positions", low]) == 0
    assert main(["check-mask", str(mask), f"--positions={low}"]) == 0
    listed = tmp_path / "positions.txt"
    listed.write_text(low)
    assert main(["check-mask", str(mask), "--positions", str(listed)]) == 0
    large = packed("lade", 25, 5, 5)
    np.save(mask, large.mask)
    many = ",".join(str(place + 4000) for place in large.positions)
    assert len(many) > 500
    sizes = ["-W", "25", "-N", "5", "-G", "5"]
    assert main(["check-mask", str(mask), *sizes, "--positions", many]) == 0
    capsys.readouterr()
    assert main(["check-mask", str(mask), "--positions", "1,x" * 2000]) == 2
    said = capsys.readouterr().err
    assert "--positions must be whole numbers" in said and len(said) < 300


def test_positions_from_standard_input_masks_stay(monkeypatch: Any) -> None:
    text = "```\n" + "\n".join(ROWS) + "\n```"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main(["check-mask", "-"]) == 0
