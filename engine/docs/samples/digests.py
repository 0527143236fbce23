"""XXH64, XXH3 (64 bits) and SipHash-1-3 in plain Python: slow, and enough for small files.

XXH64 and XXH3 follow doc/xxhash_spec.md of the xxHash repository, SipHash section 3 of FORMAT.md.
"""

import struct

MASK32 = (1 << 32) - 1
MASK64 = (1 << 64) - 1

PRIME32_1, PRIME32_2, PRIME32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
PRIME64_1, PRIME64_2, PRIME64_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
PRIME64_4, PRIME64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578"
    "825ad07dccff7221b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371"
    "644897a20df94e3819ef46a9deacd8a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c8"
    "9f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e2b"
    "16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")


def u32(data, at):
    return int.from_bytes(data[at:at + 4], "little")


def u64(data, at):
    return int.from_bytes(data[at:at + 8], "little")


def rotl(word, bits):
    return (word << bits | word >> (64 - bits)) & MASK64


# --- XXH64.


def xxh64_avalanche(h):
    h = (h ^ h >> 33) * PRIME64_2 & MASK64
    h = (h ^ h >> 29) * PRIME64_3 & MASK64
    return h ^ h >> 32


def xxh64_round(acc, word):
    return rotl((acc + word * PRIME64_2) & MASK64, 31) * PRIME64_1 & MASK64


def xxh64(data, seed=0):
    at = 0
    if len(data) >= 32:
        acc = [(seed + PRIME64_1 + PRIME64_2) & MASK64, (seed + PRIME64_2) & MASK64, seed,
               (seed - PRIME64_1) & MASK64]
        while len(data) - at >= 32:
            acc = [xxh64_round(a, u64(data, at + 8 * i)) for i, a in enumerate(acc)]
            at += 32
        h = sum(rotl(a, bits) for a, bits in zip(acc, (1, 7, 12, 18))) & MASK64
        for a in acc:
            h = ((h ^ xxh64_round(0, a)) * PRIME64_1 + PRIME64_4) & MASK64
    else:
        h = (seed + PRIME64_5) & MASK64
    h = (h + len(data)) & MASK64
    while len(data) - at >= 8:
        h = (rotl(h ^ xxh64_round(0, u64(data, at)), 27) * PRIME64_1 + PRIME64_4) & MASK64
        at += 8
    if len(data) - at >= 4:
        h = (rotl(h ^ u32(data, at) * PRIME64_1 & MASK64, 23) * PRIME64_2 + PRIME64_3) & MASK64
        at += 4
    for byte in data[at:]:
        h = rotl(h ^ byte * PRIME64_5 & MASK64, 11) * PRIME64_1 & MASK64
    return xxh64_avalanche(h)


# --- XXH3.


def fold(a, b):
    product = a * b
    return (product ^ product >> 64) & MASK64


def xxh3_avalanche(h):
    h = (h ^ h >> 37) * 0x165667919E3779F9 & MASK64
    return h ^ h >> 32


def mix16(data, at, secret_at, seed):
    return fold(u64(data, at) ^ (u64(SECRET, secret_at) + seed) & MASK64,
                u64(data, at + 8) ^ (u64(SECRET, secret_at + 8) - seed) & MASK64)


