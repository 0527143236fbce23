"""Reads and runs the test vectors of tests/vectors (README.md there), through the Python package."""

import re

import numpy as np
import trommel

MASK = 2**64 - 1


def keys_of(kind, words):
    """The keys of a `keys` line, as what the package takes, and one by one."""
    if kind in ("int64", "int32"):
        first, count, step = (int(word) for word in words)
        bits = 64 if kind == "int64" else 32
        numbers = [(first + i * step) % 2**bits for i in range(count)]
        if kind == "int64":
            return np.array(numbers, dtype=np.uint64), numbers
        narrow = np.array(numbers, dtype=np.uint32)
        return trommel.Int32(narrow), [trommel.Int32(narrow[i : i + 1]) for i in range(count)]
    if kind == "digests":
        numbers, state = [], int(words[0])
        for _ in range(int(words[1])):
            state = (state + 0x9E3779B97F4A7C15) & MASK
            z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & MASK
            z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
            numbers.append(z ^ z >> 31)
    elif kind == "digest":
        numbers = [int(word, 16) for word in words]
    elif kind == "strings":
        strings = [words[0] + str(int(words[1]) + i) for i in range(int(words[2]))]
        return strings, strings
    elif kind == "bytes":
        strings = [bytes.fromhex(word.replace("-", "")) for word in words]
        return strings, strings
    else:
        assert kind == "ramps", kind
        strings = [bytes(i % 251 for i in range(int(word))) for word in words]
        return strings, strings
    digests = np.array(numbers, dtype=np.uint64)
    each = [trommel.Digests(digests[i : i + 1]) for i in range(len(digests))]
    return trommel.Digests(digests), each


def _xxh64(data):
    return f"{int(trommel.digests([bytes(data)], digest='xxh64')[0]):016x}"


def _bits(answers):
    answers = np.asarray(answers, dtype=bool)
    data = np.packbits(answers, bitorder="little").tobytes()
    if len(answers) > 1024:
        return f"bits=xxh64:{_xxh64(data)}"
    return f"bits={data.hex() or '-'}"


def _one(answer):
    """The answer for one key, which may have been passed as a batch of one."""
    return bool(answer[0]) if isinstance(answer, np.ndarray) else bool(answer)


