"""nanobind and pybind11, on one class: what a module takes to compile and to call.

    build/python/venv-*/bin/pip install nanobind pybind11
    build/python/venv-*/bin/python bench/python/bindings/compare.py

Times are CPU seconds, medians; calls take turns. nanobind has a part that is compiled once for any
number of sources, and is in the size of the module.
"""

import importlib
import pathlib
import resource
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time

import nanobind
import numpy as np
import pybind11

HERE = pathlib.Path(__file__).parent
FLAGS = ["-std=c++20", "-O3", "-DNDEBUG", "-fPIC", "-fvisibility=hidden", f"-I{HERE.parents[2]}"]
NANOBIND = pathlib.Path(nanobind.__file__).parent


def compile_seconds(arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["c++", *arguments], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def build(folder):
    python = f"-I{sysconfig.get_paths()['include']}"
    includes = {
        "nanobind_side": [python, f"-I{nanobind.include_dir()}"],
        "pybind11_side": [python, f"-I{pybind11.get_include()}"],
    }
    shared = folder / "nb_combined.o"
    once = compile_seconds(
        [*FLAGS, python, f"-I{nanobind.include_dir()}", f"-I{NANOBIND / 'ext/robin_map/include'}",
         "-c", str(NANOBIND / "src/nb_combined.cpp"), "-o", str(shared)]
    )
    for name, paths in includes.items():
        compiled = folder / f"{name}.o"
        seconds = compile_seconds([*FLAGS, *paths, "-c", str(HERE / f"{name}.cc"), "-o", str(compiled)])
        module = folder / f"{name}{sysconfig.get_config_var('EXT_SUFFIX')}"
        objects = [str(compiled)] + ([str(shared)] if name == "nanobind_side" else [])
        compile_seconds(["-shared", "-s", *objects, "-o", str(module)])
        note = f" (and {once:.1f} s once)" if name == "nanobind_side" else ""
        print(f"{name:14} compiles in {seconds:.1f} s{note}, {module.stat().st_size / 1024:.0f} KiB")


def nanoseconds(call, argument, repeats):
    start = time.thread_time()
    for _ in range(repeats):
        call(argument)
    return 1e9 * (time.thread_time() - start) / repeats


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        build(folder)
        sys.path.insert(0, name)
        subjects = {
            side: importlib.import_module(side).Subject(7) for side in ("nanobind_side", "pybind11_side")
        }
        small = np.arange(8, dtype=np.uint64)
        calls = {
            "has(int)": ("has", 12345),
            "count(array of 8)": ("count", small),
        }
        times = {}
        for _ in range(15):
            for title, (member, argument) in calls.items():
                for side, subject in subjects.items():
                    figure = nanoseconds(getattr(subject, member), argument, 20_000)
                    times.setdefault((title, side), []).append(figure)
        for (title, side), figures in times.items():
            print(f"{side:14} {title:18} {statistics.median(figures):6.0f} ns")


if __name__ == "__main__":
    main()
