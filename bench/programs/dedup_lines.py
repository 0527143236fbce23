"""First occurrences of lines: `trommel dedup` beside awk and sort -u.

    python3 bench/programs/dedup_lines.py TROMMEL [--lines N] [--rounds N]

TROMMEL is the command, build/release/bin/trommel. Half of the lines differ. The commands take turns; time is
wall time, memory the largest resident set. awk and sort are exact; trommel drops a new line at its filter's
rate of that moment, at most 1 in 10,000 by default: such lines are counted. Whatever it prints must be awk's
output, in order, without those. Exit status: 0 done, 1 an output is wrong or a command fails, 2 wrong usage, 3 a
command is not installed.
"""

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def write_lines(path, num_lines):
    """Writes log lines of some 50 bytes; each number is drawn from a range in which half of them repeat."""
    draw = random.Random(1)
    different = 0.63 * num_lines  # 1 - e^(-1 / 0.63) of them are drawn: half of the lines
    with open(path, "w") as file:
        for _ in range(num_lines):
            number = int(draw.random() * different)
            file.write(f"GET /item/{number:012d} client-{number % 9973:05d} HTTP/1.1 200\n")


def run(command, out_path, environment):
    """Returns the wall seconds, CPU seconds and MB of a command whose output goes to a file."""
    with open(out_path, "wb") as out:
        start = time.perf_counter()
        process = subprocess.Popen(
            command, stdout=out, stderr=subprocess.DEVNULL, env={**os.environ, **environment}
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"dedup_lines.py: exit code {process.returncode}: {' '.join(command)}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def count_lines(path):
    with open(path, "rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))


def is_part_in_order(path, whole_path):
    """Returns whether the lines of a file are lines of the other one, in its order, each used once."""
    with open(path, "rb") as part, open(whole_path, "rb") as whole:
        return all(any(line == other for other in whole) for line in part)


def at_least_1(text):
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("trommel")
    parser.add_argument("--lines", type=at_least_1, default=4_000_000)
    parser.add_argument("--rounds", type=at_least_1, default=3)
    options = parser.parse_args()
    for command in (options.trommel, "awk", "sort"):
        if shutil.which(command) is None:
            print(f"dedup_lines.py: {command} is not here", file=sys.stderr)
            return 3
    figures, num_lines_out = {}, {}
    with tempfile.TemporaryDirectory(prefix="trommel-dedup-") as folder:
        lines, out = f"{folder}/lines", f"{folder}/out"
        exact_out = f"{folder}/awk"
        write_lines(lines, options.lines)
        capacity = str(options.lines // 2 + options.lines // 50)
        sides = [
            ("trommel dedup -n", [options.trommel, "dedup", "-n", capacity, lines], {}),
            ("trommel dedup", [options.trommel, "dedup", lines], {}),
            ("awk '!seen[$0]++'", ["awk", "!seen[$0]++", lines], {}),
            ("sort -u, LC_ALL=C", ["sort", "-u", lines], {"LC_ALL": "C"}),
        ]
        run(["awk", "!seen[$0]++", lines], exact_out, {})
        for _ in range(options.rounds):
            for name, command, environment in sides:
                figures.setdefault(name, []).append(run(command, out, environment))
                num_lines_out[name] = count_lines(out)
                if name.startswith("trommel") and not is_part_in_order(out, exact_out):
                    raise SystemExit(f"dedup_lines.py: {name} prints a repetition, or lines in another order")
    awk = os.path.basename(os.path.realpath(shutil.which("awk")))
    print(f"{options.lines:,} lines, {options.rounds} rounds; awk is {awk}")
    print(f"{'':20} {'wall s':>7} {'[min..max]':>14} {'CPU s':>7} {'MB':>7} {'lines out':>11} {'/ first':>16}")
    first = [seconds for seconds, _, _ in figures[sides[0][0]]]
    for name, rounds in figures.items():
        wall, cpu, megabytes = (list(column) for column in zip(*rounds))
        ratios = [over / under for over, under in zip(wall, first)]
        print(
            f"{name:20} {statistics.median(wall):7.2f} {f'[{min(wall):.2f}..{max(wall):.2f}]':>14} "
            f"{statistics.median(cpu):7.2f} {max(megabytes):7.0f} {num_lines_out[name]:11,} "
            f"{statistics.median(ratios):5.1f} {f'[{min(ratios):.1f}..{max(ratios):.1f}]':>10}"
        )
    exact = num_lines_out["sort -u, LC_ALL=C"]
    if num_lines_out["awk '!seen[$0]++'"] != exact:
        raise SystemExit("dedup_lines.py: awk and sort differ")
    for name in ("trommel dedup -n", "trommel dedup"):
        dropped = exact - num_lines_out[name]
        if not 0 <= dropped <= 2e-4 * exact + 10:
            raise SystemExit(f"dedup_lines.py: {name} dropped {dropped:,} of {exact:,} lines")


if __name__ == "__main__":
    sys.exit(main())
