"""Reads and runs the test vectors of tests/vectors (README.md there), through the Python package."""

import re

import numpy as np
import trommel_filters as trommel

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


def _erased(outcome, more=""):
    return Counts(f"done={outcome.num_erased} refused={outcome.num_refused}{more}")


def _one(answer):
    """The answer for one key, which may have been passed as a batch of one."""
    return bool(answer[0]) if isinstance(answer, np.ndarray) else bool(answer)


class Counts(str):
    """A result without the bitmap, which the package does not return from this call."""


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
        if verb in ("fold", "grow", "clear", "tuple_clear"):
            return lambda name: getattr(self.filters[name], verb.removeprefix("tuple_"))()
        # insert_each and the like: one call per key
        if not verb.endswith("_each"):
            raise AttributeError(f"no call of this name: {verb}")
        if verb.endswith("_at_each"):
            return lambda name, time, keys: self._each_at(verb[: -len("_each")], name, time, keys)
        return lambda name, keys: self._each(verb[: -len("_each")], name, keys)

    def _each(self, verb, name, keys):
        subject, answers = self.filters[name], []
        call = {"insert": "insert_mask", "erase": "erase_mask"}.get(verb, verb)
        one = {"insert": "add"}.get(verb, verb)
        for key in self.keys[keys][1]:
            answer = getattr(subject, one if isinstance(key, (int, str, bytes)) else call)(key)
            answers.append(_one(answer))
        title = "present" if verb == "query" else "done"
        return f"{title}={sum(answers)} {_bits(answers)}"

    def _each_at(self, verb, name, time, keys):
        subject, answers = self.filters[name], []
        for key in self.keys[keys][1]:
            batch = [key] if isinstance(key, (int, str, bytes)) else key
            if verb == "insert_at":
                answers.append(subject.update(batch, int(time)).num_inserted == 1)
            else:
                answers.append(subject.erase(batch, int(time)).num_erased == 1)
        return f"done={sum(answers)} {_bits(answers)}"

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
            "preference": options.get("preference"),
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
        shape = {**self._policy(options), "memory_limit_bytes": int(options.get("memory_limit", 0))}
        for option, parameter in [("fpr", "target_fpr"), ("encoding", "encoding")]:
            if option in options:
                shape[parameter] = float(options[option]) if option == "fpr" else options[option]
        numbers = {
            "slices": "num_slices", "capacity": "capacity", "side_limit": "side_memory_limit_bytes",
            "first_capacity": "first_capacity", "max_capacity": "max_capacity",
            "window": "window", "buckets": "num_buckets",
            "columns": "num_columns", "blocks": "num_blocks", "bits": "fingerprint_bits",
        }
        shape.update({numbers[option]: int(value) for option, value in options.items() if option in numbers})
        if kind in ("counting", "concurrent"):
            shape["preference"] = options.get("preference")
            shape["power_of_two_blocks"] = options.get("power_of_two", "0") != "0"
        elif kind == "window":
            shape["is_erasable"] = options.get("insert_only", "0") == "0"
        elif kind == "attributes":
            return self._create_attributes(name, options, shape)
        classes = {
            "counting": trommel.CountingFilter, "concurrent": trommel.ConcurrentFilter,
            "scalable": trommel.ScalableFilter, "window": trommel.WindowFilter,
            "column_map": trommel.ColumnMap,
        }
        self.filters[name] = classes[kind](**shape)
        return None

    def _create_attributes(self, name, options, shape):
        names = [word for word in options.get("names", "").split(",") if word]
        names = names or [str(i) for i in range(int(options["attributes"]))]
        for option in ("cuts", "kept"):
            masks = [int(mask) for mask in options.get(option, "").split(",") if mask]
            shape[option] = [self._names_in(names, mask) for mask in masks]
        shape["max_together"] = int(options.get("together", 0))
        shape["num_values"] = [int(number) for number in options.get("values", "").split(",") if number]
        self.filters[name] = trommel.AttributeFilter(names, **shape)

    @staticmethod
    def _names_in(names, mask):
        return [attribute for i, attribute in enumerate(names) if mask >> i & 1]

    def insert(self, name, keys):
        subject = self.filters[name]
        mask = subject.insert_mask(self.keys[keys][0])
        time = f" time={subject.now}" if isinstance(subject, trommel.WindowFilter) else ""
        return f"done={mask.sum()} refused={len(mask) - mask.sum()} {_bits(mask)}{time}"

    def insert_if_absent(self, name, keys):
        subject = self.filters[name]
        stats = subject.stats().as_dict
        before = stats().get("num_refused_inserts", 0)
        mask = subject.insert_if_absent(self.keys[keys][0])
        if isinstance(subject, trommel.WindowFilter):
            chunks = (len(mask) + 2047) // 2048  # nothing moves the time between them here
            return f"done={mask.sum()} refused=0 {_bits(mask)} time={' '.join([str(subject.now)] * chunks)}"
        refused = subject.stats().as_dict().get("num_refused_inserts", 0) - before
        return f"done={mask.sum()} refused={refused} {_bits(mask)}"

    def erase(self, name, keys):
        mask = self.filters[name].erase_mask(self.keys[keys][0])
        return f"done={mask.sum()} refused={len(mask) - mask.sum()} {_bits(mask)}"

    def erase_all(self, name, keys):
        subject, batch = self.filters[name], self.keys[keys][0]
        before = subject.stats().num_keys
        covered = subject.erase_all_mask(batch)
        return f"done={before - subject.stats().num_keys} refused={(~covered).sum()} {_bits(~covered)}"

    def query(self, name, keys):
        mask = self.filters[name].query(self.keys[keys][0])
        return f"present={mask.sum()} {_bits(mask)}"

    def select(self, name, keys, answer):
        indices = self.filters[name].select(self.keys[keys][0], present=answer == "present")
        return " ".join(str(index) for index in indices)

    def counts(self, name, keys):
        return " ".join(str(count) for count in self.filters[name].count_estimates(self.keys[keys][0]))

    def merge(self, name, other):
        self.filters[name] |= self.filters[other]

    def subtract(self, name, other):
        self.filters[name].subtract(self.filters[other])

    def convert(self, name, kind):
        self.filters[name] = getattr(self.filters[name], f"to_{kind}")()

    def stats(self, name):
        subject = self.filters[name]
        kind = re.sub("Filter$", "", type(subject).__name__).lower()
        numbers, parts = subject.stats(), 1
        capacity = subject.first_capacity if kind == "scalable" else subject.capacity
        if kind == "window":
            parts = len(numbers.buckets)
        return (
            f"type={kind} num_keys={numbers.num_keys} capacity={capacity} parts={parts} "
            f"refused_inserts={numbers.num_refused_inserts} "
            f"refused_erases={numbers.num_refused_erases}"
        )

    def advance(self, name, time):
        return "yes" if self.filters[name].advance(int(time)) else "no"

    def now(self, name):
        return str(self.filters[name].now)

    def insert_at(self, name, time, keys):
        outcome = self.filters[name].update(self.keys[keys][0], int(time))
        return f"done={outcome.num_inserted} refused={outcome.num_refused}"

    def erase_at(self, name, time, keys):
        outcome = self.filters[name].erase(self.keys[keys][0], int(time))
        return _erased(outcome, f" expired={outcome.num_expired}")

    def erase_all_at(self, name, time, keys):
        outcome = self.filters[name].erase_all(self.keys[keys][0], int(time))
        return _erased(outcome, f" expired={outcome.num_expired}")

    def open(self, name, column):
        self.filters[name].open_column(int(column))

    def close(self, name, column):
        self.filters[name].close_columns([int(column)])

    def columns(self, name, keys):
        rows = self.filters[name].query(self.keys[keys][0])
        return " ".join(np.packbits(row, bitorder="little").tobytes().hex() for row in rows)

    def column_insert(self, name, column, keys):
        self.filters[name].update(int(column), self.keys[keys][0])

    def column_erase(self, name, column, keys):
        outcome = self.filters[name].erase(int(column), self.keys[keys][0])
        return f"done={outcome.num_erased} refused={outcome.num_refused}"

    def column_keys(self, name, column):
        return f"num_keys={self.filters[name].num_keys(int(column))}"

    def column_stats(self, name):
        numbers = self.filters[name].stats()
        return f"pairs={numbers.num_pairs} slots={numbers.num_slots_in_use} elsewhere={numbers.num_pairs_elsewhere}"

    def column_query_each(self, name, column, keys):
        answers = [self.filters[name].may_contain(int(column), key) for key in self.keys[keys][1]]
        return f"present={sum(answers)} {_bits(answers)}"

    def column_serialize(self, name, column, target):
        self.bytes[target] = bytearray(self.filters[name].columns_to_bytes([int(column)])[0])
        return f"size={len(self.bytes[target])} xxh64={_xxh64(self.bytes[target])}"

    def column_load(self, name, column, source):
        self.filters[name].load_column(int(column), self.bytes[source])

    def _tuples(self, name, columns):
        return {
            attribute: self.keys[column][0]
            for attribute, column in zip(self.filters[name].attributes, columns.split(","))
            if column != "-"
        }

    def tuple_insert(self, name, columns):
        outcome = self.filters[name].update(self._tuples(name, columns))
        return Counts(f"done={outcome.num_inserted} refused={outcome.num_refused}")

    def tuple_erase(self, name, columns):
        return _erased(self.filters[name].erase(self._tuples(name, columns)))

    def tuple_erase_all(self, name, columns):
        return _erased(self.filters[name].erase_all(self._tuples(name, columns)))

    def tuple_query(self, name, mask, columns):
        on = self._names_in(self.filters[name].attributes, int(mask))
        present = self.filters[name].query(self._tuples(name, columns), on=on)
        return f"present={present.sum()} {_bits(present)}"

    tuple_query_each = tuple_query  # the package queries tuples in batches alone

    def tuple_counts(self, name, mask, columns):
        on = self._names_in(self.filters[name].attributes, int(mask))
        return " ".join(map(str, self.filters[name].count_estimates(self._tuples(name, columns), on=on)))

    def tuple_stats(self, name):
        numbers = self.filters[name].stats()
        return (
            f"num_keys={numbers.num_tuples} parts={len(numbers.sets)} "
            f"refused_inserts={numbers.num_refused_inserts} refused_erases={numbers.num_refused_erases}"
        )

    def tuple_load(self, name, source, **options):
        self.filters[name] = trommel.AttributeFilter.from_bytes(
            self.bytes[source], memory_limit_bytes=int(options.get("limit", 0))
        )

    def serialize(self, name, target):
        self.bytes[target] = bytearray(self.filters[name].to_bytes())
        return f"size={len(self.bytes[target])} xxh64={_xxh64(self.bytes[target])}"

    tuple_serialize = serialize

    def file(self, name, sample):
        self.bytes[name] = bytearray((self.samples / sample).read_bytes())

    def copy(self, name, source):
        self.bytes[name] = bytearray(self.bytes[source])

    def cut(self, name, size):
        del self.bytes[name][int(size) :]

    def flip(self, name, offset, mask):
        self.bytes[name][int(offset)] ^= int(mask, 16)

    def metadata(self, name):
        metadata = trommel.metadata_of(self.bytes[name])
        return f"size={len(metadata)} xxh64={_xxh64(metadata)}"

    def type(self, name):
        return trommel.type_of(self.bytes[name])

    def load(self, name, source, **options):
        classes = {
            "counting": trommel.CountingFilter,
            "concurrent": trommel.ConcurrentFilter,
            "scalable": trommel.ScalableFilter,
            "window": trommel.WindowFilter,
        }
        read = classes[options["as"]].from_bytes if "as" in options else trommel.from_bytes
        self.filters[name] = read(
            self.bytes[source],
            memory_limit_bytes=int(options.get("limit", 0)),
            digest_key=bytes.fromhex(options["key"]) if "key" in options else None,
        )
