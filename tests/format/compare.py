#!/usr/bin/env python3
"""Compares the library with the reader in plain Python on forged files.

    compare.py VERDICTS [FILES [SEED [FOLDER]]]

VERDICTS is the program of verdicts.cc, FOLDER has the sample files. Both sides must accept, or both
refuse; of what is accepted, the library must write the bytes again that the file has without metadata
and sections that a reader leaves out. A file on which they differ is kept as forged-SEED-N.trommel.
Exit status: 0 they agree, 1 they do not.
"""

import collections
import pathlib
import random
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "engine/docs/samples"))

from container import COLUMN, DIRECTORY, Refused, Unknown  # noqa: E402
from digests import u32, xxh3  # noqa: E402
from filters import read  # noqa: E402
from forge import Forger, Forgery  # noqa: E402

MAP = 64, 10, (1, 0)  # blocks, bits and digest of the map of verdicts.cc


def what_is_compared(directory, file):
    """What must be that of the index which loads the file; not the capacity of its columns."""
    columns = [(attribute, shape, regions) for attribute, _, shape, regions in directory.columns]
    return file.policy, directory.rate, directory.num_attributes, directory.servers, columns


def verdict(data, indexes):
    """ok and the checksum of the file's own sections; or corrupt, version, or mismatch: valid, but
    not of the map or of the index that the library has here."""
    try:
        found, file = read(data)
    except Refused as error:
        return "corrupt", str(error)
    except Unknown as error:
        return "version", str(error)
    if file.type == COLUMN and (found.num_blocks, found.bits, file.policy) != MAP:
        return "mismatch", "a column of another map"
    if file.type == DIRECTORY and what_is_compared(found, file) not in indexes:
        return "mismatch", "the directory of another index"
    return "ok", f"{xxh3(Forgery(data).own()):016x}"


def main(program, num_files=300, seed=1, folder=ROOT / "engine/docs/samples"):
    paths = sorted(pathlib.Path(folder).rglob("*.trommel"))
    samples = [path.read_bytes() for path in paths]
    forger = Forger(samples, random.Random(int(seed)))
    indexes = [what_is_compared(*read(data)) for data in samples if u32(data, 16) == DIRECTORY]
    counts, differ = collections.Counter(), 0
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as library:
        for i in range(int(num_files)):
            data, edits = forger.forge() if i >= len(paths) else (samples[i], paths[i].name)
            library.stdin.write(struct.pack("<I", len(data)) + data)
            library.stdin.flush()
            theirs, text = library.stdout.readline().decode("latin1").rstrip("\n").split(" ", 1)
            ours, own_text = verdict(data, indexes)
            counts[u32(data, 16) if len(data) >= 20 else 0, ours, theirs] += 1
            if (ours == "ok") != (theirs == "ok") or ours == "ok" and text != own_text:
                differ += 1
                pathlib.Path(f"forged-{seed}-{i}.trommel").write_bytes(data)
                print(f"{i}: {edits}\n  reader:  {ours} {own_text}\n  library: {theirs} {text}")
    num_accepted = sum(n for (_, ours, _), n in counts.items() if ours == "ok")
    num_others = sum(n for (_, ours, theirs), n in counts.items() if ours != theirs)
    for key, n in sorted(counts.items()):
        print("type {}: reader {}, library {}: {}".format(*key, n))
    print(f"{num_files} files, {num_accepted} accepted; they differ on {differ}, and on the code of {num_others}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
