#!/usr/bin/env python3
"""A reader of Trommel files that follows FORMAT.md: comments name its sections.

    read_sample.py FILE [KIND NAME]...   describes a file, and says how often keys are in at most;
                                         KIND is text, u64, i32, digest (hex) or tuple (0=a,2=b)
    read_sample.py --check [FOLDER]      checks a folder of samples against answers.txt in it, and the
                                         hex dumps of FORMAT.md above it; fingerprints are asked twice,
                                         once by the block that a key has in the file alone

The key of a file with secret digests is read from the file of its name that ends in .key.
Python's standard library is all it needs. Exit status: 0 good, 1 refused or wrong.
"""

import math
import pathlib
import re
import struct
import sys

sys.dont_write_bytecode = True  # the folder of samples stays as it is

from digests import siphash13, u32, u64, xxh3, xxh64  # noqa: E402

XXH64, XXH3, CALLER, SIPHASH = range(4)
PLANES, RUNS, FINGERPRINTS16, FINGERPRINTS8 = range(4)
COUNTING, SCALABLE, WINDOW, ATTRIBUTES = 1, 2, 3, 6

TYPES = {1: (COUNTING, SCALABLE, ATTRIBUTES),
         2: (COUNTING, SCALABLE, WINDOW, ATTRIBUTES), 3: (SCALABLE,)}  # by version
AUTOMATIC = 255

HEADER_BYTES = 256
PAGE = 4096
MAX_KEYS = (1 << 63) - 1
MAX_CAPACITY = 1 << 40
MAGIC = bytes.fromhex("8954524d0d0a1a0a")


class Refused(Exception):
    """The file is corrupt, or none of ours."""


class Unknown(Exception):
    """A later library wrote the file."""


def require(holds, what):
    if not holds:
        raise Refused(what)


def round_up(number, unit):
    return (number + unit - 1) // unit * unit


def f64(data, at):
    return struct.unpack_from("<d", data, at)[0]


def require_zeros(data, begin, end):
    require(begin <= end <= len(data) and not any(data[begin:end]), f"bytes {begin} to {end}: not zero")


# --- Sections 2 and 3: what all files share.


def read_start(data, types, version=1):
    """The file's type, its digest policy, and its 256 bytes of header."""
    require(data[:8] == MAGIC, "not a Trommel file")
    if len(data) >= 12 and u32(data, 8) not in (1, 2, 3):
        raise Unknown(f"version {u32(data, 8)}")
    require(len(data) >= HEADER_BYTES, "the file ends within its header")
    header = data[:HEADER_BYTES]
    require(xxh3(header[:248]) == u64(header, 248), "checksum of the header")
    require(u32(header, 12) == HEADER_BYTES, "size of the header")
    kind, digest_kind = u32(header, 16), u32(header, 20)
    if kind not in TYPES[u32(header, 8)]:
        raise Unknown(f"type {kind}")
    if digest_kind > SIPHASH:
        raise Unknown(f"digest kind {digest_kind}")
    require(kind in types, f"a file of type {kind}, not of {types}")
    require(u32(header, 8) == version, f"a file of version {u32(header, 8)}, not of {version}")
    return kind, (digest_kind, u64(header, 24)), header


def digest_of(policy, key_bytes, secret):
    kind, seed = policy
    require(kind != CALLER, "this filter takes digests only")
    if kind == SIPHASH:
        require(secret is not None, "this filter needs its key")
        return siphash13(secret, key_bytes)
    return xxh64(key_bytes, seed) if kind == XXH64 else xxh3(key_bytes, seed)


def check_secret(policy, secret):
    if secret is not None:
        require(policy[0] == SIPHASH, "a key was given, and the file's digest takes none")
        require(siphash13(secret, b"trommel digest key check") == policy[1], "the wrong key")


def check_request(header, at):
    """Capacity and rate that were asked for, at `at` and the 8 bytes behind it."""
    capacity, rate = u64(header, at), f64(header, at + 8)
    is_sized = 1 <= capacity <= MAX_CAPACITY and 1e-6 <= rate <= 0.5
    require(is_sized or not any(header[at:at + 16]), "capacity and rate")
    return capacity, rate


class Section:
    def __init__(self, data, header, at, offset, num_bytes):
        require(u64(header, at) == offset and u64(header, at + 8) == num_bytes, f"section at {at}")
        self.bytes = data[offset:offset + num_bytes]
        require(len(self.bytes) == num_bytes, f"section at {at}: beyond the file")
        require(xxh3(self.bytes) == u64(header, at + 16), f"section at {at}: checksum")


# --- Section 4: counting filters.

SALTS = [int(salt, 16) for salt in
         "47b6137b 44974d91 8824ad5b a2b7289d 705495c7 2df1424b 9efc4947 5c6bfb31".split()]
WIDE_SALT = 0xE7755B8FC9F1067B
SLICES = {PLANES: (8,), RUNS: (4, 5, 8, 10)}
RUN_KEYS = {4: 63, 5: 37, 8: 31, 10: 37}


def position(digest, s, k):
    low = digest & 0xFFFFFFFF
    if k == 8:
        return (low * SALTS[s] & 0xFFFFFFFF) >> 27
    if s < 5:
        return low >> 6 * s & 63
    return (low * WIDE_SALT & (1 << 64) - 1) >> 34 + 6 * (s - 5) & 63


