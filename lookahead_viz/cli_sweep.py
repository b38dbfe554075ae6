"""``sweep``: many (W, N, G) over several prompts, and what each took as a table."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from lookahead_viz.classroom import PROMPTS, by_name
from lookahead_viz.cli_inputs import checked_out, prompt_text, with_names
from lookahead_viz.cli_text import INTERRUPTED, fail, on_terminal, printable
from lookahead_viz.models import registry
from lookahead_viz.scale.plan import AS_WINDOW, Plan, grid
from lookahead_viz.scale.rows import write_rows
from lookahead_viz.scale.store import Store
from lookahead_viz.scale.sweep import (
    SweepProgress,
    SweepResult,
    identical_to_greedy,
    sweep,
)

ALL = "all"


def sweep_command(arguments: Namespace) -> int:
    """Everything that can be refused is refused before the first decoding."""
    out = checked_out(arguments.out)
    if out.suffix not in (".csv", ".parquet"):
        raise ValueError(f"--out {arguments.out} must end in .csv or .parquet.")
    if arguments.workers is not None and arguments.workers < 1:
        raise ValueError(f"--workers is {arguments.workers}; it must be at least 1.")
    reason = registry.refusal(arguments.model)
    if reason is not None:
        raise ValueError(reason)
    plan = plan_from(arguments)
    store = None if arguments.no_cache else Store()
    try:
        result = _with_bar(plan, arguments.workers, store)
    except ValueError as error:
        raise ValueError(with_names(arguments.model, error)) from error
    return _save(result, out)


def plan_from(arguments: Namespace) -> Plan:
    """The plan that the options describe; ValueError in one sentence."""
    return Plan(
        model=arguments.model,
        prompts=tuple(_prompts(arguments)),
        sizes=grid(
            _numbers("-W", arguments.W), _numbers("-N", arguments.N), _candidates(arguments.G)
        ),
        max_new_tokens=arguments.max_new_tokens,
        seed=arguments.seed,
        device=arguments.device,
        dtype=arguments.dtype,
        attention=arguments.attention,
    )


def _prompts(arguments: Namespace) -> list[tuple[str, str]]:
    names = arguments.prompts or ("" if arguments.prompt_file else ALL)
    chosen = [prompt.name for prompt in PROMPTS] if names == ALL else _pieces(names)
    found = []
    for name in chosen:
        prompt = by_name(name)
        if prompt is None:
            raise ValueError(
                f"there is no classroom prompt {name!r}; --prompts takes {ALL} or some of "
                f"{', '.join(one.name for one in PROMPTS)}."
            )
        found.append((prompt.name, prompt.text))
    for file in arguments.prompt_file:
        text = prompt_text(Namespace(prompt_file=file))
        found.append((Path(file).stem if file != "-" else "input", text))
    return found


def _pieces(text: str) -> list[str]:
    return [piece.strip() for piece in text.split(",") if piece.strip()]


def _numbers(flag: str, text: str) -> list[int]:
    try:
        return [int(piece) for piece in _pieces(text)]
    except ValueError:
        raise ValueError(
            f"{flag} is {text!r}; it must be whole numbers separated by commas."
        ) from None


def _candidates(text: str) -> list[int | str]:
    pieces = _pieces(text)
    others = ",".join(piece for piece in pieces if piece != AS_WINDOW)
    found: list[int | str] = list(_numbers("-G", others))
    return found + [AS_WINDOW] * (AS_WINDOW in pieces)


def _with_bar(plan: Plan, workers: int | None, store: Store | None) -> SweepResult:
    """A bar at once on a terminal, a line now and then in a log; Ctrl-C keeps what is done."""
    from tqdm import tqdm

    pause = 0.3 if on_terminal() else 30.0
    with tqdm(total=len(plan.cells), unit=" runs", delay=pause, mininterval=pause) as bar:

        def show(progress: SweepProgress) -> None:
            if progress.loading:
                bar.set_postfix_str(printable(progress.sentence), refresh=False)
            else:
                bar.set_postfix(cached=progress.cached, failed=progress.failed, refresh=False)
            bar.update(progress.done - bar.n)

        try:
            return sweep(plan, workers=workers, store=store, on_progress=show)
        except KeyboardInterrupt:
            return SweepResult((), cancelled=True)


def _save(result: SweepResult, out: Path) -> int:
    if result.cancelled:
        return fail("stopped by user; the same command goes on where it was", INTERRUPTED)
    write_rows(result.rows, out)
    failed = [row for row in result.rows if row.error]
    same, compared = identical_to_greedy(result.rows)
    print(
        f"{printable(str(out))}: {len(result.rows)} rows, {same} of {compared} with greedy's text"
    )
    if failed:
        return fail(f"{len(failed)} decodings failed, the first: {failed[0].error}")
    return 0
