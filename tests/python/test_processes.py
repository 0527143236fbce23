"""The end of the interpreter and fork, each while a thread is inside a batch."""

import os
import pathlib
import subprocess
import sys
import textwrap

import pytest
from makers import MAKERS

TIMES = 5  # of 5, at least one failed before
NUM_FORKS = 15


def _run(program):
    """Runs it in a process of its own; returns its exit code and what it wrote."""
    run = subprocess.run(
        # Python 3.12 and newer warn of every fork beside threads.
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(pathlib.Path(__file__).parent)},
    )
    return run.returncode, run.stdout + run.stderr


BATCHES = {
    "insert": "filter.update(keys)",
    "query": "filter.query(keys)",
    "one key of a batch": "filter.update(keys[:1])",
    "executor": "spread.update(keys)",
    "digests": "trommel.digests(keys)",
    "strings": "filter.update(strings)",
    "to_bytes": "filter.to_bytes()",
    "create": "trommel.CountingFilter(1_000_000)",
    "upsert": "filter.upsert(keys, lambda asked: asked)",
    "upsert, in its function": "filter.upsert(keys, lambda asked: (begun.set(), busy(), asked)[2])",
    "keys of a generator": "filter.update(generated())",
}


@pytest.mark.parametrize("batch", BATCHES)
def test_the_interpreter_ends_while_a_daemon_thread_is_inside_a_batch(batch):
    program = f"""
        import threading, numpy as np, trommel_filters as trommel
        filter = trommel.ConcurrentFilter(100_000)
        spread = trommel.CountingFilter(100_000, executor=trommel.Executor(2))
        keys = np.arange(100_000)
        strings = [str(i) for i in range(10_000)]
        begun = threading.Event()
        filter.update(keys[:10])
        def busy():
            sum(range(100_000_000))
        def generated():
            yield 1
            begun.set()
            busy()
            yield 2
        def work():
            while True:
                {BATCHES[batch]}
                begun.set()
        threading.Thread(target=work, daemon=True).start()
        begun.wait()
    """
    for _ in range(TIMES):
        assert _run(program) == (0, "")


FORKS = """
    import os, signal, sys, threading, time, numpy as np, trommel_filters as trommel
    from makers import MAKERS
    executor = trommel.Executor(4)
    busy = {busy}
    keys = np.arange(50_000)
    ends = threading.Event()
    def work():
        while not ends.is_set():
            {batch}
    thread = threading.Thread(target=work)
    thread.start()
    results = set()
    for _ in range({num_forks}):
        time.sleep(0.01)
        child = os.fork()
        if child == 0:
            signal.alarm(20)  # ends a child that hangs
            try:
                {use}
                os._exit(0)
            except trommel.errors.BusyError as error:
                os._exit(3 if "forked" in str(error) else 4)
            except BaseException as error:
                print(repr(error), flush=True)
                os._exit(5)
        results.add(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    ends.set()
    thread.join()
    print(*sorted(results))
"""

BUSY = {
    **{name: f"MAKERS[{name!r}](50_000)" for name in MAKERS},
    "executor": "trommel.ConcurrentFilter(50_000, executor=executor)",
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("name", BUSY)
def test_a_filter_that_another_thread_uses_raises_in_a_forked_child_or_works(name):
    use = "busy.update(keys); busy.query(keys); busy.add(1); busy.clear()"
    code, output = _run(
        FORKS.format(busy=BUSY[name], batch="busy.update(keys)", use=use, num_forks=NUM_FORKS)
    )
    assert code == 0 and set(output.split()) <= {"0", "3"} and "3" in output, output


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_filter_that_no_other_thread_uses_works_in_a_forked_child():
    # They share an executor, whose threads the child does not have, with one that is at work.
    busy = "[make(50_000, executor=executor) for make in MAKERS.values()]"
    use = (
        "assert all([(f.update(keys), f.query(keys).all(), f.add(5), f.clear())[1] for f in busy[1:]])"
    )
    code, output = _run(
        FORKS.format(busy=busy, batch="busy[0].update(keys)", use=use, num_forks=NUM_FORKS)
    )
    assert (code, output.split()) == (0, ["0"])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_ends_as_any_interpreter_though_its_filters_were_in_use():
    program = f"""
        import os, signal, sys, threading, time, numpy as np, trommel_filters as trommel
        busy = trommel.ScalableFilter(executor=trommel.Executor(4))
        keys = np.arange(50_000)
        ends = threading.Event()
        def work():
            while not ends.is_set():
                busy.update(keys)
                busy.query(keys)
        thread = threading.Thread(target=work)
        thread.start()
        for _ in range({NUM_FORKS}):
            time.sleep(0.01)
            child = os.fork()
            if child == 0:
                signal.alarm(20)
                del thread
                sys.exit(0)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            if status != 0:
                print("child ended with", status, flush=True)
        ends.set()
        thread.join()
    """
    assert _run(program) == (0, "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_the_error_in_a_forked_child_says_what_to_do():
    program = """
        import os, threading, numpy as np, trommel_filters as trommel
        filter = trommel.ConcurrentFilter(1_000)
        filter.add("a")
        # exist is called inside a call of the thread, which waits in it.
        inside, leave = threading.Event(), threading.Event()
        def exist(asked):
            inside.set()
            leave.wait()
            return asked
        thread = threading.Thread(target=lambda: filter.upsert(["a"], exist))
        thread.start()
        inside.wait()
        child = os.fork()
        if child == 0:
            for use in (lambda: "a" in filter, filter.close, filter.to_bytes, lambda: filter.update([1])):
                try:
                    use()
                except trommel.errors.BusyError as error:
                    assert "when this process was forked" in str(error) and "spawn" in str(error)
                else:
                    os._exit(1)
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        leave.set()
        thread.join()
        assert "a" in filter
        print(status)
    """
    assert _run(program) == (0, "0\n")
