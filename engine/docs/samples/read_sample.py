#!/usr/bin/env python3
"""A reader of Trommel files that follows FORMAT.md: comments name its sections.

    read_sample.py FILE [KIND NAME]...   describes a file, and says how often keys are in at most;
                                         KIND is text, bytes, u64, i32, digest (hex) or tuple (0=a,2=b)
    read_sample.py --check [FOLDER]      checks a folder of samples against answers.txt in it, and the
                                         hex dumps of FORMAT.md above it

The key of a file with secret digests is read from the file of its name that ends in .key.
Python's standard library is all it needs. Exit status: 0 good, 1 refused or wrong.
"""

import pathlib
import re
import sys

sys.dont_write_bytecode = True  # the folder of samples stays as it is

from container import Refused, Unknown  # noqa: E402
from filters import digest_of, read  # noqa: E402


def require(holds, what):
    if not holds:
        raise Refused(what)


def read_file(path):
    path = pathlib.Path(path)
    key_path = path.with_suffix(".key")
    secret = key_path.read_bytes() if key_path.exists() else None
    return *read(path.read_bytes(), secret), secret


def count_of(found, file, secret, kind, name):
    if kind == "tuple":
        values = (field.split("=", 1) for field in name.split(","))
        return found.count_tuple({int(a): digest_of(file.policy, value.encode(), secret) for a, value in values})
    if kind == "digest":
        return found.count(int(name, 16))
    if kind in ("u64", "i32"):
        key = int(name).to_bytes(8 if kind == "u64" else 4, "little")
    else:
        key = bytes(i % 251 for i in range(int(name))) if kind == "bytes" else name.encode()
    return found.count(digest_of(file.policy, key, secret))


def check_answers(folder):
    """Every sample is read, and answers as the library does. Returns the number of answers."""
    asked = {str(path.relative_to(folder)): [] for path in folder.rglob("*.trommel")}
    for line in (folder / "answers.txt").read_text().splitlines():
        sample, kind, name, count = line.split(" ")
        asked[sample + ".trommel"].append((kind, name, int(count)))
    for sample, answers in asked.items():
        opened = read_file(folder / sample)
        for kind, name, count in answers:
            answer = count_of(*opened, kind, name)
            require(answer == count, f"{sample}: {kind} {name}: {answer}, not {count}")
    return sum(map(len, asked.values()))


def check_damage(folder, num_places=16):
    """A file with a bit changed, cut, or a byte longer is refused. Returns how many were."""
    num_refused = 0
    for path in sorted(folder.rglob("*.trommel")):
        good = path.read_bytes()
        for i in range(num_places):
            at = i * (len(good) - 1) // (num_places - 1)
            damaged = bytearray(good)
            damaged[at] ^= 1 << i % 8
            for data in (bytes(damaged), good[:at], good + bytes([i])):
                try:
                    read(data)
                except (Refused, Unknown):
                    num_refused += 1
                else:
                    raise Refused(f"{path.name}: damage at byte {at} is not noticed")
    return num_refused


def check_dumps(folder):
    """The hex dumps in FORMAT.md are bytes of the samples. Returns the number of lines."""
    data, num_lines = None, 0
    for line in (folder.parent / "FORMAT.md").read_text().splitlines():
        if title := re.fullmatch(r" {4}([a-z0-9/-]+\.trommel)", line):
            data = (folder / title[1]).read_bytes()
        elif dump := re.match(r" {4}([0-9a-f]{8})  ((?:[0-9a-f]{2} ?)+)(  |$)", line):
            at, shown = int(dump[1], 16), bytes.fromhex(dump[2])
            require(data[at:at + len(shown)] == shown, f"FORMAT.md, dump: {line.strip()}")
            num_lines += 1
    return num_lines


def main(arguments):
    try:
        if arguments[:1] == ["--check"]:
            folder = pathlib.Path(arguments[1] if arguments[1:] else __file__)
            folder = (folder if folder.is_dir() else folder.parent).resolve()
            print(f"{check_answers(folder)} answers are the library's, {check_damage(folder)} damaged "
                  f"files are refused, {check_dumps(folder)} lines of dumps are the samples'")
        elif arguments and len(arguments) % 2 == 1:
            opened = read_file(arguments[0])
            print(opened[0].describe())
            for kind, name in zip(arguments[1::2], arguments[2::2]):
                print(f"{kind} {name}: {count_of(*opened, kind, name)}")
        else:
            print(__doc__)
            return 1
    except (Refused, Unknown) as error:
        print(f"{'unknown' if isinstance(error, Unknown) else 'refused'}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
