"""The training text: CPython's own library and documentation, plus short stories; cleaned.

Everything here is a pure function of the files found, so equal sources give an equal corpus; the
hash of the result goes into the model card.  Held-out documents are chosen by the hash of their
name, never by chance, so a file stays held out when others come or go.
"""

from __future__ import annotations

import hashlib
import re
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from training import stories

DOC_FOLDER = Path("/usr/share/doc/python3.11/html/_sources")  # Debian package python3.11-doc
STORY_FILE = Path(__file__).parent / "data" / "stories.jsonl.gz"

# Folders and files that are tests, fixtures, generated tables or a second copy of the docs.
SKIPPED_FOLDERS = {
    "__pycache__", "encodings", "fixtures", "idle_test", "pydoc_data", "site-packages", "test",
    "tests",
}  # fmt: skip
SKIPPED_FILES = {"entities.py", "stringprep.py", "_sysconfigdata", "_compat_pickle.py"}
HELD_OUT_SHARE = 32  # one document in so many is held out
MAX_DOCUMENT = 250_000  # characters; nothing we want is longer
SHINGLE = 5  # lines; a document that shares most of its 5-line windows is a near duplicate
LEGAL = re.compile(r"copyright|licen[sc]e|all rights reserved|warrant(y|ies)", re.IGNORECASE)
TABLE_ROW = re.compile(
    r"""^\s*(?:
      \+[-=+]+\+ | \|.*\| | =+(?:\s+=+)+                          # reStructuredText tables
    | (?:[bru]?['"]|0x|[-\d\[({]) [^()=]*? [,\\'")\]}]            # rows of literals
    )\s*(?:\#.*)?$""",
    re.VERBOSE,
)
LONGEST_TABLE = 4  # rows of a table that are kept
RULE = re.compile(r"([-=#*~_^.+])\1{40,}")  # drawn lines: 40 characters say as much as 79


@dataclass(frozen=True)
class Document:
    """One cleaned file or story; ``kind`` is "code", "docs" or "stories"."""

    name: str
    kind: str
    text: str

    @property
    def held_out(self) -> bool:
        """True for validation documents, by the hash of the name alone."""
        return int(hashlib.sha256(self.name.encode()).hexdigest(), 16) % HELD_OUT_SHARE == 0


@dataclass(frozen=True)
class Corpus:
    """Training and held-out documents, in a fixed order."""

    training: tuple[Document, ...]
    held_out: tuple[Document, ...]

    def sha256(self) -> str:
        """Hash over names and cleaned texts of all documents."""
        digest = hashlib.sha256()
        for document in self.training + self.held_out:
            digest.update(f"{document.name}\0{document.text}\0".encode())
        return digest.hexdigest()

    def sizes(self) -> dict[str, tuple[int, int, int]]:
        """Per kind: training documents, training bytes, held-out bytes."""
        kinds = sorted({document.kind for document in self.training})
        return {kind: _sizes(kind, self.training, self.held_out) for kind in kinds}


def _sizes(
    kind: str, training: tuple[Document, ...], held_out: tuple[Document, ...]
) -> tuple[int, int, int]:
    ours = [len(d.text.encode()) for d in training if d.kind == kind]
    return len(ours), sum(ours), sum(len(d.text.encode()) for d in held_out if d.kind == kind)


def without_legal_notes(text: str) -> str:
    """Drop comment blocks that talk of copyright or licences: they are everywhere the same."""
    blocks = re.split(r"\n\s*\n", text)
    kept = [block for block in blocks if not (_is_comment(block) and LEGAL.search(block))]
    return "\n\n".join(kept)


def _is_comment(block: str) -> bool:
    lines = [line.strip() for line in block.splitlines() if line.strip()]
    return bool(lines) and all(line.startswith(("#", "..", ":copyright")) for line in lines)


def without_long_tables(text: str) -> str:
    """Keep the first rows of every table of literals; a long one teaches only to repeat."""
    lines, run = [], 0
    for line in text.split("\n"):
        run = run + 1 if TABLE_ROW.match(line) else 0
        if run <= LONGEST_TABLE:
            lines.append(line)
    return "\n".join(lines)


def clean(text: str) -> str:
    """Unix line ends, no legal notes, no long tables, no long rules, no runs of blank lines."""
    text = text.replace("\r\n", "\n").replace("\f", "").expandtabs(8)
    text = re.sub(r"^#!.*\n|^# -\*-.*\n", "", text)
    text = without_long_tables(without_legal_notes(text))
    text = RULE.sub(lambda match: match.group(1) * 40, text)
    text = re.sub(r"[ \t]+\n", "\n", text)
    return re.sub(r"\n{4,}", "\n\n\n", text).strip() + "\n"


def code_files(folder: Path) -> Iterator[Document]:
    """Every module of the standard library that a person wrote, tests left out."""
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).as_posix()
        if SKIPPED_FOLDERS.intersection(path.relative_to(folder).parts):
            continue
        if path.name.startswith(tuple(SKIPPED_FILES)):
            continue
        yield Document(f"code/{name}", "code", clean(path.read_text("utf-8", "replace")))


def doc_files(folder: Path) -> Iterator[Document]:
    """The reStructuredText sources of the Python documentation; nothing if not installed."""
    for path in sorted(folder.rglob("*.rst.txt")):
        name = path.relative_to(folder).as_posix()
        if name.startswith(("license", "copyright", "contents", "bugs", "whatsnew/changelog")):
            continue
        yield Document(f"docs/{name}", "docs", clean(path.read_text("utf-8", "replace")))


def story_files(path: Path) -> Iterator[Document]:
    """Stories written by :mod:`training.stories`, each one a document."""
    for number, story in enumerate(stories.load(path) if path.exists() else []):
        if not stories.usable(story):
            continue
        yield Document(f"stories/{number:05d}", "stories", story.strip() + "\n")


def without_duplicates(documents: Iterable[Document]) -> Iterator[Document]:
    """Drop documents most of whose 5-line windows were seen in earlier ones, and empty ones."""
    seen: set[int] = set()
    for document in documents:
        lines = [line.strip() for line in document.text.splitlines() if line.strip()]
        windows = {
            hash_of("\n".join(lines[i : i + SHINGLE]))
            for i in range(max(1, len(lines) - SHINGLE + 1))
        }
        known = len(windows & seen)
        seen |= windows
        if 60 < len(document.text) < MAX_DOCUMENT and known <= 0.5 * len(windows):
            yield document


def hash_of(text: str) -> int:
    """64 bits of SHA-256: like ``hash``, but the same in every process."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def build(code_only: bool = False, limit: int | None = None) -> Corpus:
    """The whole corpus, or its first ``limit`` standard-library files (``--smoke``)."""
    stdlib = Path(sysconfig.get_path("stdlib"))
    documents = list(without_duplicates(code_files(stdlib)))[:limit]
    if not code_only:
        documents += without_duplicates(doc_files(DOC_FOLDER))
        documents += without_duplicates(story_files(STORY_FILE))
    return Corpus(
        training=tuple(d for d in documents if not d.held_out),
        held_out=tuple(d for d in documents if d.held_out),
    )


if __name__ == "__main__":
    corpus = build()
    print("sha256", corpus.sha256())
    for kind, (count, size, held_out) in corpus.sizes().items():
        print(f"{kind}: {count} documents, {size} bytes to train on, {held_out} held out")
