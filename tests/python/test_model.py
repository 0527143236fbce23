"""Programs of random calls, against a multiset that is a dict."""

import collections
import copy
import pickle

import numpy as np
import trommel_filters as trommel
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

KEYS = st.one_of(
    st.lists(st.integers(-(2**63), 2**64 - 1), max_size=20),
    st.lists(st.integers(0, 50), max_size=20).map(lambda keys: np.array(keys, dtype=np.int32)),
    st.lists(st.one_of(st.text(max_size=20), st.binary(max_size=20)), max_size=20),
)


def _identity(key):
    """What a key is to a filter: 64 bits, or bytes."""
    if isinstance(key, str):
        return key.encode("utf-8", "surrogatepass")
    return key if isinstance(key, bytes) else int(key) % 2**64


class Multiset(RuleBasedStateMachine):
    """A filter never denies a key that the model has, and counts at least as many of it.

    Keys are erased only if the model has them: the filter then takes exactly these.
    """

    def __init__(self):
        super().__init__()
        self.keys = self.make()
        self.model = collections.Counter()

    def make(self):
        raise NotImplementedError

    @rule(batch=KEYS.filter(lambda keys: not any(_has_surrogate(key) for key in keys)))
    def insert(self, batch):
        outcome = self.keys.update(batch)
        assert outcome.num_inserted == len(batch)
        self.model.update(_identity(key) for key in batch)

    @rule(batch=KEYS.filter(lambda keys: not any(_has_surrogate(key) for key in keys)))
    def insert_if_absent(self, batch):
        for key, inserted in zip(batch, self.keys.insert_if_absent(batch)):
            if inserted:
                assert self.model[_identity(key)] == 0
                self.model[_identity(key)] += 1

    @rule(data=st.data())
    def erase(self, data):
        present = sorted(
            (key for key in self.model if self.model[key] > 0), key=lambda key: (str(type(key)), key)
        )
        if not present:
            return
        key = data.draw(st.sampled_from(present))
        if data.draw(st.booleans()):
            assert self.keys.erase(key)
        else:
            assert self.keys.erase_mask([key]).tolist() == [True]
        self.model[key] -= 1

    @rule()
    def copy(self):
        self.keys = copy.deepcopy(self.keys)

    @rule()
    def pickle(self):
        self.keys = pickle.loads(pickle.dumps(self.keys))

    @rule()
    def clear(self):
        self.keys.clear()
        self.model.clear()

    @invariant()
    def the_filter_has_what_the_model_has(self):
        assert len(self.keys) == sum(self.model.values())
        for kind in (int, bytes):
            present = [key for key, count in self.model.items() if count > 0 and type(key) is kind]
            assert self.keys.query(present).all()
            counts = self.keys.count_estimates(present)
            assert all(count >= self.model[key] for key, count in zip(present, counts.tolist()))
            assert all(key in self.keys for key in present[:5])


def _has_surrogate(key):
    return isinstance(key, str) and any("\ud800" <= letter <= "\udfff" for letter in key)


MAKERS = {
    "Runs": lambda: trommel.CountingFilter(200),
    "Planes": lambda: trommel.CountingFilter(200, encoding="planes"),
    "Dense": lambda: trommel.CountingFilter(200, encoding="dense"),
    "Fingerprints16": lambda: trommel.ConcurrentFilter(200, encoding="fingerprints16"),
    "Concurrent": lambda: trommel.ConcurrentFilter(200),
    "Doubling": lambda: trommel.ScalableFilter(50),
}
for _name, _make in MAKERS.items():
    _machine = type(_name, (Multiset,), {"make": staticmethod(_make)})
    _case = _machine.TestCase
    _case.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
    globals()[f"Test{_name}"] = _case
del _case
