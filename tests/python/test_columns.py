"""Keys of several columns: tables and lists of arrays, and the command's keys of the same columns."""

import os
import pathlib
import subprocess
import sysconfig

import numpy as np
import pytest
import trommel_filters as trommel

HOSTS = ["ann", "bob", "ann", "", "a\0b"]
URLS = ["/a", "/a", "/b\u00e4", "/", "c\0"]
PORTS = [80, 443, -1, 0, 2**40]


def _tuple_key(values):
    """The definition in trommel/tuples.h."""
    values = [value if isinstance(value, bytes) else str(value).encode() for value in values]
    return b"".join(
        [v.replace(b"\0", b"\0\xff") + b"\0\x01" for v in values[:-1]] + [values[-1]]
    )


def _same(columns, rows, **options):
    """Whether a batch of these columns is the batch of these rows' keys."""
    one, other = (trommel.CountingFilter(1_000, 0.0001) for _ in range(2))
    one.update(columns)
    other.update([_tuple_key(row) for row in rows])
    return one.to_bytes() == other.to_bytes() and one.query(columns).all()


TABLES = {
    "pyarrow table": lambda: pytest.importorskip("pyarrow").table({"host": HOSTS, "url": URLS}),
    "pyarrow record batch": lambda: pytest.importorskip("pyarrow").record_batch(
        {"host": HOSTS, "url": URLS}
    ),
    "pandas": lambda: pytest.importorskip("pandas").DataFrame({"host": HOSTS, "url": URLS}),
    "polars": lambda: pytest.importorskip("polars").DataFrame({"host": HOSTS, "url": URLS}),
    "list of arrays": lambda: [np.array(HOSTS, dtype=object), np.array(URLS, dtype=object)],
    "tuple of arrays": lambda: (
        pytest.importorskip("pyarrow").array(HOSTS),
        np.array(URLS, dtype=object),
    ),
}


@pytest.mark.parametrize("form", TABLES)
def test_a_table_is_a_batch_of_a_key_per_row(form):
    assert _same(TABLES[form](), zip(HOSTS, URLS))
    keys = trommel.CountingFilter(1_000, 0.0001)
    keys.update(TABLES[form]())
    assert not keys.query([np.array(URLS, dtype=object), np.array(HOSTS, dtype=object)]).any()


def test_integers_in_columns_are_their_decimal_digits():
    hosts = np.array(HOSTS, dtype=object)
    assert _same([hosts, np.array(PORTS)], zip(HOSTS, PORTS))
    large = [2**64 - 1] * len(HOSTS)
    assert _same([np.array(large, dtype=np.uint64), hosts], zip(large, HOSTS))
    small = [-128, 0, 1, 2, 127]
    assert _same([np.array(small, dtype=np.int8)], ([value] for value in small))
    pandas = pytest.importorskip("pandas")
    assert _same(pandas.DataFrame({"port": PORTS, "host": HOSTS}), zip(PORTS, HOSTS))
    polars = pytest.importorskip("polars")
    assert _same(polars.DataFrame({"port": PORTS, "host": HOSTS}), zip(PORTS, HOSTS))


def test_the_order_of_columns_is_that_of_the_key():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"time": PORTS, "host": HOSTS, "url": URLS})
    assert _same(frame[["url", "host"]], zip(URLS, HOSTS))
    assert not _same(frame[["host", "url"]], zip(URLS, HOSTS))


def test_tables_that_are_no_batch_are_refused_with_the_column():
    keys = trommel.CountingFilter(100)
    hosts = np.array(HOSTS)
    for columns, error, message in (
        ([hosts, hosts[:2]], ValueError, r"one length; column 0 has 5, column 1 has 2"),
        ([hosts, HOSTS], TypeError, r"must be arrays; column 1 is list"),
        ([hosts, np.array([1.5] * 5)], TypeError, "float64"),
        ([hosts, np.array(PORTS, dtype=object)], TypeError, "column 1 is an array of objects"),
        (trommel.Digests([hosts, hosts]), TypeError, "of one array; got a table"),
    ):
        with pytest.raises(error, match=message):
            keys.update(columns)
    pyarrow = pytest.importorskip("pyarrow")
    with pytest.raises(ValueError, match="must have a column"):
        keys.update(pyarrow.table({}))
    with pytest.raises(ValueError, match="nulls"):
        keys.update(pyarrow.table({"host": ["a", None], "url": ["b", "c"]}))
    assert len(keys) == 0
    keys.update(pyarrow.table({"host": pyarrow.array([], "string"), "url": pyarrow.array([], "string")}))
    assert len(keys) == 0


def test_columns_of_one_name_are_refused():
    pandas = pytest.importorskip("pandas")
    keys = trommel.CountingFilter(100)
    with pytest.raises(TypeError, match="different names; column 0 is several"):
        keys.update(pandas.DataFrame(list(zip(HOSTS, URLS)), columns=["a", "a"]))
    assert len(keys) == 0


def test_what_pandas_has_as_attributes_makes_no_table():
    pandas = pytest.importorskip("pandas")
    assert _same(pandas.DataFrame({"column_names": HOSTS, "url": URLS}), zip(HOSTS, URLS))
    keys = trommel.CountingFilter(100)
    keys.update(pandas.Series([1, 2], index=["columns", "rows"]))
    assert keys.query([1, 2]).all()


def _command():
    built = pathlib.Path(__file__).parents[2] / "build/release/bin/trommel"
    installed = pathlib.Path(sysconfig.get_path("scripts")) / "trommel"  # wheels carry it
    for command in (installed, built):
        if os.access(command, os.X_OK):
            return str(command)
    pytest.skip("the command is not built")


def _run(*arguments):
    subprocess.run([_command(), *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.tsv"
    rows = [f"{port}\t{host}\t{url}\n" for port, host, url in zip(PORTS, HOSTS, URLS)]
    path.write_text("port\thost\turl\n" + "".join(rows))
    return path


def test_what_the_command_builds_is_queried_here(log, tmp_path):
    path = tmp_path / "keys.trommel"
    _run("build", "-n", 1_000, "-p", 1e-4, "-o", path, "--header", "--column", "host,port", log)
    keys = trommel.CountingFilter.load(path)
    columns = [np.array(HOSTS, dtype=object), np.array(PORTS)]
    assert keys.query(columns).all()
    assert not keys.query(columns[::-1]).any()
    here = trommel.CountingFilter(1_000, 1e-4)
    here.update(columns)
    assert here.to_bytes() == path.read_bytes()


def test_what_is_built_here_the_command_queries(log, tmp_path):
    path = tmp_path / "keys.trommel"
    keys = trommel.ScalableFilter(1_000)
    keys.update([np.array(URLS, dtype=object), np.array(HOSTS, dtype=object)])
    keys.save(path)
    _run("verify", "--header", "--column", "url,host", path, log)
    query = [_command(), "query", "-c", "--header", "--column", "host,url", str(path), str(log)]
    assert subprocess.run(query, stdout=subprocess.PIPE).stdout == b"0\n"
