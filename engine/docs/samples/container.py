"""The container of all files: section 2 of FORMAT.md."""

import re
import struct

from digests import u32, u64, xxh3

MAGIC = bytes.fromhex("8954524d0d0a1a0a")
HEADER_BYTES, RECORD_BYTES, PAGE, MOST_METADATA = 64, 48, 4096, 1 << 16
COUNTING, SCALABLE, WINDOW, ATTRIBUTES, COLUMN, DIRECTORY = 1, 2, 3, 6, 7, 8
SKIPPABLE, ALIGNED = 1, 2

# The sections of each type, in the order of the file, with their flags.
STORE = {"numbers": 0, "presence": ALIGNED, "counts": ALIGNED, "blocks": ALIGNED, "lines": ALIGNED, "side": 0}
SHARD = {"digests": 0, "further": 0, "sizes": 0, "values": 0}
TABLES = {
    COUNTING: STORE,
    SCALABLE: {"growing": 0, **SHARD},
    WINDOW: {"window": 0, "numbers": 0, "blocks": ALIGNED, "lines": ALIGNED, "side": 0},
    ATTRIBUTES: {"attributes": 0, "sets": 0, "growing": 0, **SHARD},
    COLUMN: {"column": 0, "places": 0},
    DIRECTORY: {"contents": 0, "file": 0},
}


class Refused(Exception):
    """The file is corrupt, or none of ours."""


class Unknown(Exception):
    """A later version wrote the file, or one before 0.1."""


def require(holds, at, what):
    if not holds:
        raise Refused(f"corrupt file at byte {at}: {what}")


def known(at, field, value, values):
    if value not in values:
        raise Unknown(f"file of a later version: at byte {at} {field} is {value}")


def round_up(number, unit):
    return (number + unit - 1) // unit * unit


class Section:
    """Bytes of a section, and its name and offset for what is wrong with them."""

    def __init__(self, name, at, data):
        self.name, self.at, self.bytes = name, at, data

    def require(self, holds, what, at=0):
        require(holds, self.at + at, f"{self.name}: {what}")

    def require_made(self, made):
        """`made` is what the filter's contents make of the section."""
        if made != self.bytes:
            pairs = enumerate(zip(made, self.bytes))
            at = next((i for i, (a, b) in pairs if a != b), min(len(made), len(self.bytes)))
            self.require(False, "not what the contents make", at)

    def unpack(self, shape, at=0):
        self.require(at + struct.calcsize(shape) <= len(self.bytes), "ends too early", len(self.bytes))
        return struct.unpack_from(shape, self.bytes, at)

    def unpack_all(self, shape):
        self.require(len(self.bytes) % struct.calcsize(shape) == 0, "ends within an entry", len(self.bytes))
        return list(struct.iter_unpack(shape, self.bytes))


class Container:
    """A file whose header, directory and padding are right. Its sections are checked as they are taken."""

    def __init__(self, data):
        self.data = data
        self.read_header()
        self.read_directory()

    def read_header(self):
        data = self.data
        if data[:8] != MAGIC:
            raise Refused("line ends were translated" if data[:4] == MAGIC[:4] else "not a Trommel file")
        require(len(data) >= 16, 8, "the file ends within its header")
        if 1 <= u32(data, 8) <= 3 and u32(data, 12) == 256:
            raise Unknown("made by a version before 0.1: build it again")
        known(8, "the version of the container", u32(data, 8), (1,))
        require(len(data) >= HEADER_BYTES, 16, "the file ends within its header")
        require(xxh3(data[:56]) == u64(data, 56), 56, "the header does not match its checksum")
        size, self.type, digest_kind, seed, file_bytes, self.num_sections, zero = struct.unpack_from(
            "<IIIQQII", data, 12)
        require(size == HEADER_BYTES, 12, "size of the header")
        require(zero == 0, 44, "zero")
        require(file_bytes == len(data), 32, f"file is {len(data):,} bytes, its header says {file_bytes:,}: truncated?")
        known(16, "the type", self.type, TABLES)
        known(20, "the digest kind", digest_kind, range(4))
        self.policy = digest_kind, seed

    def read_directory(self):
        data = self.data
        directory_at = len(data) - RECORD_BYTES * self.num_sections
        require(self.num_sections >= 1 and directory_at >= HEADER_BYTES, 40, "number of sections")
        require(xxh3(data[directory_at:]) == u64(data, 48), 48, "the directory does not match its checksum")
        table = {"metadata": 0, **TABLES[self.type]}
        self.sections, end, last = {}, HEADER_BYTES, (-1, 0)
        gaps, checked = [], []  # what is looked at when the whole directory is right
        for at in range(directory_at, len(data), RECORD_BYTES):
            raw, store, flags, offset, num_bytes, checksum = struct.unpack_from("<16sIIQQQ", data, at)
            name = raw.rstrip(b"\0").decode("latin1")
            require(re.fullmatch("[a-z0-9_]+", name), at, "name of a section")
            known(at + 20, f"flags of section '{name}'", flags, range(4))
            if name in table:
                require(flags == table[name], at + 20, f"flags of section '{name}'")
                place = store, list(table).index(name)
                require(place > last, at, f"order of section '{name}'")
                last = place
            elif not flags & SKIPPABLE:
                raise Unknown(f"file of a later version: at byte {at} there is a section '{name}'")
            begin = round_up(end, PAGE if flags & ALIGNED else 64)
            require(offset == begin, at + 24, f"place of section '{name}'")
            require(1 <= num_bytes <= directory_at - min(begin, directory_at), at + 32, f"bytes of section '{name}'")
            gaps.append((end, begin))
            end = begin + num_bytes
            section = f"section '{name}' of store {store}", begin, num_bytes, checksum
            if name in table and name != "metadata":
                self.sections[name, store] = section
            else:
                require(name not in table or store == 0 and num_bytes <= MOST_METADATA, at, "metadata")
                checked.append(section)
        require(directory_at == round_up(end, 64), 40, "place of the directory")
        for begin, end in gaps + [(end, directory_at)]:
            require(not any(data[begin:end]), begin, "padding is not zero")
        for section in checked:
            self.check(*section)

    def check(self, name, at, num_bytes, checksum):
        found = Section(name, at, self.data[at:at + num_bytes])
        found.require(xxh3(found.bytes) == checksum, "does not match its checksum")
        return found

    def take(self, name, store=0, wanted=None):
        """A section that the filter's numbers call for; `wanted` is its bytes. None: as many as it has, or none."""
        if (name, store) not in self.sections:
            require(wanted is None, 40, f"section '{name}' of store {store} is missing")
            return Section(f"section '{name}' of store {store}", 40, b"")
        section = self.check(*self.sections.pop((name, store)))
        num_bytes = len(section.bytes)
        section.require(wanted in (None, num_bytes), f"has {num_bytes:,} bytes, where {wanted} are wanted")
        return section

    def require_all_taken(self):
        for name, at, _, _ in self.sections.values():
            require(False, at, f"{name} does not belong to such a filter")
