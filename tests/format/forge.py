"""Forges Trommel files: valid ones with other contents, and damaged ones with right checksums.

What a forger knows is the container of FORMAT.md, section 2. Edits are made to sections, to records of
the directory, to the header, and to the bytes of the whole; checksums are made right again at will.
"""

import struct

from container import ALIGNED, MAGIC, SKIPPABLE, TABLES, round_up
from digests import u32, u64, xxh3
from filters import Attributes, Column, Counting, Scalable, Window, read

NAMES = (b"metadata", b"numbers", b"presence", b"counts", b"blocks", b"lines", b"side", b"digests", b"sizes", b"values",
         b"further", b"window", b"growing", b"later", b"x", b"UPPER", b"a-b",
         b"", b"a\0b", b"sixteen_letters_")
TELLING = (0, 1, 2, 3, 4, 5, 8, 10, 16, 31, 32, 63, 64, 250, 255, 256, 4096, 1 << 16, 1 << 31, (1 << 32) - 1, 1 << 40,
           (1 << 63) - 1, 1 << 63, (1 << 64) - 1)
DOUBLES = (0.0, -0.0, 1e-7, 1e-6, 1.6e-5, 0.01, 0.2, 0.5, 0.8, 0.95, 1.0, float("nan"), float("inf"), -0.01)


class Forgery:
    """A file in parts: the header's fields, and sections as [name, store, flags, bytes]."""

    def __init__(self, data):
        self.type, self.kind, self.seed = u32(data, 16), u32(data, 20), u64(data, 24)
        self.sections = []
        for at in range(len(data) - 48 * u32(data, 40), len(data), 48):
            name, store, flags, offset, num_bytes = struct.unpack_from("<16sIIQQ", data, at)
            self.sections.append([name.rstrip(b"\0"), store, flags, data[offset:offset + num_bytes]])

    def build(self):
        out, records = bytearray(64), b""
        for name, store, flags, data in self.sections:
            out += bytes(round_up(len(out), 4096 if flags & ALIGNED else 64) - len(out))
            records += struct.pack("<16sIIQQQ", name, store, flags, len(out), len(data), xxh3(data))
            out += data
        out += bytes(round_up(len(out), 64) - len(out)) + records
        struct.pack_into("<8sIIIIQQI", out, 0, MAGIC, 1, 64, self.type, self.kind, self.seed, len(out),
                         len(self.sections))
        reseal(out)
        return out

    def own(self):
        """The file as it would be saved again: without metadata, and sections that a reader leaves out."""
        self.sections = [section for section in self.sections
                         if section[0] != b"metadata" and not section[2] & SKIPPABLE]
        return bytes(self.build())


def directory_at(data):
    return max(64, len(data) - 48 * u32(data, 40))


def number(value):
    """7 bits per byte."""
    data = b""
    while value > 127:
        data, value = data + bytes([value & 127 | 128]), value >> 7
    return data + bytes([value])


def reseal(data):
    """Makes all checksums right, as far as what they are of lies within the file."""
    if len(data) < 64:
        return
    begin = directory_at(data)
    for at in range(begin, len(data) - 47, 48):
        offset, num_bytes = struct.unpack_from("<QQ", data, at + 24)
        if offset + num_bytes <= len(data) and num_bytes < 1 << 20:
            struct.pack_into("<Q", data, at + 40, xxh3(bytes(data[offset:offset + num_bytes])))
    struct.pack_into("<Q", data, 48, xxh3(bytes(data[begin:])))
    struct.pack_into("<Q", data, 56, xxh3(bytes(data[:56])))


