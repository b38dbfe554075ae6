"""The Scale page alone: every part full and empty, every control, a real sweep, rude input."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lookahead_viz.models import registry, smollm2
from lookahead_viz.models.loading import load_model
from lookahead_viz.models.registry import ModelChoice
from lookahead_viz.scale import shipped
from lookahead_viz.scale.latency import Latency
from lookahead_viz.scale.plan import Plan
from lookahead_viz.scale.rows import write_rows
from lookahead_viz.scale.sweep import SweepResult, sweep
from lookahead_viz.ui import scale_data, scale_sweep, scale_time
from lookahead_viz.ui.background import Report
from tests.model_folders import write_folder
from tests.scale_rows import latency, law_rows

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("Scaling law", "Cost", "Time", "Calculator", "Claims", "Sweep")
PICTURES = {"Scaling law": 1, "Cost": 1, "Time": 2, "Calculator": 0, "Claims": 0, "Sweep": 0}


@pytest.fixture(autouse=True)
def toy_assets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A shipped sweep and a measurement, a cache of its own, jobs of its own."""
    folder = tmp_path / "assets"
    folder.mkdir()
    write_rows(law_rows(), folder / "sweep_toy.csv")
    (folder / "latency_cpu.json").write_text(latency().as_json(), encoding="utf-8")
    monkeypatch.setattr(shipped, "FOLDER", folder)
    monkeypatch.setattr(registry, "available", list)
    monkeypatch.setenv(smollm2.CACHE_VARIABLE, str(tmp_path / "cache"))
    jobs = scale_data.Jobs()
    monkeypatch.setattr(scale_data, "jobs", lambda: jobs)
    forget()
    yield folder
    jobs.close()
    forget()


def forget() -> None:
    """What ships is read once; the next test ships something else."""
    scale_data.shipped_sweeps.clear()
    scale_data.shipped_latencies.clear()


def opened(part: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "pages" / "scale.py"), default_timeout=60)
    at.session_state["part"] = part
    return at.run()


def said(at: AppTest) -> str:
    bodies = (element.proto.body for element in at.get("html"))
    return "\n".join(body for body in bodies if "<style>" not in body)


def fine(at: AppTest) -> AppTest:
    assert not at.exception
    assert "lv-trouble" not in said(at)
    return at


def group(at: AppTest, key: str) -> Any:
    """The choice of buttons with this key."""
    return next(one for one in at.main.button_group if one.key == key)


@pytest.mark.parametrize("part", PARTS)
def test_every_part_opens(part: str) -> None:
    at = fine(opened(part))
    assert at.title[0].value == "When does it pay?"
    assert len(at.get("plotly_chart")) == PICTURES[part]
    assert all(element.proto.alt for element in at.get("plotly_chart"))
    assert "21 slots cost 3.0× one slot" in said(at) and "lookahead loses" in said(at)


