"""Stores of blocks: section 5 of FORMAT.md.

A store is read into the contents of its blocks, and these make its sections anew. What they make must
be the file's: this one comparison stands for nearly all rules of canonical bytes.
"""

import math
import struct

from container import known

PLANES, RUNS, SLOTS16, DENSE, AUTOMATIC = 0, 1, 2, 3, 255
MOST_KEYS = (1 << 63) - 1
MOST_CAPACITY = 1 << 40
GROUP = 64


class Store:
    GROUP = UNIT = 1  # blocks that share a line in the file; of which a shard has a multiple

    def __init__(self, file, numbers, store, fields):
        (self.encoding, self.k, self.bits, self.shard_bits, self.num_blocks, self.capacity, self.rate) = fields
        require = numbers.require
        unit = self.UNIT if self.shard_bits > 0 else 1
        require(1 <= self.num_blocks < 1 << 31, "number of blocks", 16)
        require(self.shard_bits <= 30 and self.num_blocks % (unit << self.shard_bits) == 0, "shard bits", 12)
        self.check_shape(numbers)
        sections = {name: file.take(name, store, size) for name, size in self.sizes().items()}
        sections["side"] = file.take("side", store)
        self.read(sections)
        self.num_keys = sum(map(self.keys_of, self.blocks))
        require(self.num_keys <= MOST_KEYS, "more than 2^63 - 1 keys")
        for name, made in self.make().items():
            sections[name].require_made(made)

    def is_sized(self):
        return 1 <= self.capacity <= MOST_CAPACITY and 1e-6 <= self.rate <= 0.5

    def describe(self):
        shape = f"fingerprints of {self.bits} bits" if isinstance(self, Slots) else f"{self.k} slices"
        return f"{type(self).__name__}, {self.num_blocks} blocks, {shape}, {self.num_keys} keys"


# --- Slices: 5.2 to 5.4. A block's contents are its counters, slice by slice.

SALTS = [int(salt, 16) for salt in
         "47b6137b 44974d91 8824ad5b a2b7289d 705495c7 2df1424b 9efc4947 5c6bfb31".split()]
WIDE_SALT = 0xE7755B8FC9F1067B


