"""The test vectors that every binding must pass."""

import pathlib

import pytest
from vector_program import Counts, Program, keys_of

TESTS = pathlib.Path(__file__).parents[1]
FILES = sorted(
    path for path in (TESTS / "vectors").glob("*.txt") if path.name != "CMakeLists.txt"
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_vectors_hold(path):
    program = Program(TESTS.parent / "engine/docs/samples")
    num_compared = 0
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        call, arrow, expected = line.partition(" ->")
        words = call.split(" ")
        if words[0] == "keys":
            program.keys[words[1]] = keys_of(words[2], words[3:])
            continue
        result = program.run(call)
        where = f"{path.name}:{number}: {call}"
        if isinstance(result, Counts):
            expected = expected.partition(" bits=")[0]
        if arrow:
            assert result == expected.strip(), where
            num_compared += 1
        else:
            assert not str(result).startswith("error"), where
    assert num_compared > 10


def test_there_are_vectors():
    assert len(FILES) >= 4