def xxh3_to_16(data, seed):
    size = len(data)
    if size > 8:
        low = u64(data, 0) ^ ((u64(SECRET, 24) ^ u64(SECRET, 32)) + seed) & MASK64
        high = u64(data, size - 8) ^ ((u64(SECRET, 40) ^ u64(SECRET, 48)) - seed) & MASK64
        swapped = int.from_bytes(low.to_bytes(8, "little"), "big")
        return xxh3_avalanche((size + swapped + high + fold(low, high)) & MASK64)
    if size >= 4:
        seed ^= int.from_bytes((seed & MASK32).to_bytes(4, "little"), "big") << 32
        word = u32(data, size - 4) + (u32(data, 0) << 32)
        h = word ^ ((u64(SECRET, 8) ^ u64(SECRET, 16)) - seed) & MASK64
        h = (h ^ rotl(h, 49) ^ rotl(h, 24)) * 0x9FB21C651E98DF25 & MASK64
        h = (h ^ (h >> 35) + size) * 0x9FB21C651E98DF25 & MASK64
        return h ^ h >> 28
    if size > 0:
        word = data[0] << 16 | data[size // 2] << 24 | data[-1] | size << 8
        return xxh64_avalanche(word ^ ((u32(SECRET, 0) ^ u32(SECRET, 4)) + seed) & MASK64)
    return xxh64_avalanche(seed ^ u64(SECRET, 56) ^ u64(SECRET, 64))


def xxh3_to_240(data, seed):
    size = len(data)
    acc = size * PRIME64_1
    if size <= 128:
        for i in reversed(range((size - 1) // 32 + 1)):
            acc += mix16(data, 16 * i, 32 * i, seed)
            acc += mix16(data, size - 16 * (i + 1), 32 * i + 16, seed)
        return xxh3_avalanche(acc & MASK64)
    for i in range(8):
        acc += mix16(data, 16 * i, 16 * i, seed)
    acc = xxh3_avalanche(acc & MASK64)
    for i in range(8, size // 16):
        acc += mix16(data, 16 * i, 16 * (i - 8) + 3, seed)
    acc += mix16(data, size - 16, 136 - 17, seed)
    return xxh3_avalanche(acc & MASK64)


def xxh3_long(data, seed):
    keys = struct.unpack("<24Q", SECRET)
    secret = struct.pack("<24Q", *((key + (-seed if i % 2 else seed)) & MASK64
                                   for i, key in enumerate(keys)))
    acc = [PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1]

    def accumulate(at, secret_at):
        words = struct.unpack_from("<8Q", data, at)
        for i, key in enumerate(struct.unpack_from("<8Q", secret, secret_at)):
            mixed = words[i] ^ key
            acc[i ^ 1] += words[i]
            acc[i] = (acc[i] + (mixed & MASK32) * (mixed >> 32)) & MASK64

    size = len(data)
    for stripe in range((size - 1) // 64):
        accumulate(64 * stripe, 8 * (stripe % 16))
        if stripe % 16 == 15:
            for i, key in enumerate(struct.unpack_from("<8Q", secret, 128)):
                a = acc[i] & MASK64
                acc[i] = (a ^ a >> 47 ^ key) * PRIME32_1 & MASK64
    accumulate(size - 64, 121)
    h = size * PRIME64_1
    for i in range(0, 8, 2):
        h += fold(acc[i] & MASK64 ^ u64(secret, 11 + 8 * i),
                  acc[i + 1] & MASK64 ^ u64(secret, 19 + 8 * i))
    return xxh3_avalanche(h & MASK64)


def xxh3(data, seed=0):
    if len(data) <= 16:
        return xxh3_to_16(data, seed)
    return xxh3_to_240(data, seed) if len(data) <= 240 else xxh3_long(data, seed)


# --- SipHash-1-3.


def siphash13(key, data):
    k0, k1 = struct.unpack("<2Q", key)
    v0, v1 = k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D
    v2, v3 = k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573

    def sip_round():
        nonlocal v0, v1, v2, v3
        v0, v2 = (v0 + v1) & MASK64, (v2 + v3) & MASK64
        v1, v3 = rotl(v1, 13) ^ v0, rotl(v3, 16) ^ v2
        v0 = rotl(v0, 32)
        v2, v0 = (v2 + v1) & MASK64, (v0 + v3) & MASK64
        v1, v3 = rotl(v1, 17) ^ v2, rotl(v3, 21) ^ v0
        v2 = rotl(v2, 32)

    tail = len(data) // 8 * 8
    last = int.from_bytes(data[tail:], "little") | (len(data) & 255) << 56
    for word in [u64(data, at) for at in range(0, tail, 8)] + [last]:
        v3 ^= word
        sip_round()
        v0 ^= word
    v2 ^= 0xFF
    for _ in range(3):
        sip_round()
    return v0 ^ v1 ^ v2 ^ v3