class Slices(Store):
    def check_shape(self, numbers):
        numbers.require(self.k in self.SLICES, f"{self.k} slices", 4)
        numbers.require(self.bits == 0, "bits of a fingerprint", 8)
        self.m = 32 if self.k == 8 else 64
        self.word = "I" if self.k == 8 else "Q"

    def slices_of(self, counters):
        return [counters[s * self.m:(s + 1) * self.m] for s in range(self.k)]

    def keys_of(self, counters):
        return sum(counters[:self.m])

    def words_of(self, counters):
        return [sum((c > 0) << i for i, c in enumerate(of_slice)) for of_slice in self.slices_of(counters)]

    def read(self, sections):
        side = self.read_side(sections["side"])
        self.blocks = []
        for b in range(self.num_blocks):
            section = sections[self.COUNTS]
            at = len(section.bytes) // self.num_blocks * b
            counters = side[b] if b in side else self.read_block(sections, b, at)
            section.require(counters is not None, f"block {b}: runs and presence", at)
            section.require(len(set(map(sum, self.slices_of(counters)))) == 1, f"block {b}: slices of other keys", at)
            self.blocks.append(counters)

    def read_side(self, section):
        side, at = {}, 0
        while at < len(section.bytes):
            b, width = section.unpack("<QI", at)
            section.require(b < self.num_blocks and width in (1, 2, 4, 8), "an entry's block or width", at)
            section.unpack(f"<{16 + self.k * self.m * width}x", at)
            side[b] = struct.unpack_from(f"<{self.k * self.m}{' BH I   Q'[width]}", section.bytes, at + 16)
            at += 16 + self.k * self.m * width
        return side

    def make(self):
        presence, counts, side = bytearray(), bytearray(), bytearray()
        for b, counters in enumerate(self.blocks):
            fits = self.make_block(counters, presence, counts)
            if not fits:
                width = next(w for w in (1, 2, 4, 8) if max(counters) < 1 << 8 * w)
                side += struct.pack(f"<QII{self.k * self.m}{' BH I   Q'[width]}", b, width, 0, *counters)
        return {**({"presence": presence} if presence else {}), self.COUNTS: counts, "side": side}

    def least_load(self):
        """The fewest keys that such presence bits can come from."""
        return -(-sum(c > 0 for counters in self.blocks for c in counters) // self.k)

    def predicted_rate(self, num_keys):
        def f(i):
            g = -math.expm1(i * math.log1p(-1 / self.m))
            same_half = -math.expm1(i * math.log1p(-(2.0 ** -32)))
            return g ** self.k if self.k * math.log2(self.m) <= 32 else g ** self.k + (1 - g ** self.k) * same_half

        q, r = divmod(1 << 32, self.num_blocks)
        return sum(blocks * owned / 2 ** 32 * mean_over_load(num_keys, owned / 2 ** 32, f)
                   for blocks, owned in ((r, q + 1), (self.num_blocks - r, q)) if blocks > 0)

    def count(self, digest):
        low, counters = digest & 0xFFFFFFFF, self.blocks[(digest >> 32) * self.num_blocks >> 32]
        if self.k == 8:
            positions = [(low * salt & 0xFFFFFFFF) >> 27 for salt in SALTS]
        else:
            wide = low * WIDE_SALT & (1 << 64) - 1
            positions = [low >> 6 * s & 63 if s < 5 else wide >> 34 + 6 * (s - 5) & 63 for s in range(self.k)]
        return min(counters[s * self.m + p] for s, p in enumerate(positions))


class Planes(Slices):
    SLICES, COUNTS = (8,), "counts"

    def sizes(self):
        return {"presence": self.num_blocks * 32, "counts": self.num_blocks * 96}

    def read_block(self, sections, b, _):
        words, planes = sections["presence"].unpack("<8I", 32 * b), sections["counts"].unpack("<24I", 96 * b)
        return [1 + sum((planes[8 * p + s] >> i & 1) << p for p in range(3)) if words[s] >> i & 1 else 0
                for s in range(8) for i in range(32)]

    def make_block(self, counters, presence, counts):
        fits = max(counters) <= 8 and set(counters[:32]) != {8}
        presence += struct.pack("<8I", *self.words_of(counters))
        for p in range(3):
            counts += struct.pack("<8I", *(sum((c > 0 and c - 1 >> p & 1) << i for i, c in enumerate(of_slice))
                                           for of_slice in self.slices_of(counters))
                                  if fits else (0xFFFFFFFF, *[0] * 7))
        return fits


class Runs(Slices):
    SLICES = {4: 63, 5: 37, 8: 31, 10: 37}  # most keys of a block
    COUNTS = "blocks"

    def sizes(self):
        return {"blocks": self.num_blocks * (128 if self.k == 10 else 64)}

    def read_block(self, sections, _, at):
        words = sections["blocks"].unpack(f"<{self.k}{self.word}", at)
        at += self.k * self.m // 8
        if self.k in (4, 8):
            strings = sections["blocks"].unpack("<4Q" if self.k == 4 else "<8I", at)
        else:
            *low, high = sections["blocks"].unpack("<5II" if self.k == 5 else "<10IQ", at)
            strings = [word | (high >> 6 * s & 63) << 32 for s, word in enumerate(low)]
        counters = []
        for word, string in zip(words, strings):
            ones = [i for i in range(64) if string >> i & 1]
            present = [i for i in range(self.m) if word >> i & 1]
            if len(ones) != len(present) + (len(present) > 0):
                return None
            of_slice = [0] * self.m
            for r, i in enumerate(present):
                of_slice[i] = ones[r + 1] - ones[r]
            counters += of_slice
        return counters

    def make_block(self, counters, _, blocks):
        n = self.keys_of(counters)
        fits = n <= self.SLICES[self.k]
        strings = [0] * self.k
        for s, of_slice in enumerate(self.slices_of(counters) if fits and n > 0 else ()):
            at = 0
            for c in of_slice:
                strings[s] |= (c > 0) << at
                at += c
            strings[s] |= 1 << n
        blocks += struct.pack(f"<{self.k}{self.word}", *self.words_of(counters))
        if self.k in (4, 8):
            blocks += struct.pack("<4Q" if self.k == 4 else "<8I", *strings)
        else:
            blocks += struct.pack(f"<{self.k}I", *(string & 0xFFFFFFFF for string in strings))
            high = sum((string >> 32) << 6 * s for s, string in enumerate(strings))
            blocks += high.to_bytes(4 if self.k == 5 else 8, "little")
        return fits


# --- Slots: 5.5 to 5.7. A block's contents are a dict from its keys to their counts.


class Slots(Store):
    def check_shape(self, numbers):
        numbers.require(self.k == 0, "slices", 4)
        numbers.require(self.bits in self.BITS, "bits of a fingerprint", 8)

    def sizes(self):
        lines = {"lines": 64 * -(-self.num_blocks // GROUP)} if self.GROUP > 1 else {}
        return {"blocks": 64 * self.num_blocks, **lines}

    def keys_of(self, block):
        return sum(block.values())

    def read(self, sections):
        self.side, self.blocks = self.read_side(sections["side"]), []
        for b in range(self.num_blocks):
            words, block, group = sections["blocks"].bytes[64 * b:64 * b + 64], dict(self.side.get(b, {})), b // GROUP
            line = sections["lines"].bytes[64 * group:64 * group + 64] if self.GROUP > 1 else b""
            for key in self.read_block(b, words, line):
                block[key] = block.get(key, 0) + 1
            sections["blocks"].require(all(map(self.is_key, block)), f"block {b}: what no fingerprint is", 64 * b)
            self.blocks.append(block)

    def read_side(self, section):  # 5.7
        side, at = {}, 0
        while at < len(section.bytes):
            b, n = section.unpack("<QI", at)
            section.require(b < self.num_blocks, "an entry's block", at)
            section.unpack(f"<{16 + 16 * n}x", at)
            side[b] = {key: count for key, _, count in
                       struct.iter_unpack("<IIQ", section.bytes[at + 16:at + 16 + 16 * n])}
            at += 16 + 16 * n
        return side

    def make(self):
        blocks, lines, side = bytearray(), bytearray(), bytearray()
        for b, block in enumerate(self.blocks):
            if b % GROUP == 0:
                line = []
            words, hidden = self.make_block(b, block, line)
            blocks += words
            side += self.make_side(b, hidden)
            if self.GROUP > 1 and (b % GROUP == GROUP - 1 or b == self.num_blocks - 1):
                lines += self.make_line(line)
        return {"blocks": blocks, **({"lines": lines} if self.GROUP > 1 else {}), "side": side}

    def make_side(self, b, hidden):
        entry = b"".join(struct.pack("<IIQ", key, 0, count) for key, count in sorted(hidden.items()))
        return struct.pack("<QII", b, len(hidden), 0) + entry if hidden else b""

    def least_load(self):
        return sum(map(len, self.blocks))

    def predicted_rate(self, num_keys):
        def f(i):
            once, twice = (-math.expm1(i * math.log1p(-n / self.values())) for n in (1, 2))
            return once if self.encoding == DENSE else (252 * once + 4 * twice) / 256

        return mean_over_load(num_keys, 1 / self.num_blocks, f)

    def count(self, digest):
        b, rest = divmod(digest * self.num_blocks, 1 << 64)
        return self.blocks[b].get(self.key(rest * self.values() >> 64), 0)

    def values(self):
        return 1 << self.bits


def without_one(block, shown):
    """What is left when one copy of each shown key is taken."""
    rest = {key: count - (key in shown) for key, count in block.items()}
    return {key: count for key, count in rest.items() if count > 0}


class Slots16(Slots):  # 5.6
    GROUP = UNIT = 64
    BITS, ENTRIES = range(8, 17), 18
    LINE, SPILLED, COPIES = 0xFFFF, 0x00FF, 0x01FF

    def is_key(self, key):
        return key >> self.bits == 0 and key & 0xFF not in (0x00, 0xFF)

    def key(self, key):
        return key if self.is_key(key) else key ^ 1

    def read_block(self, b, words, line):
        slots = struct.unpack("<32H", words)
        marked = slots[31] in (self.LINE, self.SPILLED, self.COPIES)
        shown = list(slots[:31] if marked else slots)
        if slots[31] == self.LINE:
            shown += [key for key, home in zip(struct.unpack_from("<18H", line), line[36:54]) if home == b % GROUP]
        return [key for key in shown if key != 0]

    def make_block(self, b, block, line):
        keys, n = sorted(block), sum(block.values())
        if n <= 31 + max(1, self.ENTRIES - len(line)):
            copies = [key for key in keys for _ in range(block[key])]
            if n <= 32:
                return struct.pack("<32H", *copies, *[0] * (32 - n)), {}
            line += [(key, b % GROUP) for key in copies[31:]]
            return struct.pack("<32H", *copies[:31], self.LINE), {}
        shown = keys[:31]
        mark = self.COPIES if len(keys) <= 31 else self.SPILLED
        return struct.pack("<32H", *shown, *[0] * (31 - len(shown)), mark), without_one(block, shown)

    @staticmethod
    def make_line(line):
        return struct.pack("<18H", *(key for key, _ in line), *[0] * (18 - len(line))) + bytes(
            home for _, home in line).ljust(28, b"\0")


class Dense(Slots):  # 5.7
    FEW = 3
    SHAPES = {51: (51, 8), 48: (78, 8), 43: (80, 9), 40: (70, 10), 38: (54, 11), 35: (55, 12),
              32: (62, 13), 26: (68, 16), 22: (70, 19), 20: (64, 21)}

    def check_shape(self, numbers):
        numbers.require(self.k in self.SHAPES, f"{self.k} slots", 4)
        self.bins, self.longest = self.SHAPES[self.k]
        numbers.require(1 <= self.bits <= self.longest, "bits of a fingerprint", 8)
        self.planes = range(self.longest // 8 * 8, self.longest)  # bits of remainders that no byte has
        self.key_bits = max(18, ((self.bins << self.longest) - 1).bit_length())
        self.many = (1 << 32 - self.key_bits) - 1

    def values(self):
        return self.bins << self.bits

    def is_key(self, key):
        return 0 <= key < self.values()

    def key(self, key):
        return key

    def read_block(self, b, words, _):
        number, shown, bin_ = int.from_bytes(words, "little"), [], 0
        string = number >> 510 - self.k - self.bins & (1 << self.k + self.bins) - 1 ^ (1 << self.bins) - 1
        for i in range(string.bit_length()):
            if string >> i & 1:
                bin_ += 1
            else:
                slot = len(shown)  # behind the last one, and beyond: what make_block does not write
                whole = sum((number >> self.k * at + 8 * slot & 0xFF) << at for at in range(0, self.planes.start, 8))
                planes = sum((number >> self.k * p + slot & 1) << p for p in self.planes)
                shown.append(bin_ << self.bits | planes | whole)
        return shown

    def make_block(self, _, block, __):
        keys, n = sorted(block), sum(block.values())

        def shown_if(times):  # the keys of the lowest bins that fit
            slots = 0
            for i, key in enumerate(keys):
                slots += times(key)
                if slots > self.k:
                    return [other for other in keys[:i] if other >> self.bits < key >> self.bits], key >> self.bits
            return keys, self.bins

        copies = block.get
        shown, end = shown_if(copies)
        if n > self.k and (n - len(keys) >= self.FEW or any(block[key] > 1 for key in keys[len(shown):])):
            copies = dict.fromkeys(keys, 1).get
            shown, end = shown_if(copies)
        listed = [key for key in shown for _ in range(copies(key))]
        number = string = 0
        for slot, key in enumerate(listed):
            rest = key & (1 << self.bits) - 1
            for at in range(0, self.planes.start, 8):
                number |= (rest >> at & 0xFF) << self.k * at + 8 * slot
            for p in self.planes:
                number |= (rest >> p & 1) << self.k * p + slot
        for bin_ in range(end):
            string |= 1 << bin_ + sum(key >> self.bits <= bin_ for key in listed)
        number |= (string ^ (1 << self.bins) - 1) << 510 - self.k - self.bins
        rest = {key: block[key] - copies(key) * (key in shown) for key in keys}
        rest = {key: count for key, count in rest.items() if count > 0}
        counted = any(count > 1 or key in shown for key, count in rest.items())
        return (number | counted << 510 | (end < self.bins) << 511).to_bytes(64, "little"), rest

    def make_side(self, b, rest):
        entry = [b, len(rest)]
        for key, count in sorted(rest.items()):
            entry.append(key | min(count, self.many) << self.key_bits)
            entry += [count & 0xFFFFFFFF, count >> 32] if count >= self.many else []
        entry += [0] * (len(entry) % 2)
        return struct.pack(f"<{len(entry)}I", *entry) if rest else b""

    def read_side(self, section):
        side, at = {}, 0
        while at < len(section.bytes):
            b, n = section.unpack("<II", at)
            section.require(b < self.num_blocks, "an entry's block", at)
            at, side[b] = at + 8, {}
            for _ in range(n):
                word, = section.unpack("<I", at)
                count, at = word >> self.key_bits, at + 4
                if count == self.many:
                    count, = section.unpack("<Q", at)
                    at += 8
                side[b][word & (1 << self.key_bits) - 1] = count
            at += at % 8
        return side


class Stamped(Slots):  # 8: a key is a fingerprint and its bucket
    GROUP = UNIT = 64
    BITS, ENTRIES = (12, 16), 14
    first = current = 0  # set before it is read

    def is_key(self, key):
        return 0 < key[0] < 1 << self.bits and self.first <= key[1] <= self.current

    def check_shape(self, numbers):
        known(numbers.at + 8, "the fingerprint's length", self.bits, self.BITS)
        super().check_shape(numbers)

    def is_sized(self):
        return super().is_sized() and self.rate >= 1.6e-5

    def read_side(self, section):
        side = {}
        for b, bucket, count, key, _ in section.unpack_all("<QQQII"):
            section.require(b < self.num_blocks and count > 0, "an entry of the side table")
            side.setdefault(b, {})[key, bucket] = count
        return side

    def read_block(self, b, words, line):
        if self.bits == 12:
            shown = [(slot >> 4, slot & 15) for slot in struct.unpack("<32H", words)]
        else:
            shown = list(zip(struct.unpack_from("<21H", words), words[42:63]))
        shown += [(word & 0xFFFF, word >> 24) for word in struct.unpack_from("<14I", line)
                  if word >> 16 & 0xFF == b % GROUP]
        return [(key, self.first + stamp) for key, stamp in shown if key != 0]

    def make_block(self, b, block, line):
        if b % GROUP == 0:
            self.spilled = 0
        youngest = dict(sorted(block))  # the last bucket of each fingerprint
        made = [(key, bucket - self.first) for key, bucket in youngest.items()]
        num_slots = 32 if self.bits == 12 else 21
        slots, others = made[:num_slots], made[num_slots:]
        if len(line) + len(others) <= self.ENTRIES:
            line += [key | b % GROUP << 16 | stamp << 24 for key, stamp in others]
        else:
            self.spilled |= 1 << b % GROUP
            for key, _ in others:
                del youngest[key]
        slots += [(0, 0)] * (num_slots - len(slots))
        words = (struct.pack("<32H", *(key << 4 | stamp for key, stamp in slots)) if self.bits == 12 else
                 struct.pack("<21H", *(key for key, _ in slots)) + bytes(stamp for _, stamp in slots) + b"\0")
        return words, without_one(block, set(youngest.items()))

    def make_line(self, line):
        return struct.pack("<14IQ", *line, *[0] * (self.ENTRIES - len(line)), self.spilled)

    def make_side(self, b, hidden):
        return b"".join(struct.pack("<QQQII", b, bucket, count, key, 0)
                        for (key, bucket), count in sorted(hidden.items()))

    def count(self, digest):
        b, rest = divmod(digest * self.num_blocks, 1 << 64)
        key = max(1, rest >> 64 - self.bits)
        return sum(count for (other, _), count in self.blocks[b].items() if other == key)


# --- All of them.

CLASSES = {PLANES: Planes, RUNS: Runs, SLOTS16: Slots16, DENSE: Dense}


def read_store(file, store, classes=None, may_be_unsized=False):
    classes = classes or CLASSES
    numbers = file.take("numbers", store, 40)
    fields = numbers.unpack("<4IQQd")
    known(numbers.at, "the encoding", fields[0], classes)
    found = classes[fields[0]](file, numbers, store, fields)
    numbers.require(found.is_sized() or may_be_unsized and not any(numbers.bytes[24:]), "capacity and rate", 24)
    return found


def mean_over_load(num_keys, share, f):
    """The mean of f over Binomial(num_keys, share)."""
    if share >= 1:
        return f(num_keys)
    if num_keys * share > 4096:
        return f(math.floor(num_keys * share))
    total = mean = 0.0
    for i in range(num_keys + 1):
        log_weight = (math.lgamma(num_keys + 1) - math.lgamma(i + 1) - math.lgamma(num_keys - i + 1) +
                      i * math.log(share) + (num_keys - i) * math.log1p(-share))
        weight = math.exp(log_weight)
        total, mean = total + weight, mean + weight * f(i)
        if i > num_keys * share and weight < 1e-20:
            break
    return mean / total