class Counting:
    def __init__(self, data):
        _, self.policy, header = read_start(data, (COUNTING,))
        self.k, self.encoding, self.shard_bits = (u32(header, at) for at in (32, 36, 40))
        if self.encoding > RUNS:
            raise Unknown(f"encoding {self.encoding}")
        if (self.encoding, self.k) == (PLANES, 16):
            raise Unknown("planes of 16 slices")
        require(self.k in SLICES[self.encoding], f"{self.k} slices")
        self.m = 32 if self.k == 8 else 64
        self.num_blocks = u64(header, 48)
        require(1 <= self.num_blocks < 1 << 31, "number of blocks")
        require(self.shard_bits <= 30 and self.num_blocks % (1 << self.shard_bits) == 0, "shard bits")
        require_zeros(header, 44, 48)
        require_zeros(header, 168, 248)
        self.capacity, self.rate = check_request(header, 56)
        self.num_keys = u64(header, 72)
        require(self.num_keys <= MAX_KEYS, "number of keys")
        require(u64(header, 160) == len(data), "size of the file")
        self.read_sections(data, header)
        self.read_blocks()
        require(self.read_side_table() == u64(header, 80), "entries of the side table")
        sums = [sum(counters[:self.m]) for counters in self.blocks]
        require(sum(sums) == self.num_keys, "keys in the blocks")

    def read_sections(self, data, header):
        is_runs = self.encoding == RUNS
        presence_bytes = 0 if is_runs else 4 * self.k * self.num_blocks
        self.block_bytes = (128 if self.k == 10 else 64) if is_runs else 12 * self.k
        counts_at = round_up(PAGE + presence_bytes, PAGE)
        counts_bytes = self.num_blocks * self.block_bytes
        side_at = round_up(counts_at + counts_bytes, 64)
        require(side_at <= len(data), "blocks beyond the file")
        self.presence = Section(data, header, 88, PAGE, presence_bytes).bytes
        self.counts = Section(data, header, 112, counts_at, counts_bytes).bytes
        self.side = Section(data, header, 136, side_at, len(data) - side_at).bytes
        require_zeros(data, HEADER_BYTES, PAGE)
        require_zeros(data, PAGE + presence_bytes, counts_at)
        require_zeros(data, counts_at + counts_bytes, side_at)

    def read_blocks(self):
        """Presence words and counters of all blocks; counters None: promoted."""
        self.words, self.blocks = [], []
        read = self.read_runs if self.encoding == RUNS else self.read_planes
        for b in range(self.num_blocks):
            words, counters = read(b)
            self.words.append(words)
            self.blocks.append(counters)

    def read_planes(self, b):  # 4.4
        k = self.k
        words = struct.unpack_from(f"<{k}I", self.presence, 4 * k * b)
        planes = struct.unpack_from(f"<{3 * k}I", self.counts, 12 * k * b)
        if all(planes[p * k] == 0xFFFFFFFF for p in range(3)):
            require(not any(plane for i, plane in enumerate(planes) if i % k != 0),
                    f"block {b}: promoted, and has counts")
            return words, None
        counters = []
        for s in range(k):
            of_slice = [planes[p * k + s] for p in range(3)]
            require(not any(plane & ~words[s] for plane in of_slice), f"block {b}: stray counts")
            counters += [sum((plane >> i & 1) << p for p, plane in enumerate(of_slice)) + 1
                         if words[s] >> i & 1 else 0 for i in range(32)]
        self.require_equal_sums(b, counters)
        return words, counters

    def read_runs(self, b):  # 4.5
        k, block = self.k, self.counts[self.block_bytes * b:self.block_bytes * (b + 1)]
        words = struct.unpack_from(f"<{k}{'I' if self.m == 32 else 'Q'}", block)
        behind = block[k * self.m // 8:]
        if k in (4, 8):
            strings = struct.unpack_from(f"<{k}{'Q' if k == 4 else 'I'}", behind)
            unused = 0
        else:
            high = int.from_bytes(behind[4 * k:], "little")
            strings = [u32(behind, 4 * s) | (high >> 6 * s & 63) << 32 for s in range(k)]
            unused = high >> 6 * k
        if words[0] != 0 and strings[0] == 0:
            require(not any(behind), f"block {b}: promoted, and has counts")
            return words, None
        require(unused == 0, f"block {b}: bits between its strings")
        if not any(block):
            return words, [0] * (k * self.m)
        n = strings[0].bit_length() - 1
        counters = []
        for word, string in zip(words, strings):
            ones = [i for i in range(64) if string >> i & 1]
            require(n > 0 and string & 1 and ones[-1] == n, f"block {b}: a string's end")
            present = [i for i in range(self.m) if word >> i & 1]
            require(len(ones) == len(present) + 1, f"block {b}: runs and presence")
            of_slice = [0] * self.m
            for r, i in enumerate(present):
                of_slice[i] = ones[r + 1] - ones[r]
            counters += of_slice
        return words, counters

    def require_equal_sums(self, b, counters):
        sums = {sum(counters[s * self.m:(s + 1) * self.m]) for s in range(self.k)}
        require(len(sums) == 1 and max(sums) <= MAX_KEYS, f"block {b}: slices of other keys")

    def read_side_table(self):  # 4.6
        at, last, num_entries, k, m = 0, -1, 0, self.k, self.m
        while at < len(self.side):
            require(at + 16 <= len(self.side), "the side table ends within an entry")
            b, width = u64(self.side, at), u32(self.side, at + 8)
            require(last < b < self.num_blocks, "the side table's blocks")
            require(width in (1, 2, 4, 8) and u32(self.side, at + 12) == 0, "an entry's width")
            end = at + 16 + k * m * width
            require(end <= len(self.side), "the side table ends within an entry")
            counters = [int.from_bytes(self.side[i:i + width], "little")
                        for i in range(at + 16, end, width)]
            least = next(w for w in (1, 2, 4, 8) if max(counters) < 1 << 8 * w)
            require(width == least, f"block {b}: width")
            require(self.blocks[b] is None, f"block {b}: not marked as promoted")
            if self.encoding == PLANES:
                fits = max(counters) <= 8 and set(counters[:m]) != {8}
            else:
                fits = sum(counters[:m]) <= RUN_KEYS[k]
            require(not fits, f"block {b}: fits its encoding")
            self.require_equal_sums(b, counters)
            presence = [sum((counters[s * m + i] > 0) << i for i in range(m)) for s in range(k)]
            require(presence == list(self.words[b]), f"block {b}: presence of a promoted block")
            self.blocks[b] = counters
            at, last, num_entries = end, b, num_entries + 1
        require(None not in self.blocks, "a promoted block without an entry")
        return num_entries

    def geometry(self):
        return self.k, self.encoding, self.shard_bits, self.num_blocks

    def num_present(self):
        return sum(bin(word).count("1") for words in self.words for word in words)

    def count(self, digest):  # 4.7
        counters = self.blocks[(digest >> 32) * self.num_blocks >> 32]
        return min(counters[s * self.m + position(digest, s, self.k)] for s in range(self.k))

    def describe(self):
        return (f"counting filter, {'planes' if self.encoding == PLANES else 'runs'}, "
                f"{self.num_blocks} blocks of {self.k} slices, {self.num_keys} keys")


# --- Section 5: files of several counting filters.


class Family:
    """Header, table and members of types 2 and 3."""

    def __init__(self, data, kind, num_params, num_words, version=1):
        _, self.policy, header = read_start(data, (kind,), version)
        self.params = struct.unpack_from("<16Q", header, 32)
        require(not any(self.params[num_params:]), "unused parameters")
        require_zeros(header, 184, 248)
        require(u64(header, 160) == len(data), "size of the file")
        n = u64(header, 168)
        require(n <= 4096 and HEADER_BYTES + 64 * n <= len(data), "number of members")
        table = data[HEADER_BYTES:HEADER_BYTES + 64 * n]
        require(xxh3(table) == u64(header, 176), "checksum of the table")
        self.words, self.members = [], []
        end = HEADER_BYTES + len(table)
        for i in range(n):
            offset, num_bytes, *words = struct.unpack_from("<8Q", table, 64 * i)
            require(offset == round_up(end, PAGE) and offset + num_bytes <= len(data),
                    f"place of member {i}")
            require_zeros(data, end, offset)
            require(not any(words[num_words:]), f"unused words of member {i}")
            end = offset + num_bytes
            has_fingerprints = version == 3 and u32(data[offset:end].ljust(12, b"\0"), 8) == 2
            member = (Fingerprints if has_fingerprints else Counting)(data[offset:end])
            require(member.policy == self.policy, f"digest of member {i}")
            self.words.append(words)
            self.members.append(member)
        require(end == len(data), "bytes behind the last member")
        self.num_keys = sum(member.num_keys for member in self.members)

    def f64_param(self, i):
        return struct.unpack("<d", struct.pack("<Q", self.params[i]))[0]

    def describe(self):
        lines = [f"{type(self).__name__.lower()} filter, {len(self.members)} members, "
                 f"parameters {self.params}"]
        return "\n".join(lines + [f"  words {words}: {member.describe()}"
                                  for words, member in zip(self.words, self.members)])


# --- Section 6: scalable filters.


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


def predicted_rate(k, num_blocks, num_keys):
    m = 32 if k == 8 else 64

    def f(i):
        g = -math.expm1(i * math.log1p(-1 / m))
        same_half = -math.expm1(i * math.log1p(-(2.0 ** -32)))
        return g ** k if k * math.log2(m) <= 32 else g ** k + (1 - g ** k) * same_half

    q, r = divmod(1 << 32, num_blocks)
    return sum(blocks * owned / 2 ** 32 * mean_over_load(num_keys, owned / 2 ** 32, f)
               for blocks, owned in ((r, q + 1), (num_blocks - r, q)) if blocks > 0)


def predicted_rate_of_fingerprints(encoding, key_bits, num_blocks, num_keys):
    def f(i):
        once, twice = (-math.expm1(i * math.log1p(-n / 2 ** key_bits)) for n in (1, 2))
        return once if encoding == FINGERPRINTS8 else (252 * once + 4 * twice) / 256

    return mean_over_load(num_keys, 1 / num_blocks, f)


class Scalable(Family):
    FACTOR = 1 + 1e-6

    def __init__(self, data):
        version = 3 if len(data) >= 12 and u32(data, 8) == 3 else 1
        super().__init__(data, SCALABLE, 8, 2, version)
        (mode, self.first_capacity, _, self.max_capacity, self.growth, _, self.k,
         self.encoding) = self.params[:8]
        self.target, self.tightening = self.f64_param(2), self.f64_param(5)
        encodings = (PLANES, RUNS) if version == 1 else (FINGERPRINTS16, FINGERPRINTS8, AUTOMATIC)
        if mode == 1:
            raise Unknown("mode 1")
        require(mode == 0 and self.encoding in encodings, "mode or encoding")
        require(1 <= self.first_capacity <= MAX_CAPACITY, "capacity of the first generation")
        require(self.max_capacity <= MAX_CAPACITY, "largest capacity")
        require(1 <= self.growth <= 16 and 0.1 <= self.tightening <= 0.95, "growth")
        require(1e-6 <= self.target <= 0.5, "target rate")
        of_slices = RUNS if self.encoding == AUTOMATIC else self.encoding
        require(self.k in (SLICES[of_slices] if of_slices <= RUNS else (0,)), "slices")
        require(self.target * (1 - self.tightening) >= 1e-6, "the first slot's budget")
        if self.max_capacity != 0:
            require(self.reach() >= self.max_capacity, "the largest capacity is out of reach")
        require(1 <= len(self.members) <= 250, "number of generations")
        require(self.num_keys <= MAX_KEYS, "number of keys")
        for i, member in enumerate(self.members):
            self.check_member(i, member)

    def slot(self, i):
        """Capacity and budget; None: there is no such slot."""
        if i >= 250:
            return None
        enough = self.max_capacity or MAX_CAPACITY
        capacity, total = self.first_capacity, 0
        for _ in range(i):
            total, capacity = total + capacity, capacity * self.growth
            if total >= enough or capacity > MAX_CAPACITY:
                return None
        budget = self.target * (1 - self.tightening) * self.tightening ** i
        return (capacity, budget) if budget >= 1e-6 else None

    def reach(self):
        total, i = 0, 0
        while slot := self.slot(i):
            total, i = total + slot[0], i + 1
        return total

    def check_member(self, i, member):
        slot_idx, load = self.words[i][:2]
        slot = self.slot(slot_idx)
        require(slot is not None, f"member {i}: slot")
        require(all(words[0] != slot_idx for words in self.words[:i]), f"member {i}: slot taken")
        is_fingerprints = isinstance(member, Fingerprints)
        require(is_fingerprints and self.encoding in (member.encoding, AUTOMATIC) or
                not is_fingerprints and member.k == self.k and
                member.encoding == (RUNS if self.encoding == AUTOMATIC else self.encoding),
                f"member {i}: shape")
        require(member.shard_bits >= 6, f"member {i}: shard bits")
        capacity, budget = slot
        require(member.capacity == capacity, f"member {i}: capacity")
        require(budget / self.FACTOR <= member.rate <= budget * self.FACTOR, f"member {i}: rate")
        if is_fingerprints:
            predicted = predicted_rate_of_fingerprints(member.encoding, member.key_bits,
                                                       member.num_blocks, member.capacity)
            least_load = sum(map(len, member.blocks))
        else:
            predicted = predicted_rate(member.k, member.num_blocks, member.capacity)
            least_load = -(-member.num_present() // self.k)
        require(predicted <= member.rate * self.FACTOR, f"member {i}: predicted rate")
        require(member.num_keys > 0 or i + 1 == len(self.members), f"member {i}: empty")
        require(least_load <= load <= member.num_keys, f"member {i}: load")

    def count(self, digest):
        counts = (member.count(digest) for member in self.members)
        return next((count for count in counts if count > 0), 0)


# --- Section 7: window filters.


class Window:
    """A block is read as a dict from (fingerprint, bucket) to copies; what these make must
    be the group."""

    LINE_ENTRIES = 14

    def __init__(self, data):
        _, self.policy, header = read_start(data, (WINDOW,), 2)
        self.bits, erasable, shard_bits, n = (u32(header, at) for at in (32, 36, 40, 44))
        if self.bits not in (12, 16):
            raise Unknown(f"fingerprints of {self.bits} bits")
        require(erasable <= 1, "neither erasable nor not")
        self.num_slots = 32 if self.bits == 12 else 21
        self.num_blocks, capacity, window, now = (u64(header, at) for at in (48, 56, 72, 80))
        require(1 <= self.num_blocks < 1 << 31, "number of blocks")
        unit = 64 if shard_bits > 0 else 1
        require(shard_bits <= 30 and self.num_blocks % (unit << shard_bits) == 0, "shard bits")
        require(window >= 1 and 1 <= n <= min(64 if self.bits == 16 else 12, window), "window or buckets")
        require(1 <= capacity <= MAX_CAPACITY, "capacity")
        require(1.6e-5 <= f64(header, 64) <= 0.5, "target rate")
        require_zeros(header, 192, 248)
        require(u64(header, 160) == len(data), "size of the file")
        self.current = now * n // window
        self.first = max(0, self.current - n)
        self.read_sections(data, header)
        self.read_side_table()
        self.blocks = []
        for first in range(0, self.num_blocks, 64):
            self.read_group(range(first, min(first + 64, self.num_blocks)))
        self.check_keys(erasable == 1)

    def read_sections(self, data, header):
        blocks_end = PAGE + 64 * self.num_blocks
        lines_at = round_up(blocks_end, PAGE)
        lines_end = lines_at + 64 * -(-self.num_blocks // 64)
        keys_at = round_up(lines_end, 64)
        keys_end = keys_at + 8 * (self.current - self.first + 1)
        side_at = round_up(keys_end, 64)
        require(side_at <= len(data), "sections beyond the file")
        self.words = Section(data, header, 88, PAGE, blocks_end - PAGE).bytes
        self.lines = Section(data, header, 112, lines_at, lines_end - lines_at).bytes
        self.keys = Section(data, header, 168, keys_at, keys_end - keys_at).bytes
        self.side_bytes = Section(data, header, 136, side_at, len(data) - side_at).bytes
        for begin, end in ((HEADER_BYTES, PAGE), (blocks_end, lines_at), (lines_end, keys_at),
                           (keys_end, side_at)):
            require_zeros(data, begin, end)

    def read_side_table(self):
        require(len(self.side_bytes) % 32 == 0, "the side table ends within an entry")
        self.side, last = {}, None
        for b, bucket, count, key, zero in struct.iter_unpack("<QQQII", self.side_bytes):
            require(b < self.num_blocks and zero == 0 and 1 <= count <= MAX_KEYS, "an entry of the side table")
            require(last is None or last < (b, key, bucket), "order of the side table")
            self.side.setdefault(b, {})[key, bucket] = count
            last = b, key, bucket

    def slots_of(self, words):
        if self.bits == 12:
            return [(slot >> 4, slot & 15) for slot in struct.unpack("<32H", words)]
        return list(zip(struct.unpack("<21H", words[:42]), words[42:63]))

    def words_of(self, slots):
        slots = slots + [(0, 0)] * (self.num_slots - len(slots))
        if self.bits == 12:
            return struct.pack("<32H", *(key << 4 | stamp for key, stamp in slots))
        return struct.pack("<21H", *(key for key, _ in slots)) + bytes(stamp for _, stamp in slots) + b"\0"

    def read_group(self, group):
        line = self.lines[group[0]:group[0] + 64]
        entries = [(word & 0xFFFF, word >> 16 & 0xFF, word >> 24) for word in struct.unpack("<14I", line[:56])]
        made_entries, made_spilled = [], 0
        for b in group:
            block = dict(self.side.get(b, {}))
            words = self.words[64 * b:64 * b + 64]
            shown = [slot for slot in self.slots_of(words) if slot[0] != 0]
            shown += [(key, stamp) for key, home, stamp in entries if key != 0 and home == b % 64]
            for key, stamp in shown:
                block[key, self.first + stamp] = block.get((key, self.first + stamp), 0) + 1
            require(all(0 < key < 1 << self.bits and self.first <= bucket <= self.current
                        for key, bucket in block), f"block {b}: a fingerprint or its bucket")
            youngest = {}
            for key, bucket in sorted(block):
                youngest[key] = bucket
            made = [(key, bucket - self.first) for key, bucket in sorted(youngest.items())]
            slots, others = made[:self.num_slots], made[self.num_slots:]
            if len(made_entries) + len(others) <= self.LINE_ENTRIES:
                made_entries += [(key, b % 64, stamp) for key, stamp in others]
                others = []
            made_spilled |= (1 if others else 0) << b % 64
            require(self.words_of(slots) == words, f"block {b}: not what its keys make")
            side = dict(block)
            for key, stamp in made:
                if (key, stamp) not in others:
                    side[key, self.first + stamp] -= 1
            side = {copies: count for copies, count in side.items() if count > 0}
            require(side == self.side.get(b, {}), f"block {b}: its side table is not what its keys make")
            self.blocks.append(block)
        words = [key | home << 16 | stamp << 24 for key, home, stamp in made_entries]
        made_line = struct.pack("<14IQ", *(words + [0] * (self.LINE_ENTRIES - len(words))), made_spilled)
        require(made_line == line, f"line of block {group[0]}: not what its keys make")

    def check_keys(self, erasable):
        keys = struct.unpack(f"<{len(self.keys) // 8}Q", self.keys)
        self.num_keys = sum(keys)
        require(self.num_keys <= MAX_KEYS, "number of keys")
        held = [0] * len(keys)
        for block in self.blocks:
            for (_, bucket), count in block.items():
                held[bucket - self.first] += count
                require(erasable or count == 1, "copies in a filter that is not erasable")
            require(erasable or len({key for key, _ in block}) == len(block), "a fingerprint of two buckets")
        require(all(a == b if erasable else a >= b for a, b in zip(keys, held)), "keys of a bucket")

    def count(self, digest):
        b, rest = divmod(digest * self.num_blocks, 1 << 64)
        key = max(1, rest >> 64 - self.bits)
        return sum(count for (other, _), count in self.blocks[b].items() if other == key)

    def describe(self):
        return (f"window filter, slots of {16 if self.bits == 12 else 24} bits, {self.num_blocks} blocks, "
                f"buckets {self.first} to {self.current}, {self.num_keys} keys")


# --- Section 10: attribute filters.

MOST_SETS = 1 << 16


class Attributes:
    def __init__(self, data):
        version = u32(data, 8)
        _, self.policy, header = read_start(data, (ATTRIBUTES,), version)
        d, num_cuts = u32(header, 32), u32(header, 36)
        num_sets, self.num_tuples, front_bytes = (u64(header, at) for at in (40, 48, 56))
        if version == 1:
            require(1 <= d <= 16 and num_cuts <= 12870 and num_sets < 1 << d, "attributes, cuts or sets")
            require_zeros(header, 80, 88)
            is_list, self.most, cut_bytes = 0, d, 4
        else:
            is_list, self.most, cut_bytes = u32(header, 80), u32(header, 84), 8
            if is_list > 1:
                raise Unknown(f"form of the sets {is_list}")
            require(1 <= self.most <= d <= 64 and num_sets <= MOST_SETS, "attributes, limit or sets")
            require(is_list == 0 or num_cuts == 0, "cuts of a list")
            require(is_list or self.most < d or d > 16, "this is what version 1 is for")
        require_zeros(header, 88, 248)
        require(u64(header, 72) == len(data), "size of the file")
        front = data[HEADER_BYTES:HEADER_BYTES + front_bytes]
        names_at = 24 * num_sets + cut_bytes * num_cuts
        require(len(front) == front_bytes >= names_at, "size of the front")
        require(xxh3(front) == u64(header, 64), "checksum of table, cuts and names")
        self.cuts = [int.from_bytes(front[at:at + cut_bytes], "little")
                     for at in range(24 * num_sets, names_at, cut_bytes)]
        self.check_cuts(d)
        self.allowed = self.list_of(front, num_sets, d) if is_list else self.without_cuts(d)
        require(num_sets == len(self.allowed), "number of sets")
        self.read_names(front[names_at:], d)
        self.read_filters(data, front)

    def list_of(self, front, num_sets, d):
        listed = [u64(front, 24 * i + 16) for i in range(num_sets)]
        require(all(0 < s < 1 << d for s in listed), "a listed set")
        require(all(a < b for a, b in zip(listed, listed[1:])), "order of the list")
        require(all(any(s >> a & 1 for s in listed) for a in range(d)), "an attribute in no set")
        require(self.most == max(bin(s).count("1") for s in listed), "attributes of the largest set")
        return listed

    def without_cuts(self, d):
        allowed, of_size = [], [0]
        for _ in range(self.most):  # each set grows by the attributes above its last one
            of_size = [s | 1 << a for s in of_size for a in range(s.bit_length(), d)
                       if not any((s | 1 << a) & cut == cut for cut in self.cuts)]
            allowed += of_size
            require(len(allowed) <= MOST_SETS, "too many sets")
        return sorted(allowed)

    def check_cuts(self, d):
        require(all(bin(cut).count("1") <= self.most for cut in self.cuts), "a cut over the limit")
        require(all(bin(cut).count("1") >= 2 and cut >> d == 0 for cut in self.cuts), "a cut")
        require(all(a < b for a, b in zip(self.cuts, self.cuts[1:])), "order of cuts")
        require(not any(a != b and a & b == a for a in self.cuts for b in self.cuts),
                "a cut within another")

    def read_names(self, names, d):
        self.names = []
        for _ in range(d):
            require(len(names) > 0 and 1 <= names[0] < len(names), "a name")
            self.names.append(names[1:1 + names[0]])
            names = names[1 + names[0]:]
        require(not names and len(set(self.names)) == d, "names")

    def read_filters(self, data, front):
        self.filters = {}
        end = HEADER_BYTES + len(front)
        for i, wanted in enumerate(self.allowed):
            offset, num_bytes, found = struct.unpack_from("<QQQ", front, 24 * i)
            require(found == wanted, f"set {i}")
            require(offset == round_up(end, PAGE) and offset + num_bytes <= len(data), f"place of set {i}")
            require_zeros(data, end, offset)
            end = offset + num_bytes
            of_set = Scalable(data[offset:end])
            require(of_set.policy == (CALLER, 0), f"digest of set {i}")
            require((of_set.max_capacity, of_set.growth, of_set.tightening) == (0, 2, 0.8),
                    f"growth of set {i}")
            require(of_set.encoding not in (FINGERPRINTS16, FINGERPRINTS8), f"encoding of set {i}")
            require(of_set.num_keys == self.num_tuples, f"tuples of set {i}")
            self.filters[wanted] = of_set
        require(end == len(data), "bytes behind the last filter")

    def count_tuple(self, digests):
        """How many tuples match at most; `digests` of values, by attribute."""
        asked = sum(1 << a for a in digests)
        within = [s for s in self.allowed if s & ~asked == 0]
        parts = [s for s in within if not any(s != t and s & t == s for t in within)]
        counts = [self.num_tuples]
        for part in parts:
            of_part = [digests[a] for a in range(64) if part >> a & 1]
            digest = of_part[0] if len(of_part) == 1 else xxh3(struct.pack(f"<{len(of_part)}Q", *of_part), part)
            counts.append(self.filters[part].count(digest))
        return min(counts)

    def describe(self):
        return (f"attribute filter, {self.num_tuples} tuples of {self.names}, "
                f"cuts {self.cuts}, at most {self.most} together\n" +
                "\n".join(f"set {s}: {one.describe()}" for s, one in self.filters.items()))


# --- Section 16: counting filters of fingerprints (version 2).

KEY_BITS = {FINGERPRINTS16: (8, 16), FINGERPRINTS8: (8, 14)}
LINE_MARK, SPILL_MARK, COPIES_MARK = 0xFFFF, 0x00FF, 0x01FF
GROUP = 64
LINE_ENTRIES = 18


class Fingerprints:
    """A block is read as a dict from key to count; what these counts make must be the block."""

    def __init__(self, data):
        _, self.policy, header = read_start(data, (COUNTING,), 2)
        self.key_bits, self.encoding, self.shard_bits, code = (u32(header, at) for at in (32, 36, 40, 44))
        if self.encoding not in KEY_BITS:
            raise Unknown(f"encoding {self.encoding}")
        if code != 0:
            raise Unknown(f"code {code}")
        least, most = KEY_BITS[self.encoding]
        require(least <= self.key_bits <= most, f"keys of {self.key_bits} bits")
        self.is_wide = self.encoding == FINGERPRINTS16
        self.num_blocks = u64(header, 48)
        require(1 <= self.num_blocks < 1 << 31, "number of blocks")
        unit = GROUP if self.is_wide and self.shard_bits > 0 else 1
        require(self.shard_bits <= 30 and self.num_blocks % (unit << self.shard_bits) == 0, "shard bits")
        require_zeros(header, 168, 248)
        self.capacity, self.rate = check_request(header, 56)
        self.num_keys = u64(header, 72)
        require(self.num_keys <= MAX_KEYS, "number of keys")
        require(u64(header, 160) == len(data), "size of the file")
        self.read_sections(data, header)
        self.read_side_table()
        require(len(self.hidden) == u64(header, 80), "entries of the side table")
        self.blocks = []
        for first in range(0, self.num_blocks, GROUP):
            self.read_group(range(first, min(first + GROUP, self.num_blocks)))
        require(sum(sum(block.values()) for block in self.blocks) == self.num_keys, "keys in the blocks")

    def read_sections(self, data, header):  # 16.2
        blocks_end = PAGE + 64 * self.num_blocks
        lines_at = round_up(blocks_end, PAGE)
        lines_end = lines_at + (64 * -(-self.num_blocks // GROUP) if self.is_wide else 0)
        side_at = round_up(lines_end, 64)
        require(side_at <= len(data), "blocks beyond the file")
        self.words = Section(data, header, 88, PAGE, blocks_end - PAGE).bytes
        self.lines = Section(data, header, 112, lines_at, lines_end - lines_at).bytes
        self.side = Section(data, header, 136, side_at, len(data) - side_at).bytes
        require_zeros(data, HEADER_BYTES, PAGE)
        require_zeros(data, blocks_end, lines_at)
        require_zeros(data, lines_end, side_at)

    def read_side_table(self):  # 16.6
        self.hidden, at, last = {}, 0, -1
        while at < len(self.side):
            require(at + 16 <= len(self.side), "the side table ends within an entry")
            b, n, zero = struct.unpack_from("<QII", self.side, at)
            require(last < b < self.num_blocks and zero == 0, "the side table's blocks")
            require(n > 0 and at + 16 + 16 * n <= len(self.side), f"block {b}: hidden keys")
            keys = [struct.unpack_from("<IIQ", self.side, at + 16 + 16 * i) for i in range(n)]
            require(all(zero == 0 and 1 <= count <= MAX_KEYS for _, zero, count in keys),
                    f"block {b}: a hidden key's count")
            require(all(a[0] < b[0] for a, b in zip(keys, keys[1:])), f"block {b}: order of hidden keys")
            self.hidden[b] = {key: count for key, _, count in keys}
            at, last = at + 16 + 16 * n, b

    def read_group(self, group):
        line = self.line_of(group[0])
        contents = []
        for b in group:
            words = self.words[64 * b:64 * b + 64]
            shown, hides = self.read_wide(b, words, line) if self.is_wide else self.read_narrow(b, words)
            require(hides == (b in self.hidden), f"block {b}: mark and side table")
            block = {}
            for key, count in [(key, 1) for key in shown] + list(self.hidden.get(b, {}).items()):
                require(self.is_key(key), f"block {b}: {key:#x} is no key")
                block[key] = block.get(key, 0) + count
            contents.append(block)
        self.blocks += contents
        made_line = bytearray()  # 2 bytes of key and 1 of home for each entry
        for b, block in zip(group, contents):
            make = self.make_wide if self.is_wide else self.make_narrow
            words, hidden = make(b, block, made_line)
            require(words == self.words[64 * b:64 * b + 64], f"block {b}: not what its keys make")
            require(hidden == self.hidden.get(b, {}), f"block {b}: hidden keys are not what its keys make")
        if self.is_wide:
            keys = b"".join(made_line[i:i + 2] for i in range(0, len(made_line), 3))
            homes = bytes(made_line[2::3])
            made = keys.ljust(36, b"\0") + homes.ljust(28, b"\0")
            require(made == line, f"the line of block {group[0]}: not what the keys make")

    def line_of(self, b):
        return self.lines[b // GROUP * 64:b // GROUP * 64 + 64]

    def is_key(self, key):
        return key >> self.key_bits == 0 and not (self.is_wide and key & 0xFF in (0x00, 0xFF))

    def key(self, rest):  # 16.3
        key = rest >> 64 - self.key_bits
        return key ^ 1 if self.is_wide and key & 0xFF in (0x00, 0xFF) else key

    # Slots of 16 bits: 16.4.

    def read_wide(self, b, words, line):
        slots = struct.unpack("<32H", words)
        mark = slots[31] if slots[31] & 0xFF == 0xFF else 0
        require(mark in (0, LINE_MARK, SPILL_MARK, COPIES_MARK), f"block {b}: mark")
        shown = [slot for slot in slots[:31 if mark else 32] if slot != 0]
        if mark == LINE_MARK:
            entries = zip(struct.unpack_from(f"<{LINE_ENTRIES}H", line), line[36:36 + LINE_ENTRIES])
            shown += [key for key, home in entries if key != 0 and home == b % GROUP]
        return shown, mark in (SPILL_MARK, COPIES_MARK)

    def make_wide(self, b, block, line):
        copies = [key for key in sorted(block) for _ in range(min(block[key], 64))]
        free = LINE_ENTRIES - len(line) // 3
        total = sum(block.values())
        if total <= 32:
            return struct.pack("<32H", *copies, *[0] * (32 - total)), {}
        if total <= 31 + free:
            for key in copies[31:]:
                line += struct.pack("<HB", key, b % GROUP)
            return struct.pack("<32H", *copies[:31], LINE_MARK), {}
        shown = sorted(block)[:31]
        mark = COPIES_MARK if len(block) <= 31 else SPILL_MARK
        return (struct.pack("<32H", *shown, *[0] * (31 - len(shown)), mark),
                self.without(block, shown))

    @staticmethod
    def without(block, shown):
        """What is left when one copy of each shown key is taken."""
        rest = {key: count - (key in shown) for key, count in block.items()}
        return {key: count for key, count in sorted(rest.items()) if count > 0}

    # Slots of 8 bits: 16.5.

    def read_narrow(self, b, words):
        slots, shown = list(words[:48]), []
        bins = struct.unpack_from("<2Q", words, 48)
        promoted = bins[0] >> 63
        require(bins[1] >> 63 == promoted, f"block {b}: promoted in one half")
        for half in range(2):
            string, at = bins[half] & (1 << 63) - 1 ^ 0xFFFFFFFF, 32 * half
            num_bins = bin(string).count("1")
            require(num_bins <= 32 and (promoted or num_bins == 32), f"block {b}: number of bins")
            require(string.bit_length() - num_bins <= 31, f"block {b}: keys of a half")
            for i in range(string.bit_length()):
                if string >> i & 1:
                    at += 1
                else:
                    require(slots, f"block {b}: more than 48 keys")
                    shown.append(at << self.key_bits - 6 | slots.pop(0))
        return shown, promoted == 1

    def make_narrow(self, _, block, __):
        halves = [sum(count for key, count in block.items() if key >> self.key_bits - 1 == half)
                  for half in range(2)]
        promoted = max(halves) > 31 or sum(halves) > 48
        slots, bins, shown = b"", [], set()
        for half in range(2):
            string, of_half = 0, 0
            for i in range(32):
                keys = [key for key in sorted(block) if key >> self.key_bits - 6 == 32 * half + i]
                listed = keys if promoted else [key for key in keys for _ in range(block[key])]
                if of_half + len(listed) > 31 or len(slots) + len(listed) > 48:
                    break
                slots += bytes(key & (1 << self.key_bits - 6) - 1 for key in listed)
                of_half += len(listed)
                string |= 1 << of_half + i
                shown.update(keys)
            bins.append(string ^ 0xFFFFFFFF | promoted << 63)
        return slots.ljust(48, b"\0") + struct.pack("<2Q", *bins), (
            self.without(block, shown) if promoted else {})

    def count(self, digest):  # 16.3
        b, rest = divmod(digest * self.num_blocks, 1 << 64)
        return self.blocks[b].get(self.key(rest), 0)

    # The same from the file's bytes, as they would be in a mapped file.

    def count_in_place(self, data, digest):  # 16.3
        header = data[:HEADER_BYTES]
        b, rest = divmod(digest * u64(header, 48), 1 << 64)
        key = self.key(rest)
        block = u64(header, 88) + 64 * b
        count, hides = (self.count_wide(data, header, block, b, key) if u32(header, 36) == FINGERPRINTS16
                        else self.count_narrow(data, header, block, key))
        return count + (self.count_hidden(data, header, b, key) if hides else 0)

    @staticmethod
    def count_wide(data, header, block, b, key):  # 16.4
        slots = struct.unpack_from("<32H", data, block)
        mark = slots[31] if slots[31] in (LINE_MARK, SPILL_MARK, COPIES_MARK) else 0
        count = slots.count(key)
        if mark == LINE_MARK:
            line = u64(header, 112) + 64 * (b // GROUP)
            keys = struct.unpack_from(f"<{LINE_ENTRIES}H", data, line)
            homes = data[line + 36:line + 36 + LINE_ENTRIES]
            count += list(zip(keys, homes)).count((key, b % GROUP))
        return count, mark in (SPILL_MARK, COPIES_MARK)

    @staticmethod
    def count_narrow(data, header, block, key):  # 16.5
        which, slot = divmod(key, 1 << u32(header, 32) - 6)
        strings = [f"{u64(data, block + at) % (1 << 63) ^ 0xFFFFFFFF:b}"[::-1] for at in (48, 56)]
        ones = [i for i, bit in enumerate(strings[which // 32]) if bit == "1"]
        promoted = u64(data, block + 48) >> 63 == 1
        i = which % 32
        if i >= len(ones):
            return 0, promoted  # the bin is cut
        begin, end = ones[i - 1] + 1 - i if i > 0 else 0, ones[i] - i  # zeros before the bin, and with it
        first = strings[0].count("0") if which >= 32 and "1" in strings[0] else 0
        return data[block + first + begin:block + first + end].count(slot), promoted

    @staticmethod
    def count_hidden(data, header, b, key):  # 16.6
        at, end = u64(header, 136), u64(header, 136) + u64(header, 144)
        while at < end:
            n, keys = u32(data, at + 8), at + 16
            at = keys + 16 * n
            if u64(data, keys - 16) == b:
                return sum(u64(data, i + 8) for i in range(keys, at, 16) if u32(data, i) == key)
        return 0

    def describe(self):
        return (f"counting filter, fingerprints in slots of {16 if self.is_wide else 8} bits, "
                f"{self.num_blocks} blocks, keys of {self.key_bits} bits, {self.num_keys} keys")


# --- Section 17: scalable filters that double (version 2).

SHARDS, SHARD_BITS, SEGMENT_BITS, CODE_BITS = 64, 6, 12, 15
SHARDS_AT = HEADER_BYTES + 64 * SHARDS


class Doubling:
    """A shard is read as a dict from the number of a string to its count."""

    def __init__(self, data):
        _, self.policy, header = read_start(data, (SCALABLE,), 2)
        mode, code, shard_bits, self.first, self.most, zero = struct.unpack_from("<6I", header, 32)
        for name, value, known in (("mode", mode, 2), ("code", code, 1), ("shard bits", shard_bits, SHARD_BITS)):
            if value != known:
                raise Unknown(f"{name} {value}")
        require(7 <= self.first <= 26 and self.most <= min(14, 29 - self.first), "first size and doublings")
        require(zero == 0, "zeros of the header")
        require_zeros(header, 96, 248)
        require(u64(header, 56) <= int(21.5 * 2 ** (SHARD_BITS + self.first + self.most)), "keys that it must hold")
        require(1e-6 <= f64(header, 64) <= 0.5, "rate")
        self.num_keys = u64(header, 72)
        require(self.num_keys <= MAX_KEYS, "number of keys")
        require(u64(header, 80) == len(data) >= SHARDS_AT, "size of the file")
        require(xxh3(data[HEADER_BYTES:SHARDS_AT]) == u64(header, 88), "checksum of the table")
        self.shards, at = [], SHARDS_AT
        for i in range(SHARDS):
            at = self.read_shard(data, HEADER_BYTES + 64 * i, at)
        require(at == len(data), "the file goes on behind its last shard")
        require(sum(sum(shard.values()) for shard in self.shards) == self.num_keys, "keys in the shards")

    def read_shard(self, data, entry, at):  # 17.2
        depth, zero, num_split, num_digests, num_further, num_blocks, num_codes, zeros, checksum = (
            struct.unpack_from("<II7Q", data, entry))
        require(zero == 0 and zeros == 0, "zeros of the table")
        end = at + 8 * num_digests + 16 * num_further + 4 * num_blocks + 2 * num_codes
        require(end <= len(data), "a shard beyond the file")
        require(xxh3(data[at:end]) == checksum, "checksum of a shard")
        require_zeros(data, end, round_up(end, 8))
        digests = struct.unpack_from(f"<{num_digests}Q", data, at)
        at += 8 * num_digests
        further = struct.unpack_from(f"<{2 * num_further}Q", data, at)
        at += 16 * num_further
        sizes = struct.unpack_from(f"<{num_blocks}I", data, at)
        codes = struct.unpack_from(f"<{num_codes}H", data, at + 4 * num_blocks)
        shard = {}
        if depth == 0:
            require(self.first == 7 and num_split == num_blocks == num_codes == 0, "a shard of digests")
            self.add(shard, digests)
            require(all(digest % 64 == 32 for digest in digests), "digests of 58 bits")
        else:
            self.read_blocks(shard, depth, num_split, sizes, codes)
            require(num_digests == 0, "digests beside blocks")
        strings, counts = further[::2], further[1::2]
        require(all(a < b for a, b in zip(strings, strings[1:])), "order of further copies")
        for string, count in zip(strings, counts):
            require(shard.get(string) == 1 and 1 <= count <= MAX_KEYS, "further copies")
            shard[string] += count
        self.shards.append(shard)
        return round_up(end, 8)

    @staticmethod
    def add(shard, strings):
        for a, b in zip(strings, strings[1:]):
            unknown = 2 * max(a & -a, b & -b)  # the bits of the shorter one end above this
            require(a < b and a // unknown != b // unknown, "a string begins another one")
        shard.update((string, 1) for string in strings)

    def read_blocks(self, shard, depth, num_split, sizes, codes):
        segment = min(depth, SEGMENT_BITS)
        require(self.first <= depth <= self.first + self.most, "depth of a shard")
        require(num_split < 1 << depth - segment, "segments that have split")
        require(num_split == 0 or (depth >= SEGMENT_BITS and depth < self.first + self.most), "a split")
        require(len(sizes) == (1 << depth) + (num_split << segment), "number of blocks")
        require(sum(sizes) == len(codes) and (codes or self.first > 7), "number of codes")
        at, num_doubled = 0, num_split << segment + 1
        for b, size in enumerate(sizes):
            block, e = (b, depth + 1) if b < num_doubled else (b - num_doubled // 2, depth)
            own = codes[at:at + size]
            require(all(code and code & -code <= 1 << e - self.first for code in own), "a code's length")
            self.add(shard, [(block << 64 - e) | code << 48 - e for code in own])
            at += size

    def count(self, digest):  # 17.3
        shard, y = self.shards[digest >> 64 - SHARD_BITS], digest << SHARD_BITS & (1 << 64) - 1
        return sum(shard.get(y >> 64 - n << 64 - n | 1 << 63 - n, 0) for n in range(64 - SHARD_BITS + 1))

    def describe(self):
        has_blocks = sum(any(string % 64 != 32 for string in shard) for shard in self.shards)
        return (f"a scalable filter that doubles: {self.num_keys} keys, {has_blocks} of {SHARDS} shards "
                f"have blocks, 2^{self.first} of them at first")


# --- All of them.

CLASSES = {COUNTING: Counting, SCALABLE: Scalable, ATTRIBUTES: Attributes}
CLASSES_OF_2 = {COUNTING: Fingerprints, SCALABLE: Doubling, WINDOW: Window,
                ATTRIBUTES: Attributes}
CLASSES_BY_VERSION = {1: CLASSES, 2: CLASSES_OF_2, 3: {SCALABLE: Scalable}}


# --- Section 19.

METADATA_MAGIC = bytes.fromhex("8954524d4d4554410d0a1a0a01000000")


def without_metadata(data):
    """The snapshot, and the user metadata behind it. Nothing of the header is believed but where the
    snapshot ends, which files of unknown versions and types do not say."""
    require(len(data) >= 256, f"{len(data)} bytes, less than a header")
    version, kind = u32(data, 8), u32(data, 16)
    if kind not in TYPES.get(version, ()):
        return data, b""
    end = u64(data, {ATTRIBUTES: 72}.get(kind, 80 if (kind, version) == (SCALABLE, 2) else 160))
    if len(data) <= end:
        return data, b""
    before = len(data) - 32
    require(before > end and data[-16:] == METADATA_MAGIC, "the file goes on behind its snapshot")
    size = u64(data, before)
    require(size == before - end and size <= 1 << 16, f"{size} bytes of user metadata")
    require(xxh3(data[end:before + 8]) == u64(data, before + 8), "the user metadata's checksum")
    return data[:end], data[end:before]


def read(data, secret=None):
    data, _ = without_metadata(data)
    version = int.from_bytes(data[8:12], "little")
    version = version if version in CLASSES_BY_VERSION else 1
    kind, policy, _ = read_start(data, tuple(CLASSES_BY_VERSION[version]), version)
    found = CLASSES_BY_VERSION[version][kind](data)
    check_secret(policy, secret)
    return found


def read_file(path):
    path = pathlib.Path(path)
    key_path = path.with_suffix(".key")
    secret = key_path.read_bytes() if key_path.exists() else None
    return read(path.read_bytes(), secret), secret


def key_bytes(kind, name):
    if kind == "u64":
        return int(name).to_bytes(8, "little")
    if kind == "i32":
        return int(name).to_bytes(4, "little")
    if kind == "bytes":
        return bytes(i % 251 for i in range(int(name)))
    return name.encode()


def count_of(found, secret, kind, name):
    if kind == "tuple":
        values = (field.split("=", 1) for field in name.split(","))
        return found.count_tuple({int(a): digest_of(found.policy, value.encode(), secret)
                                   for a, value in values})
    if kind == "digest":
        return found.count(int(name, 16))
    return found.count(digest_of(found.policy, key_bytes(kind, name), secret))


def check_answers(folder):
    """Every sample is read, and answers as the library does. Returns the number of answers."""
    asked = {path.name: [] for path in folder.glob("*.trommel")}
    for line in (folder / "answers.txt").read_text().splitlines():
        sample, kind, name, count = line.split(" ")
        asked[sample + ".trommel"].append((kind, name, int(count)))
    for sample, answers in asked.items():
        found, secret = read_file(folder / sample)
        require(answers, f"{sample}: no answers")
        for kind, name, count in answers:
            answer = count_of(found, secret, kind, name)
            require(answer == count, f"{sample}: {kind} {name}: {answer}, not {count}")
            if isinstance(found, Fingerprints):
                digest = (int(name, 16) if kind == "digest"
                          else digest_of(found.policy, key_bytes(kind, name), secret))
                answer = found.count_in_place((folder / sample).read_bytes(), digest)
                require(answer == count, f"{sample}: {kind} {name}: {answer} in place, not {count}")
    return sum(map(len, asked.values()))


def check_damage(folder, num_places=16):
    """A file with a bit changed, cut, or a byte longer is refused. Returns how many were."""
    num_refused = 0
    for path in sorted(folder.glob("*.trommel")):
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
        if title := re.fullmatch(r" {4}([a-z0-9-]+\.trommel)", line):
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
            found, secret = read_file(arguments[0])
            print(found.describe())
            for kind, name in zip(arguments[1::2], arguments[2::2]):
                print(f"{kind} {name}: {count_of(found, secret, kind, name)}")
        else:
            print(__doc__)
            return 1
    except (Refused, Unknown) as error:
        print(f"{'unknown' if isinstance(error, Unknown) else 'refused'}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
