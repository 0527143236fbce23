"""The package as it is installed: what it carries, says of itself, and promises to type checkers."""

import ast
import doctest
import inspect
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
import trommel

PACKAGE = pathlib.Path(trommel.__file__).parent
ROOT = pathlib.Path(__file__).parents[2]
CLASSES = [
    trommel.AttributeFilter,
    trommel.ColumnMap,
    trommel.ConcurrentFilter,
    trommel.CountingFilter,
    trommel.ScalableFilter,
    trommel.WindowFilter,
]


def test_the_version_is_that_of_the_library():
    header = (ROOT / "engine/include/trommel/version.h").read_text()
    assert trommel.__version__ == re.search(r'VERSION_STRING "([^"]+)"', header).group(1)


def test_the_module_brings_its_libraries_along():
    """Every library that is not the system's is loaded from the package."""
    code = "import trommel, re; print(open('/proc/self/maps').read())"
    maps = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for library in ("libtbb", "libhwy"):
        for path in set(re.findall(rf"/\S*{library}\.so\S*", maps.stdout)):
            assert pathlib.Path(path).parent == PACKAGE


def test_the_stub_describes_the_module():
    assert (PACKAGE / "py.typed").exists()
    tree = ast.parse((PACKAGE / "_core.pyi").read_text())
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    for name in trommel.__all__:
        value = getattr(trommel, name)
        if getattr(value, "__module__", "") == "trommel._core":
            assert name in classes or name in functions, name
    for cls in CLASSES:
        members = {
            node.name for node in classes[cls.__name__].body if isinstance(node, ast.FunctionDef)
        }
        missing = {name for name in vars(cls) if not name.startswith("_")} - members
        assert not missing, (cls, missing)


TYPED = """
import numpy as np
import trommel
keys = trommel.CountingFilter(1000, encoding="runs")
reveal_type(keys.insert("a"))
reveal_type(keys.insert(["a", b"b"]))
reveal_type(keys.insert(np.arange(3)))
reveal_type(keys.query(trommel.Digests(np.arange(3, dtype=np.uint64))))
reveal_type(keys.count_estimates(1))
reveal_type(trommel.WindowFilter.load("file"))
reveal_type(trommel.__version__)
keys.insert(1.5)
trommel.CountingFilter(1000, encoding="bits")
"""
REVEALED = [
    "bool",
    "trommel._core.InsertOutcome",
    "trommel._core.InsertOutcome",
    "numpy.ndarray",
    "int",
    "trommel._core.WindowFilter",
    "str",
]


def test_a_type_checker_understands_the_package(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(TYPED)
    command = [sys.executable, "-m", "mypy", "--no-incremental", str(program)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    revealed = re.findall(r'Revealed type is "([^"\[]+)', checked.stdout)
    assert revealed == REVEALED, checked.stdout
    errors = re.findall(r"program\.py:(\d+): error", checked.stdout)
    assert errors == ["12", "13"], checked.stdout
    assert "Found 2 errors" in checked.stdout, checked.stdout


def test_everything_public_has_a_docstring():
    for name in trommel.__all__:
        value = getattr(trommel, name)
        if inspect.isclass(value) or callable(value):
            assert value.__doc__, name
    for cls in CLASSES:
        assert cls.__init__.__doc__
        for name, member in vars(cls).items():
            if not name.startswith("_"):
                assert member.__doc__, (cls, name)


def test_the_examples_of_the_docstring_hold():
    assert doctest.testmod(trommel).failed == 0


def test_a_filter_describes_itself(make):
    keys = make()
    keys.insert(np.arange(1_234))
    assert "1,234" in repr(keys) and type(keys).__name__ in repr(keys)
    assert "<table>" in keys._repr_html_() and "1,234" in keys._repr_html_()


def test_names_are_escaped_in_a_notebook():
    index = trommel.AttributeFilter(["<b>"], 10)
    assert "<b>" not in index._repr_html_()
    assert "<b>" in repr(index)


def test_records_are_read_only_and_print_their_fields():
    stats = trommel.CountingFilter(100).stats()
    assert stats.as_dict()["num_keys"] == 0
    assert repr(stats).startswith("Stats(num_keys=0, ")
    assert stats == trommel.CountingFilter(100).stats()
    with pytest.raises(AttributeError):
        stats.num_keys = 1
    with pytest.raises(TypeError):
        hash(stats)


def test_the_instruction_set_is_known():
    assert trommel.active_target() in trommel.runnable_targets()


def test_a_subclass_is_a_filter():
    class Named(trommel.CountingFilter):
        def __init__(self, name):
            super().__init__(1_000)
            self.name = name

    named = Named("mine")
    named.insert("a")
    assert "a" in named and named.name == "mine"