class Program:
    """The state of one file of vectors."""

    def __init__(self, samples):
        self.samples, self.keys, self.filters, self.bytes = samples, {}, {}, {}

    def run(self, call):
        words, options = [], {}
        for word in call.split(" "):
            name, equals, value = word.partition("=")
            if equals:
                options[name] = value
            else:
                words.append(word)
        try:
            result = getattr(self, words[0])(*words[1:], **options)
        except trommel.Error as error:
            return f"error {error.code}"
        return "ok" if result is None else result

    def __getattr__(self, verb):
        # insert_each and the like: one call per key
        if not verb.endswith("_each"):
            raise AttributeError(f"no call of this name: {verb}")
        return lambda name, keys: self._each(verb[: -len("_each")], name, keys)

    def _each(self, verb, name, keys):
        call = getattr(self.filters[name], {"insert": "insert_mask", "erase": "erase_mask"}.get(verb, verb))
        answers = []
        for key in self.keys[keys][1]:
            is_one = isinstance(key, (int, str, bytes))
            one = getattr(self.filters[name], verb) if is_one else call
            answers.append(_one(one(key)))
        title = "present" if verb == "query" else "done"
        return f"{title}={sum(answers)} {_bits(answers)}"

    @staticmethod
    def _policy(options):
        policy = {"digest": options.get("digest", "xxh3"), "seed": int(options.get("seed", 0))}
        if "key" in options:
            policy["digest_key"] = bytes.fromhex(options["key"])
        return policy

    @staticmethod
    def _shape(options):
        return {
            "target_fpr": float(options.get("fpr", 0.01)),
            "encoding": options.get("encoding", "runs"),
            "preference": options.get("preference", "memory"),
            "num_slices": int(options.get("slices", 0)),
            "power_of_two_blocks": options.get("power_of_two", "0") != "0",
        }

    def digests(self, keys, **options):
        numbers = trommel.digests(self.keys[keys][0], **self._policy(options))
        return " ".join(f"{int(number):016x}" for number in numbers)

    def size(self, **options):
        sizing = trommel.size_for(int(options.get("capacity", 0)), **self._shape(options))
        shape = sizing.geometry
        return (
            f"num_bytes={shape.num_bytes} num_blocks={shape.num_blocks} "
            f"num_slices={shape.num_slices} fpr={sizing.predicted_fpr:.6g}"
        )

    def create(self, name, kind, **options):
        cls = {"counting": trommel.CountingFilter, "concurrent": trommel.ConcurrentFilter}[kind]
        self.filters[name] = cls(
            int(options.get("capacity", 0)),
            memory_limit_bytes=int(options.get("memory_limit", 0)),
            side_memory_limit_bytes=int(options.get("side_limit", 0)),
            **self._shape(options),
            **self._policy(options),
        )

    def insert(self, name, keys):
        subject, batch = self.filters[name], self.keys[keys][0]
        size = len(self.keys[keys][1])
        if isinstance(subject, trommel.WindowFilter):
            return f"done={size} refused=0 {_bits([True] * size)} time={subject.insert(batch)}"
        if isinstance(subject, trommel.LayeredFilter):
            subject.insert(batch)
            return f"done={size} refused=0 {_bits([True] * size)}"
        mask = subject.insert_mask(batch)
        return f"done={mask.sum()} refused={size - mask.sum()} {_bits(mask)}"

    def insert_if_absent(self, name, keys):
        subject = self.filters[name]
        stats = subject.stats().as_dict
        before = stats().get("num_refused_inserts", 0)
        mask = subject.insert_if_absent(self.keys[keys][0])
        refused = subject.stats().as_dict().get("num_refused_inserts", 0) - before
        return f"done={mask.sum()} refused={refused} {_bits(mask)}"

    def erase(self, name, keys):
        mask = self.filters[name].erase_mask(self.keys[keys][0])
        return f"done={mask.sum()} refused={len(mask) - mask.sum()} {_bits(mask)}"

    def query(self, name, keys):
        mask = self.filters[name].query(self.keys[keys][0])
        return f"present={mask.sum()} {_bits(mask)}"

    def select(self, name, keys, answer):
        indices = self.filters[name].select(self.keys[keys][0], present=answer == "present")
        return " ".join(str(index) for index in indices)

    def counts(self, name, keys):
        return " ".join(str(count) for count in self.filters[name].count_estimates(self.keys[keys][0]))

    def merge(self, name, other):
        self.filters[name].merge(self.filters[other])

    def subtract(self, name, other):
        self.filters[name].subtract(self.filters[other])

    def fold(self, name):
        self.filters[name].fold()

    def grow(self, name):
        self.filters[name].grow()

    def clear(self, name):
        self.filters[name].clear()

    def convert(self, name, kind):
        self.filters[name] = getattr(self.filters[name], f"to_{kind}")()

    def stats(self, name):
        subject = self.filters[name]
        kind = re.sub("Filter$", "", type(subject).__name__).lower()
        numbers, parts = subject.stats(), 1
        capacity = subject.first_capacity if kind == "scalable" else subject.capacity
        if kind == "scalable":
            parts = subject.num_generations
        elif kind == "window":
            parts = len(numbers.buckets)
        elif kind == "layered":
            parts = 2
        return (
            f"type={kind} num_keys={numbers.num_keys} capacity={capacity} parts={parts} "
            f"refused_inserts={numbers.as_dict().get('num_refused_inserts', 0)} "
            f"refused_erases={numbers.num_refused_erases}"
        )

    def serialize(self, name, target):
        self.bytes[target] = bytearray(self.filters[name].to_bytes())
        return f"size={len(self.bytes[target])} xxh64={_xxh64(self.bytes[target])}"

    def file(self, name, sample):
        self.bytes[name] = bytearray((self.samples / sample).read_bytes())

    def copy(self, name, source):
        self.bytes[name] = bytearray(self.bytes[source])

    def cut(self, name, size):
        del self.bytes[name][int(size) :]

    def flip(self, name, offset, mask):
        self.bytes[name][int(offset)] ^= int(mask, 16)

    def type(self, name):
        return trommel.type_of(self.bytes[name])

    def load(self, name, source, **options):
        classes = {
            "counting": trommel.CountingFilter,
            "concurrent": trommel.ConcurrentFilter,
            "scalable": trommel.ScalableFilter,
            "window": trommel.WindowFilter,
            "layered": trommel.LayeredFilter,
        }
        read = classes[options["as"]].from_bytes if "as" in options else trommel.from_bytes
        self.filters[name] = read(
            self.bytes[source],
            memory_limit_bytes=int(options.get("limit", 0)),
            digest_key=bytes.fromhex(options["key"]) if "key" in options else None,
        )
