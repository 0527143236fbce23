"""The types of files: sections 4 and 6 to 11 of FORMAT.md."""

import math
import struct

from container import (ATTRIBUTES, COLUMN, COUNTING, DIRECTORY, SCALABLE, WINDOW, Container, Refused, Unknown, known)
from digests import siphash13, xxh3, xxh64
from stores import MOST_CAPACITY, MOST_KEYS, SLOTS16, Dense, Stamped, read_store

XXH64, XXH3, CALLER, SIPHASH = range(4)


class Counting:  # 4
    def __init__(self, file):
        self.store = read_store(file, 1, may_be_unsized=True)
        self.num_keys, self.count = self.store.num_keys, self.store.count

    def describe(self):
        return f"counting filter: {self.store.describe()}"


# --- Section 6.

MOST_DIGESTS = [800] * 34 + [800 << i for i in (1, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10)]
FULL_LOADS = {51: 47.0, 48: 43.9, 43: 39.2, 40: 36.3, 38: 34.4, 35: 31.6, 32: 28.7, 26: 23.0, 22: 18.4, 20: 16.6}


def segments_of(num_keys, value_bits):
    """How many segments such a size of a shard has, and the most bits of a remainder in their blocks."""
    segment_bits = 0
    while num_keys >> segment_bits > 65536:
        segment_bits += 1
    while True:
        of_segment, num_values = -(-num_keys >> segment_bits), 1 << value_bits - segment_bits
        blocks = {slots: max(math.ceil(of_segment / load), -(-num_values // (((1 << longest) - 4) * bins)), 1)
                  for (slots, (bins, longest)), load in zip(Dense.SHAPES.items(), FULL_LOADS.values())}
        slots = min(blocks, key=blocks.get)
        if blocks[slots] <= 4095:
            return 1 << segment_bits, Dense.SHAPES[slots][1]
        segment_bits += 1


def last_size(first_size, most_keys, value_bits):
    """Keys of a shard's last size, which takes `most_keys`, or as many as there may be."""
    largest = 65536 << value_bits - 1
    size = min(first_size, largest)
    while size < min(most_keys, largest):
        num_segments, longest = segments_of(size, value_bits)
        size = min(size + size * 53 // 128 if num_segments > 1 and longest >= 16 else 2 * size, largest)
    return size


class Growing:
    """A filter of the section's entry i. A shard is a dict from strings of digests, or from values, to their counts."""

    def __init__(self, file, section, i, first_store):
        at = 40 * i
        self.value_bits, is_one, first, most, asked, rate = section.unpack("<IIQQQd", at)
        section.require(1 <= self.value_bits <= 44, "bits of a value", at)
        section.require(is_one <= 1, "shards", at + 4)
        self.shard_bits = 0 if is_one else 6
        num_bits = self.value_bits + self.shard_bits
        section.require(1 <= most <= MOST_CAPACITY and most ** 2 << 3 <= 1 << 2 * num_bits, "most keys", at + 16)
        section.require(first <= most, "keys at first", at + 8)
        section.require(asked <= most, "keys asked for", at + 24)
        section.require(1e-6 <= rate <= 0.5, "target rate", at + 32)
        first, most = (n + n // 32 + 1 if is_one else math.ceil(n / 64 + 3 * math.sqrt(n / 64)) for n in (first, most))
        least = MOST_DIGESTS[self.value_bits] * 5 // 4
        first = least if first <= MOST_DIGESTS[self.value_bits] else first
        smallest = min(first, 65536 << self.value_bits - 1)
        while smallest // 2 >= least:
            smallest //= 2
        self.most_digests = smallest * 13 // 10
        self.most_values = last_size(first, most, self.value_bits) * 13 // 10
        stores = range(first_store, first_store + (1 << self.shard_bits))
        self.next_store, self.first_store = stores.stop, first_store
        self.has_values = [("sizes", store) in file.sections for store in stores]
        self.shards = [self.read_shard(file, store) for store in stores]
        self.num_keys = sum(sum(shard.values()) for shard in self.shards)
        section.require(self.num_keys <= MOST_KEYS, "more than 2^63 - 1 keys", at)

    def read_shard(self, file, store):
        if self.has_values[store - self.first_store]:
            keys = self.read_values(file, store)
        else:
            section = file.take("digests", store)
            keys = [digest for digest, in section.unpack_all("<Q")]
            section.require(len(keys) <= self.most_digests, "more digests than a shard has")
            section.require(all(digest % 64 == 32 for digest in keys), "not 58 bits")
            section.require(all(a < b for a, b in zip(keys, keys[1:])), "order")
        shard = dict.fromkeys(keys, 1)
        last, further = -1, file.take("further", store)
        for i, (key, count) in enumerate(further.unpack_all("<QQ")):
            further.require(last < key and key in shard and 1 <= count <= MOST_KEYS, "further copies", 16 * i)
            shard[key] += count
            last = key
        return shard

    def low_bits(self, num_values):
        """The bits of so many values that their buckets do not have in common."""
        return self.value_bits - min(max(num_values.bit_length() - 5, 0), self.value_bits - 1)

    def read_values(self, file, store):
        sections = {name: file.take(name, store) for name in ("sizes", "values")}
        sizes = [size for size, in sections["sizes"].unpack_all("<I")]
        bits = self.low_bits(sum(sizes))
        for holds, what in ((sum(sizes) > 0, "no values"), (sum(sizes) <= self.most_values, "more values than a shard has"),
                            (len(sizes) == 1 << self.value_bits - bits, "buckets")):
            sections["sizes"].require(holds, what)
        words = -(-sum(sizes) * bits // 64)
        sections["values"].require(len(sections["values"].bytes) == 8 * words, "as many bytes as the values take")
        number, low = int.from_bytes(sections["values"].bytes, "little"), (1 << bits) - 1
        buckets = [bucket for bucket, size in enumerate(sizes) for _ in range(size)]
        values = [bucket << bits | number >> bits * i & low for i, bucket in enumerate(buckets)]
        sections["values"].require(all(a < b for a, b in zip(values, values[1:])), "order")
        for name, made in self.make(values).items():
            sections[name].require_made(made)
        return values

    def make(self, values):
        """The sections of ascending values."""
        bits = self.low_bits(len(values))
        sizes, number = [0] * (1 << self.value_bits - bits if values else 0), 0
        for i, value in enumerate(values):
            sizes[value >> bits] += 1
            number |= (value & (1 << bits) - 1) << bits * i
        words = -(-len(values) * bits // 64)
        return {"sizes": struct.pack(f"<{len(sizes)}I", *sizes), "values": number.to_bytes(8 * words, "little")}

    def count(self, digest):
        shard, y = digest >> 64 - self.shard_bits, digest << self.shard_bits & (1 << 64) - 1
        string = y >> 6 << 6 | 32
        return self.shards[shard].get(y >> 64 - self.value_bits if self.has_values[shard] else string, 0)

    def describe(self):
        return (f"a filter that grows: {self.num_keys} keys, {sum(self.has_values)} of {len(self.shards)} shards keep values "
                f"of {self.value_bits} bits")


# --- Section 7.


class Scalable(Growing):
    def __init__(self, file):
        section = file.take("growing", wanted=40)
        super().__init__(file, section, 0, 1)
        section.require(self.shard_bits == 6, "shards", 4)


# --- Section 8.


class Window:
    def __init__(self, file):
        section = file.take("window")
        window, now, n, erasable = section.unpack("<QQII")
        section.require(window >= 1, "window")
        section.require(1 <= n <= min(64, window), "buckets", 16)
        section.require(erasable <= 1, "neither erasable nor not", 20)
        current = now * n // window
        first = max(0, current - n)
        section.require(len(section.bytes) == 24 + 8 * (current - first + 1), "number of buckets")
        keys = section.unpack(f"<{current - first + 1}Q", 24)
        section.require(sum(keys) <= MOST_KEYS, "more than 2^63 - 1 keys", 24)
        of_now = type("Stamped", (Stamped,), {"first": first, "current": current})
        self.store = read_store(file, 1, {SLOTS16: of_now})
        section.require(self.store.bits == 16 or n <= 12, "buckets of slots of 16 bits", 16)
        held = dict.fromkeys(range(first, current + 1), 0)
        for block in self.store.blocks:
            for (_, bucket), count in block.items():
                held[bucket] += count
            once = all(count == 1 for count in block.values()) and len(dict(block)) == len({key for key, _ in block})
            section.require(erasable or once, "more than one copy in a filter that is not erasable", 20)
        same = all(a == b if erasable else a >= b for a, b in zip(keys, held.values()))
        section.require(same, "keys of a bucket", 24)
        self.num_keys, self.count, self.buckets = sum(keys), self.store.count, (first, current)

    def describe(self):
        return f"window filter: buckets {self.buckets}, {self.num_keys} keys; {self.store.describe()}"


# --- Section 9.

MOST_SETS = 1 << 16


class Attributes:
    def __init__(self, file):
        section, sets = file.take("attributes"), file.take("sets")
        d, self.most, is_list, zero = section.unpack("<4I")
        section.require(1 <= d <= 64, "attributes")
        known(section.at + 8, "the form of the sets", is_list, (0, 1))
        section.require(self.most == 0 if is_list else 1 <= self.most <= d, "attributes together", 4)
        section.require(zero == 0, "zero", 12)
        self.names, at = [], 16
        for _ in range(d):
            size, = section.unpack("<B", at)
            section.require(size >= 1, "a name", at)
            self.names += section.unpack(f"<{size}s", at + 1)
            at += 1 + size
        section.require(at == len(section.bytes) and len(set(self.names)) == d, "names", at)
        self.sets = [one for one, in sets.unpack_all("<Q")]
        sets.require(all(a < b for a, b in zip(self.sets, self.sets[1:])), "order of the sets")
        self.allowed = self.listed(sets, d) if is_list else self.without_cuts(sets, d)
        section, self.filters, store = file.take("growing", wanted=40 * len(self.allowed)), {}, 1
        for i, one in enumerate(self.allowed):
            of_set = self.filters[one] = Growing(file, section, i, store)
            section.require(of_set.num_keys == self.filters[self.allowed[0]].num_keys, "sets of other keys", 40 * i)
            store = of_set.next_store
        self.num_keys = of_set.num_keys

    def listed(self, sets, d):
        sets.require(1 <= len(self.sets) <= MOST_SETS and self.sets[0] > 0, "sets of the list")
        sets.require(self.sets[-1] < 1 << d, "an attribute that is not there")
        sets.require(all(any(s >> a & 1 for s in self.sets) for a in range(d)), "an attribute in no set")
        return self.sets

    def without_cuts(self, sets, d):
        cuts = self.sets
        sets.require(all(2 <= bin(cut).count("1") <= self.most and cut >> d == 0 for cut in cuts), "a cut")
        sets.require(not any(a != b and a & b == a for a in cuts for b in cuts), "a cut within another")
        allowed, of_size = [], [0]
        for _ in range(self.most):  # each set grows by the attributes above its last one
            of_size = [s | 1 << a for s in of_size for a in range(s.bit_length(), d)
                       if not any((s | 1 << a) & cut == cut for cut in cuts)]
            allowed += of_size
            sets.require(len(allowed) <= MOST_SETS, "too many sets")
        return sorted(allowed)

    def count_tuple(self, digests):
        """How many tuples match at most; `digests` of values, by attribute."""
        asked = sum(1 << a for a in digests)
        within = [s for s in self.allowed if s & ~asked == 0]
        parts = [s for s in within if not any(s != t and s & t == s for t in within)]
        counts = [self.num_keys]
        for part in parts:
            of_part = [digests[a] for a in range(64) if part >> a & 1]
            digest = of_part[0] if len(of_part) == 1 else xxh3(struct.pack(f"<{len(of_part)}Q", *of_part), part)
            counts.append(self.filters[part].count(digest))
        return min(counts)

    def describe(self):
        return (f"attribute filter: {self.num_keys} tuples of {self.names}\n" +
                "\n".join(f"set {s}: {one.describe()}" for s, one in self.filters.items()))


# --- Sections 10 and 11.


def number(section, at):
    """A number of 7 bits per byte, in its shortest form, and where it ends."""
    value = 0
    for i in range(10):
        byte, = section.unpack("<B", at + i)
        value |= (byte & 127) << 7 * i
        if byte < 128:
            section.require((byte > 0 or i == 0) and value < 1 << 64, "a number", at)
            return value, at + i + 1
    section.require(False, "a number", at)


class Column:
    """A column of a map, as a dict from places to counts."""

    def __init__(self, file):
        section, places = file.take("column", wanted=16), file.take("places")
        self.num_blocks, self.bits, zero = section.unpack("<QII")
        section.require(self.num_blocks % 64 == 0 and 0 < self.num_blocks < 1 << 31, "blocks")
        section.require(1 <= self.bits <= 16, "bits of a fingerprint", 8)
        section.require(zero == 0, "zero", 12)
        self.places, at, place = {}, 0, 0
        while at < len(places.bytes):
            step, end = number(places, at)
            place += step >> 1
            more, end = number(places, end) if step & 1 else (-1, end)
            places.require(place < self.num_blocks << self.bits and place % (1 << self.bits) != 0, "a place", at)
            self.places[place], place, at = more + 2, place + 1, end
        self.num_keys = sum(self.places.values())
        places.require(self.num_keys <= MOST_KEYS, "more than 2^63 - 1 keys")

    def count(self, digest):
        block, rest = divmod(digest * self.num_blocks, 1 << 64)
        return self.places.get(block << self.bits | max(1, rest >> 64 - self.bits), 0)

    def describe(self):
        return f"column of a map of {self.num_blocks} blocks, fingerprints of {self.bits} bits: {self.num_keys} keys"


class Directory:
    def __init__(self, file):
        self.section, self.at = file.take("contents"), 0
        structure, self.rate, self.num_attributes = self.fields("<IdI")
        known(self.section.at, "the structure", structure, (1, 2))
        self.servers = [(self.string(), *self.fields("<Q")) for _ in self.items()]
        self.columns = []
        for _ in self.items():
            attribute, pairs = self.fields("<IQ")
            self.section.require(attribute < self.num_attributes, "an attribute", self.at)
            shape = self.fields("<QI") if structure == 2 else ()
            for _ in self.items():
                regions = [(*self.fields("<I"), self.string(), self.string(), *self.fields("<I"))
                           for _ in self.items()]
                are_there = all(region[3] < len(self.servers) for region in regions)
                self.section.require(regions and are_there, "regions", self.at)
                self.columns.append((attribute, pairs, shape, regions))
        self.section.require(self.at == len(self.section.bytes), "goes on", self.at)
        for i, (_, _, shape, _) in enumerate(self.columns):
            column = file.take("file", i + 1)
            found, inner = read(column.bytes)
            column.require(inner.policy == file.policy and inner.type == (COLUMN if structure == 2 else SCALABLE) and
                           (structure == 1 or (found.num_blocks, found.bits) == shape), "not a file of this directory")

    def fields(self, shape):
        self.at += struct.calcsize(shape)
        return self.section.unpack(shape, self.at - struct.calcsize(shape))

    def items(self):
        num_items, = self.fields("<Q")
        for i in range(num_items):
            yield i

    def string(self):
        size, = self.fields("<Q")
        self.section.require(size <= len(self.section.bytes), "a string", self.at - 8)
        return self.fields(f"<{size}s")[0]

    def describe(self):
        return f"directory of an index: {len(self.servers)} servers, {len(self.columns)} columns"


# --- All of them.


def read(data, secret=None):
    """A whole file: what it holds, and its container."""
    file = Container(data)
    classes = {COUNTING: Counting, SCALABLE: Scalable, WINDOW: Window, ATTRIBUTES: Attributes, COLUMN: Column,
               DIRECTORY: Directory}
    found = classes[file.type](file)
    file.require_all_taken()
    if secret is not None and file.policy != (SIPHASH, siphash13(secret, b"trommel digest key check")):
        raise Refused("the wrong key")
    return found, file


def digest_of(policy, key_bytes, secret):
    kind, seed = policy
    if kind == CALLER or kind == SIPHASH and secret is None:
        raise Refused("this filter takes digests only" if kind == CALLER else "this filter needs its key")
    if kind == SIPHASH:
        return siphash13(secret, key_bytes)
    return xxh64(key_bytes, seed) if kind == XXH64 else xxh3(key_bytes, seed)
