"""The import directions of the package, and what may load torch."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import networkx as nx
import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "lookahead_viz"
HEAVY = {"torch", "transformers", "streamlit", "plotly", "networkx", "pandas"}

ALLOWED: dict[str, tuple[set[str], set[str]]] = {
    # part: (other parts of the package it may import, heavy libraries it may import)
    "core": (set(), set()),
    "engine": ({"core"}, {"torch", "transformers"}),
    "models": ({"core", "engine"}, {"torch", "transformers"}),
    # masklab loads the engine only when a model is to run: see the statements below
    "masklab": ({"core", "engine"}, {"torch", "transformers"}),
    # scale too: for its sweeps and measurements
    "scale": ({"core", "engine", "models"}, {"torch", "transformers", "pandas"}),
    "lessons": ({"core"}, set()),
    "views": ({"core", "masklab", "scale"}, {"networkx", "pandas"}),
    "figures": ({"core", "views", "masklab", "scale"}, {"plotly"}),
    "player": ({"core", "views", "figures"}, set()),
    "lanes": ({"core", "views", "figures", "player"}, set()),
    "labview": ({"core", "views", "player"}, set()),
    "ui": (
        {
            "core",
            "views",
            "figures",
            "models",
            "engine",
            "player",
            "masklab",
            "scale",
            "lanes",
            "labview",
            "lessons",
        },
        {"streamlit", "plotly", "pandas"},
    ),
    "cli": ({"core", "engine", "models", "player", "masklab", "scale"}, set()),
}


def part_of(module: str) -> str:
    """ "lookahead_viz.views.mask" -> "views"; a module directly in the package is core or cli."""
    pieces = module.split(".")
    if len(pieces) > 1 and pieces[1] in ALLOWED:
        return pieces[1]
    return "cli" if len(pieces) > 1 and pieces[1].startswith(("cli", "__main__")) else "core"


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            module = node.module or ""
            found |= {f"{module}.{alias.name}" for alias in node.names}
    return found


def files() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_one_way(path: Path) -> None:
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    part = part_of(module)
    parts, libraries = ALLOWED[part]
    for name in imports(path):
        top = name.split(".")[0]
        if top == "lookahead_viz":
            target = part_of(name)
            assert target in parts | {part}, f"{module} ({part}) imports {name} ({target})"
        elif top in HEAVY:
            assert top in libraries, f"{module} ({part}) imports {top}"


def texts(path: Path) -> set[str]:
    """The strings of a module: some name a module that is imported later, as the commands do."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def import_graph(root: Path, package: str) -> nx.DiGraph[str]:
    """Who imports whom, also inside functions: an edge from a module to one that it names."""
    modules = {}
    for path in (root / package).rglob("*.py"):
        pieces = path.relative_to(root).with_suffix("").parts
        modules[".".join(pieces[:-1] if pieces[-1] == "__init__" else pieces)] = path
    graph: nx.DiGraph[str] = nx.DiGraph()
    for module, path in modules.items():
        named = {name for name in texts(path) if name != package}
        for name in imports(path):
            named.add(name if name in modules else name.rpartition(".")[0])  # "a.b.name": a.b
        graph.add_edges_from((module, name) for name in named & set(modules) - {module})
    return graph


def circles(graph: nx.DiGraph[str]) -> list[list[str]]:
    return [sorted(part) for part in nx.strongly_connected_components(graph) if len(part) > 1]


def test_no_import_leads_back_to_its_module() -> None:
    assert not circles(import_graph(ROOT, PACKAGE.name))


@pytest.mark.parametrize(
    "back",
    [
        "from lookahead_viz.first import x",
        "from lookahead_viz import first",
        "def late():\n    import lookahead_viz.first",
        "COMMAND = ('lookahead_viz.first', 'command')",
    ],
)
def test_a_circle_is_found_however_it_is_written(tmp_path: Path, back: str) -> None:
    package = tmp_path / "lookahead_viz"
    package.mkdir()
    (package / "first.py").write_text("from lookahead_viz.second import y", encoding="utf-8")
    (package / "second.py").write_text(back, encoding="utf-8")
    assert circles(import_graph(tmp_path, "lookahead_viz")) == [
        ["lookahead_viz.first", "lookahead_viz.second"]
    ]


def test_pages_hold_no_algorithm() -> None:
    for path in [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py"))]:
        names = {name.split(".")[0] for name in imports(path)}
        assert not names & {"torch", "transformers", "plotly", "networkx", "numpy"}, path


@pytest.mark.parametrize(
    "statement",
    [
        "import lookahead_viz",
        "import lookahead_viz as lv; lv.load_run; lv.LookaheadConfig; lv.mask_at",
        "import lookahead_viz as lv; lv.figures.window_figure; lv.views",
        "import lookahead_viz.gallery, lookahead_viz.comparison",
        "import lookahead_viz as lv; lv.masklab",
        "import lookahead_viz.cli",
        "import lookahead_viz.cli_sweep, lookahead_viz.scale.sweep, lookahead_viz.scale.worker",
        "import lookahead_viz.models.registry",
    ],
)
def test_what_needs_no_torch_loads_none(statement: str) -> None:
    code = f"{statement}\nimport sys; assert 'torch' not in sys.modules, 'torch was loaded'"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