class Forger:
    def __init__(self, samples, random):
        self.samples, self.random = samples, random
        self.types = sorted({u32(data, 16) for data in samples})
        self.known = {}  # by sample: its stores, as the reader has them

    def forge(self):
        """A file, and the edits that led to it."""
        random, kind = self.random, self.random.choice(self.types)
        index = random.choice([i for i, data in enumerate(self.samples) if u32(data, 16) == kind])
        forgery, edits = Forgery(self.samples[index]), []
        if random.random() < 0.5 and self.change_contents(forgery, index):
            edits.append("change_contents")
        for _ in range(random.choice((0, 0, 0, 1, 1, 2))):
            edit = random.choice((self.change_bytes, self.change_bytes, self.change_bytes, self.change_number,
                                  self.change_number, self.change_number, self.change_number, self.change_record,
                                  self.drop, self.repeat, self.swap, self.resize, self.add, self.add, self.borrow,
                                  self.change_header))
            edit(forgery)
            edits.append(edit.__name__)
        data = forgery.build()
        for _ in range(random.choice((0, 0, 0, 0, 0, 0, 1, 2)) if edits else 1):
            edit = random.choice((self.flip, self.flip, self.cut, self.append, self.patch_header, self.patch_record,
                                  self.patch_record, self.pad))
            edit(data)
            if is_sealed := random.random() < 0.75:
                reseal(data)
            edits.append(edit.__name__ + (" sealed" if is_sealed else ""))
        return bytes(data), f"sample {index}: {', '.join(edits)}"

    # Edits of parts.

    def section(self, forgery):
        return self.random.choice(forgery.sections)

    def change_bytes(self, forgery):
        random, section = self.random, self.section(forgery)
        data = bytearray(section[3])
        if not data:
            return
        used = [i for i, byte in enumerate(data) if byte] or [0]
        at = random.choice(used) if random.random() < 0.7 else random.randrange(len(data))
        data[at] = random.choice((data[at] ^ 1 << random.randrange(8), data[at] + 1 & 255, random.randrange(256)))
        section[3] = bytes(data)

    def change_number(self, forgery):
        random, section = self.random, self.section(forgery)
        size = random.choice((2, 4, 8))
        if len(section[3]) < size:
            return
        data = bytearray(section[3])
        at = random.randrange(min(len(data), random.choice((64, 1 << 20))) // size) * size
        old = int.from_bytes(data[at:at + size], "little")
        if size == 8 and random.random() < 0.2:
            new = u64(struct.pack("<d", random.choice(DOUBLES)), 0)
        else:
            new = random.choice((old + 1, old - 1, old * 2, old // 2, old ^ 1 << random.randrange(8 * size),
                                 random.choice(TELLING)))
        data[at:at + size] = (new & (1 << 8 * size) - 1).to_bytes(size, "little")
        section[3] = bytes(data)

    def change_record(self, forgery):
        random, section = self.random, self.section(forgery)
        field = random.randrange(3)
        section[field] = (random.choice(NAMES) if field == 0 else
                          random.choice((section[1] + 1, max(0, section[1] - 1), 0, 65)) if field == 1 else
                          section[2] ^ 1 << random.choice((0, 0, 1, 1, 2, 31)))

    def drop(self, forgery):
        if len(forgery.sections) > 1:
            forgery.sections.remove(self.section(forgery))

    def repeat(self, forgery):
        section = list(self.section(forgery))
        section[1] += self.random.randrange(2)
        forgery.sections.insert(self.random.randrange(len(forgery.sections) + 1), section)

    def swap(self, forgery):
        if len(forgery.sections) > 1:
            i = self.random.randrange(len(forgery.sections) - 1)
            forgery.sections[i:i + 2] = forgery.sections[i + 1], forgery.sections[i]

    def resize(self, forgery):
        random, section = self.random, self.section(forgery)
        by = random.choice((1, 2, 4, 8, 16, 32, 64))
        section[3] = section[3][:-by] if random.random() < 0.5 else section[3] + bytes(by)

    def add(self, forgery):
        random = self.random
        name, flags = random.choice((b"later", b"later", b"x", random.choice(NAMES))), random.choice((1, 1, 3, 0, 2, 5))
        if random.random() < 0.2:
            name, flags = b"metadata", 0
        where = 0 if name == b"metadata" else random.randrange(len(forgery.sections) + 1)
        data = bytes(random.choice((0, 1, 7, 64, 100, 65536, 65537, 9)))
        forgery.sections.insert(where, [name, 0 if where == 0 else random.randrange(4), flags, data])

    def borrow(self, forgery):
        """A section of another sample."""
        other, section = Forgery(self.random.choice(self.samples)), self.section(forgery)
        same = [one for one in other.sections if one[0] == section[0]]
        section[3] = self.random.choice(same or other.sections)[3]

    def change_header(self, forgery):
        random, field = self.random, self.random.choice(("type", "kind", "seed", "seed"))
        setattr(forgery, field, random.choice(TELLING if field == "seed" else (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)))

    # Other contents, of which the reader makes the sections.

    def change_contents(self, forgery, index):
        """Inserts as many keys into the store, or those of each set, and makes sections and sums anew."""
        if index not in self.known:
            self.known[index] = self.read(bytes(self.samples[index]))
        found, random = self.known[index], self.random
        if isinstance(found, Column):
            return self.change_column(forgery, found)
        if isinstance(found, Scalable):
            return self.change_growing(forgery, found)
        if not isinstance(found, (Counting, Window, Attributes)):
            return False
        counts = [random.choice((1, 1, 1, 2, 9, 300, 1 << 33)) for _ in range(random.choice((1, 1, 3, 20, 60)))]
        if isinstance(found, Attributes):
            for one in found.filters.values():
                self.change_growing(forgery, one, counts)
            return True
        most_block, store = random.choice((1, 4, 1 << 31)), found.store
        before = list(store.blocks)
        for count in counts:
            self.change_block(store, random.randrange(min(store.num_blocks, most_block)), count)
        self.put(forgery, 1, store.make())
        self.put_sums(forgery, found, store)
        store.blocks = before
        return True

    @staticmethod
    def read(data):
        try:
            return read(data)[0]
        except Exception:  # a sample with a fault is forged all the same
            return None

    @staticmethod
    def put(forgery, store, made):
        """Other bytes of sections, which may come or go, in the order of the type's table."""
        table = {"metadata": 0, **TABLES[forgery.type]}
        forgery.sections = [section for section in forgery.sections
                            if section[1] != store or section[0].decode() not in made]
        forgery.sections += [[name.encode(), store, table[name], bytes(data)] for name, data in made.items() if data]
        forgery.sections.sort(key=lambda section: (section[1], list(table).index(section[0].decode())))

    @staticmethod
    def put_sums(forgery, found, store):
        """The keys of buckets."""
        for section in forgery.sections:
            data = bytearray(section[3])
            if section[:2] == [b"window", 0]:
                held = dict.fromkeys(range(found.buckets[0], found.buckets[1] + 1), 0)
                for block in store.blocks:
                    for (_, bucket), count in block.items():
                        held[bucket] += count
                struct.pack_into(f"<{len(held)}Q", data, 24, *held.values())
            section[3] = bytes(data)

    def change_column(self, forgery, found):
        random, places = self.random, dict(found.places)
        for _ in range(random.choice((1, 2, 20))):
            places[random.randrange(found.num_blocks << found.bits)] = random.choice((1, 1, 2, 3, 300, 1 << 63))
        data, place = b"", 0
        for one, count in sorted(places.items()):
            data += number(2 * (one - place) + (count > 1)) + (number(count - 2) if count > 1 else b"")
            place = one + 1
        self.put(forgery, 0, {"places": data})
        return True

    def change_growing(self, forgery, found, counts=None):
        """Changes a shard; with counts, inserts as many copies of some keys."""
        random, idx = self.random, self.random.randrange(len(found.shards))
        if random.random() < 0.5:  # most shards are empty
            idx = random.choice([i for i, shard in enumerate(found.shards) if shard] or [idx])
        shard, has_values = dict(found.shards[idx]), found.has_values[idx]
        if not shard or counts is None and random.random() < 0.1:
            shard, has_values = {}, random.random() < 0.5
        for count in counts or [random.choice((1, 1, 1, 1, 2, 300, 1 << 62)) for _ in range(random.choice((1, 2, 20, 200)))]:
            if shard and random.random() < 0.5:
                key = random.choice(sorted(shard))
            else:
                key = random.randrange(1 << found.value_bits) if has_values else random.randrange(1 << 58) << 6 | 32
            if counts is None and random.random() < 0.2:
                shard.pop(key, 0)
            else:
                shard[key] = shard.get(key, 0) + count
        further = b"".join(struct.pack("<QQ", key, count - 1 & (1 << 64) - 1)
                           for key, count in sorted(shard.items()) if count > 1)
        digests = b"" if has_values else b"".join(struct.pack("<Q", key) for key in sorted(shard))
        values = found.make(sorted(shard) if has_values else [])
        self.put(forgery, found.first_store + idx, {"digests": digests, "further": further, **values})
        return True

    def change_block(self, store, b, count):
        random, block = self.random, store.blocks[b]
        if isinstance(block, dict):
            block = dict(block)
            key = random.randrange(1 << store.bits)
            if hasattr(store, "current"):
                key = max(1, key), random.randrange(store.first, store.current + 1)
            else:
                key = store.key(key)
            if block and random.random() < 0.5:
                key = random.choice(sorted(block))
            if random.random() < 0.2:
                block.pop(key, 0)
            else:
                block[key] = block.get(key, 0) + count
        else:
            block = list(block)
            for s in range(store.k):
                block[s * store.m + random.randrange(store.m)] += count
        store.blocks[b] = block

    # Edits of the whole.

    def flip(self, data):
        data[self.random.randrange(len(data))] ^= 1 << self.random.randrange(8)

    def cut(self, data):
        del data[self.random.choice((self.random.randrange(len(data)), len(data) - self.random.randrange(1, 64))):]
        self.say_size(data)

    def append(self, data):
        data += bytes(self.random.choice((1, 8, 48, 64)))
        self.say_size(data)

    def say_size(self, data):
        if len(data) >= 64 and self.random.random() < 0.6:
            struct.pack_into("<Q", data, 32, len(data))

    def patch_header(self, data):
        at, size = self.random.choice(((0, 1), (3, 1), (8, 4), (12, 4), (16, 4), (20, 4), (32, 8), (40, 4),
                                       (44, 4), (48, 8), (56, 8)))
        if len(data) >= at + size:
            self.patch(data, at, size)

    def patch_record(self, data):
        records = range(directory_at(data), len(data) - 47, 48)
        if records:
            field, size = self.random.choice(((0, 1), (7, 1), (15, 1), (16, 4), (20, 4), (24, 8), (32, 8), (40, 8)))
            self.patch(data, self.random.choice(records) + field, size)

    def patch(self, data, at, size):
        old, random = int.from_bytes(data[at:at + size], "little"), self.random
        new = random.choice((old + 1, old - 1, old + 64, old - 64, old + 4096,
                             old ^ 1 << random.randrange(8 * size), random.choice(TELLING)))
        data[at:at + size] = (new & (1 << 8 * size) - 1).to_bytes(size, "little")

    def pad(self, data):
        """A bit of a gap between sections, where there is one."""
        ends = [struct.unpack_from("<QQ", data, at + 24) for at in range(directory_at(data), len(data) - 47, 48)]
        gaps = [at for offset, size in ends for at in (offset + size, offset - 1) if at < len(data) and data[at] == 0]
        if gaps:
            data[self.random.choice(gaps)] ^= 1 << self.random.randrange(8)