@pytest.mark.parametrize("part", PARTS)
def test_every_control_of_a_part_can_be_used(part: str) -> None:
    at = opened(part)
    for place in range(1, len(at.main.button_group)):
        choice = at.main.button_group[place]
        several = str(choice.key).startswith("sweep_")
        for option in list(choice.options):
            fine(choice.set_value([option] if several else option).run())
    for box in range(len(at.main.selectbox)):
        options = at.main.selectbox[box].options
        for place in {0, len(options) // 2, len(options) - 1}:
            at.main.selectbox[box].select_index(place).run()
            assert not at.exception
    for slider in range(len(at.main.slider)):
        at.main.slider[slider].set_value(at.main.slider[slider].max).run()
        assert not at.exception
    for number in range(len(at.main.number_input)):
        fine(at.main.number_input[number].increment().run())


@pytest.mark.parametrize("part", PARTS)
def test_without_any_file_a_part_says_what_to_do(part: str, toy_assets: Path) -> None:
    for path in toy_assets.iterdir():
        path.unlink()
    at = fine(opened(part))
    assert "No sweep is here yet" in said(at)


def test_damaged_files_are_as_none(toy_assets: Path) -> None:
    for path in toy_assets.iterdir():
        path.write_text("damaged")
    assert "No sweep is here yet" in said(fine(opened("Scaling law")))


def test_prompts_can_be_chosen() -> None:
    at = opened("Scaling law")
    assert "mean over 2 prompts" in said(at)
    fine(at.multiselect("scale_prompts").set_value(["loop"]).run())
    assert "mean over 1 prompt of" in said(at)


def test_the_sentences_of_the_law_and_of_the_claims() -> None:
    assert "supports “exponentially larger W, linearly fewer passes” for N = 3" in said(
        opened("Scaling law")
    )
    text = said(opened("Claims"))
    assert "several devices" in text and "one device" in text and "The 4× trap" in text
    assert "No GPU figures exist yet" in text and "up to 1.8×" in text


def test_a_gpu_file_is_shown_as_measured(toy_assets: Path) -> None:
    (toy_assets / "latency_gpu.json").write_text(latency("cuda:0").as_json(), encoding="utf-8")
    assert "No GPU figures exist yet" not in said(opened("Claims"))
    assert "the best setting would be" in said(opened("Calculator"))


def test_of_many_measured_curves_three_are_drawn(toy_assets: Path) -> None:
    for number in range(4):
        other = latency("cuda:0" if number == 3 else "cpu", name=f"machine {number}")
        (toy_assets / f"latency_{number}.json").write_text(other.as_json(), encoding="utf-8")
    at = fine(opened("Time"))
    curves = at.multiselect("scale_curves")
    assert curves.value[0] == "toy on machine 3 (float32)" and len(curves.value) == 3
    fine(curves.set_value([]).run())


def test_the_calculator_follows_its_numbers() -> None:
    at = opened("Calculator")
    for key, value in (("calc_w", 7), ("calc_n", 7), ("calc_g", 7)):
        at.number_input(key).set_value(value)
    assert "<td>83</td>" in said(fine(at.run()))


def test_rates_are_edited_and_marked() -> None:
    at = opened("Time")
    fine(at.number_input("scale_bandwidth_A100 80 GB").set_value(1000.0).run())
    assert "A100 80 GB, edited with 1000 GB/s" in said(at) and "your own numbers" in said(at)
    at.selectbox("scale_device").set_value("RTX 4090").run()
    fine(at.select_slider("scale_shape").set_value("Llama 2 70B").run())
    assert "do not fit into 24 GB" in said(at)
    fine(at.selectbox("scale_device").set_value("Your own numbers").run())
    assert "do not fit into 80 GB" in said(at)
    fine(at.number_input("scale_memory_A100 80 GB").set_value(400.0).run())
    assert "and 400 GB (your own numbers)" in said(at) and "do not fit" not in said(at)


def test_no_comparison_is_offered_where_none_is_drawn() -> None:
    assert not [one for one in opened("Time").selectbox if one.label == "Comparison"]


def test_the_claims_say_that_race_is_one_prompt() -> None:
    assert "Race shows one prompt at a time" in said(opened("Claims"))


# --- a sweep and a measurement


@pytest.fixture
def small_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = str(write_folder(tmp_path / "small"))
    choice = ModelChoice(folder, "Small", "", installed=True, needs_fetch=False)
    monkeypatch.setattr(registry, "available", lambda: [choice])
    return folder


def wait(at: AppTest, job: Any) -> AppTest:
    job.join(120)
    assert not job.running
    return at.run()


def test_a_sweep_runs_on_the_page_and_is_looked_at(
    small_model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process: worker processes are tested with the sweep itself."""
    loaded = load_model(small_model, device="cpu")

    def here(plan: Plan, *, workers: int, **settings: Any) -> SweepResult:
        assert (plan.model, workers) == (small_model, 1)
        return sweep(plan, model=loaded, **settings)

    monkeypatch.setattr(scale_sweep, "sweep", here)
    at = fine(opened("Sweep"))
    at.multiselect("sweep_prompts").set_value(["stack"])
    group(at, "sweep_w").set_value([1, 2])
    group(at, "sweep_n").set_value([3])
    at.slider("sweep_tokens").set_value(8).run()
    assert "3 decodings in all" in said(at)
    at.button("sweep_run").click().run()
    job = scale_data.jobs().sweep
    assert job is not None
    fine(wait(at, job))
    assert "3 decodings by small; 2 of 2 lookahead texts are greedy's" in html_free(said(at))
    assert [element.proto.label for element in at.get("download_button")] == [
        "Save as CSV",
        "Save as Parquet",
    ]
    fine(at.main.button_group[0].set_value("Cost").run())
    assert at.selectbox("scale_sweep").value == "Your sweep (small)"


def html_free(text: str) -> str:
    return re.sub(r"&#x27;", "'", text)


def test_what_cannot_be_swept_is_said_before_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    at = opened("Sweep")
    assert "Name a model folder" in said(at) and at.button("sweep_run").disabled
    at.text_input("sweep_other").set_value("no/such <b>model</b>").run()
    assert not at.button("sweep_run").disabled
    group(at, "sweep_w").set_value([]).run()
    assert "The sweep has no (W, N, G)" in said(at)


def sweeping(work: Callable[[Report], Any], monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The page after Run was pressed, where the sweep is ``work``."""
    monkeypatch.setattr(scale_sweep, "_work", lambda plan, workers, report: work(report))
    at = opened("Sweep")
    at.text_input("sweep_other").set_value("some/model").run()
    return at.button("sweep_run").click().run()


def test_a_failing_sweep_is_one_sentence_while_the_same_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(report: Report) -> Any:
        raise ValueError("there is no model <script>.")

    at = sweeping(broken, monkeypatch)
    job = scale_data.jobs().sweep
    assert job is not None
    at = wait(at, job)
    assert not at.exception and "There is no model &lt;script&gt;." in said(at)
    fine(group(at, "sweep_n").set_value([5]).run())
    fine(at.text_input("sweep_other").set_value("another/model").run())
    group(at, "sweep_w").set_value([]).run()  # no plan at all
    assert "There is no model" not in said(at)
    group(at, "sweep_w").set_value([1, 2, 4, 8])
    group(at, "sweep_n").set_value([3, 4])
    at.text_input("sweep_other").set_value("some/model").run()
    assert "There is no model" in said(at)  # the same again: the same would happen


def test_a_stopped_sweep_says_that_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(report: Report) -> Any:
        while report(0.5, "5 of 10 decodings"):
            pass

    at = sweeping(endless, monkeypatch)
    assert at.get("progress")[0].proto.text == "5 of 10 decodings"
    at.button("stop_sweep").click().run()
    job = scale_data.jobs().sweep
    assert job is not None
    assert "Run goes on where it was" in said(fine(wait(at, job)))
    fine(at.slider("sweep_tokens").set_value(8).run())
    assert "Run goes on where it was" not in said(at)


def test_a_failed_measurement_is_said_of_its_model_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    choices = [ModelChoice(name, name.title(), "", True, False) for name in ("toy", "other")]
    monkeypatch.setattr(registry, "available", lambda: choices)

    def broken(name: str, report: Report) -> Latency:
        raise RuntimeError(f"out of memory with {name}.")

    monkeypatch.setattr(scale_time, "_measure", broken)
    at = fine(opened("Time"))
    at.button("latency_run").click().run()
    job = scale_data.jobs().latency
    assert job is not None
    assert "Out of memory with toy." in said(wait(at, job))
    fine(at.selectbox("latency_model").set_value("other").run())


def test_a_measurement_here_is_shown_first(monkeypatch: pytest.MonkeyPatch) -> None:
    choice = ModelChoice("toy", "Toy", "", installed=True, needs_fetch=False)
    monkeypatch.setattr(registry, "available", lambda: [choice])

    def measured(name: str, report: Report) -> Latency:
        assert name == "toy" and report(0.5, "half")
        return Latency({"name": "here", "device": "cpu"}, "2026-02-01", latency().points)

    monkeypatch.setattr(scale_time, "_measure", measured)
    at = fine(opened("Time"))
    at.button("latency_run").click().run()
    job = scale_data.jobs().latency
    assert job is not None
    fine(wait(at, job))
    assert "toy on here (float32), just now: 21 slots cost 3.0×" in said(at)
    assert "Save the measurement" in [e.proto.label for e in at.get("download_button")]
