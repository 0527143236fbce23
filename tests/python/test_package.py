"""The package as it is installed: what it carries, says of itself, and promises to type checkers."""

import ast
import copy
import doctest
import inspect
import os
import pathlib
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest
import trommel_filters as trommel

PACKAGE = pathlib.Path(trommel.__file__).parent
HERE = str(pathlib.Path(__file__).parent)
ROOT = pathlib.Path(__file__).parents[2]
CLASSES = [
    value for value in vars(trommel).values() if inspect.isclass(value) and hasattr(value, "stats")
]
FILTERS = [cls for cls in CLASSES if hasattr(cls, "load")]


def test_the_version_is_that_of_the_library():
    header = (ROOT / "engine/include/trommel/version.h").read_text()
    assert trommel.__version__ == re.search(r'VERSION_STRING "([^"]+)"', header).group(1)


LEAKS = """
import copy, pickle, sys
import ctypes, numpy as np, trommel_filters as trommel
from makers import MAKERS
a, b = trommel.CountingFilter(100), trommel.CountingFilter(100, executor=trommel.Executor(2))
a.update(np.arange(9)); b.update(["a"]); a |= b
for filter in (a, a | b, copy.copy(a), pickle.loads(pickle.dumps(a)), a.to_concurrent(),
               *(make() for make in MAKERS.values())):
    filter.insert_if_absent(trommel.Digests(np.arange(9))) if not filter.closed else None
    repr(filter), filter.closed or (filter.stats(), filter.query([1]), filter == filter)
for wrong in (lambda: b.update([1.5]), lambda: b.fold(), lambda: b | 1, lambda: a.add(1)):
    try:
        wrong()
    except (TypeError, ValueError):
        pass
b.upsert([1, 2], lambda asked: asked)
columns, tuples = trommel.ColumnMap(4, 100), trommel.AttributeFilter(["a"], 10)
columns.open_column(1); columns.update(1, [1]); columns.columns_to_bytes([1])
tuples.update({"a": [1]}); tuples.stats().as_dict()
if sys.argv[1:]:
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(b))
"""


def test_nothing_is_left_when_the_interpreter_ends():
    def run(*arguments, report):
        command = [sys.executable, "-c", LEAKS, *arguments]
        environ = {**os.environ, "PYTHONPATH": HERE, **({"TROMMEL_REPORT_LEAKS": "1"} if report else {})}
        ended = subprocess.run(command, capture_output=True, text=True, check=True, env=environ)
        return ended.stdout + ended.stderr

    assert run(report=True) == ""
    assert "leaked 1 instances" in run("leak", report=True)
    assert run("leak", report=False) == ""


def test_the_stub_describes_the_module():
    assert (PACKAGE / "py.typed").exists()
    assert trommel.ColumnMap in CLASSES and trommel.AttributeFilter in FILTERS
    tree = ast.parse((PACKAGE / "_core.pyi").read_text())
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    for name in trommel.__all__:
        value = getattr(trommel, name)
        if getattr(value, "__module__", "") == "trommel_filters._core":
            assert name in classes or name in functions, name
    for cls in CLASSES:
        members = {
            node.name for node in classes[cls.__name__].body if isinstance(node, ast.FunctionDef)
        }
        missing = {name for name in vars(cls) if not name.startswith("_")} - members
        assert not missing, (cls, missing)


TYPED = """
import numpy as np
import trommel_filters as trommel
keys = trommel.CountingFilter(1000, encoding="runs")
reveal_type(keys.add("a"))
reveal_type(keys.update(["a", b"b"]))
reveal_type(keys | keys)
reveal_type(len(keys))
reveal_type(keys.update(np.arange(3)))
reveal_type(keys.query(trommel.Digests(np.arange(3, dtype=np.uint64))))
reveal_type(keys.count_estimates(1))
reveal_type(trommel.__version__)
keys.update(1.5)
trommel.CountingFilter(1000, encoding="bits")
""" + "".join(f'reveal_type(trommel.{cls.__name__}.load("file"))\n' for cls in FILTERS)
REVEALED = [
    "bool",
    "trommel_filters._core.InsertOutcome",
    "trommel_filters._core.CountingFilter",
    "int",
    "trommel_filters._core.InsertOutcome",
    "numpy.ndarray",
    "int",
    "str",
    *(f"trommel_filters._core.{cls.__name__}" for cls in FILTERS),
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
    assert errors == ["13", "14"], checked.stdout
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
    keys.update(np.arange(1_234))
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


class Named(trommel.CountingFilter):
    def __init__(self, name):
        super().__init__(1_000)
        self.name = name


def test_a_subclass_is_a_filter():
    named = Named("mine")
    named.add("a")
    assert "a" in named and named.name == "mine"
    named.itself, named.notes = [named], ["first"]
    deep = copy.deepcopy(named)
    empty = trommel.CountingFilter(1_000)
    for same in (copy.copy(named), deep, pickle.loads(pickle.dumps(named)), named | empty):
        assert type(same) is Named and same == named and same.name == "mine"
        named.add("b")
        assert same != named
        named.erase("b")
    assert deep.itself[0] is deep and deep.notes is not named.notes
