// The members that take keys, for every filter that has them: batches and single keys.
#ifndef TROMMEL_ENGINE_PYTHON_SRC_KEY_MEMBERS_H_
#define TROMMEL_ENGINE_PYTHON_SRC_KEY_MEMBERS_H_

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "engine/python/src/answers.h"
#include "engine/python/src/arguments.h"
#include "engine/python/src/errors.h"
#include "engine/python/src/guarded.h"
#include "engine/python/src/key_batch.h"
#include "engine/python/src/keys.h"
#include "trommel/keys.h"
#include "trommel/outcomes.h"

namespace trommel::python {

// Defines a member that takes a key or a batch, and has another result for each. The second
// function is never called: a type checker needs both signatures, and one call then chooses.
template <class Class, class Function>
void DefineForKeys(Class& bound, const char* name, Function function, const char* signature_of_one,
                   const char* signature_of_batch, const char* doc) {
  bound.def(name, function, nanobind::sig(signature_of_one), doc);
  bound.def(
      name,
      [](nanobind::handle, Argument) -> nanobind::object {
        ThrowTypeError("not a key and not a batch of keys");
      },
      nanobind::sig(signature_of_batch));
}

// Calls work(filter, keys, words) without the GIL for a batch, and returns the array of bool that
// the words become.
template <class T, class Work>
nanobind::object MaskOfUpdate(Guarded<T>& self, const KeyBatch& batch, Work work) {
  Bitmap answers(batch.size());
  self.Update([&](T& filter) {
    CheckHashable(filter.digest_policy(), batch.view().kind());
    work(filter, batch.view(), answers.words());
    answers.Expand();
  });
  return answers.array();
}

template <class T>
nanobind::object Query(const Guarded<T>& self, Argument keys) {
  if (const std::optional<Key> key = OneKey(keys)) {
    return nanobind::bool_(self.QueryOne([&](const T& filter) {
      CheckHashable(filter.digest_policy(), key->kind());
      return filter.MayContain(*key);
    }));
  }
  const KeyBatch batch(keys);
  Bitmap answers(batch.size());
  self.Query([&](const T& filter) {
    CheckHashable(filter.digest_policy(), batch.view().kind());
    filter.Query(batch.view(), answers.words());
    answers.Expand();
  });
  return answers.array();
}

// `key in filter`, as CPython calls it: a slot, because a member of Python would cost twice as
// much.
template <class T>
int Contains(PyObject* self, PyObject* object) noexcept {
  try {
    if (!nanobind::inst_ready(self)) ThrowTypeError("the filter was not initialized");
    const Key key = RequireOneKey(object);
    return nanobind::inst_ptr<Guarded<T>>(self)->QueryOne([&](const T& filter) {
      CheckHashable(filter.digest_policy(), key.kind());
      return filter.MayContain(key) ? 1 : 0;
    });
  } catch (const Failure& failure) {
    SetPythonError(failure);
  } catch (nanobind::python_error& error) {
    error.restore();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return -1;
}
template <class T>
inline PyType_Slot key_slots[] = {{Py_sq_contains, reinterpret_cast<void*>(Contains<T>)},
                                  {0, nullptr}};

template <class T>
nanobind::object Select(const Guarded<T>& self, Argument keys, Argument present) {
  const Answer answer = FlagOf(present, "present") ? Answer::kMaybePresent : Answer::kAbsent;
  const KeyBatch batch(keys);
  if (batch.size() > std::numeric_limits<uint32_t>::max()) {
    ThrowValueError("select takes at most 2^32 - 1 keys; got " + std::to_string(batch.size()));
  }
  const NewArray<uint32_t> indices = NewUint32(batch.size());
  const size_t num_selected = self.Query([&](const T& filter) {
    CheckHashable(filter.digest_policy(), batch.view().kind());
    return filter.Select(batch.view(), answer, indices.values);
  });
  return FirstOf(indices, num_selected);
}

template <class T>
nanobind::object CountEstimates(const Guarded<T>& self, Argument keys) {
  if (const std::optional<Key> key = OneKey(keys)) {
    return nanobind::int_(self.QueryOne([&](const T& filter) {
      CheckHashable(filter.digest_policy(), key->kind());
      return filter.CountEstimate(*key);
    }));
  }
  const KeyBatch batch(keys);
  const NewArray<uint64_t> counts = NewUint64(batch.size());
  self.Query([&](const T& filter) {
    CheckHashable(filter.digest_policy(), batch.view().kind());
    filter.CountEstimates(batch.view(), counts.values);
  });
  return counts.array;
}

template <class T>
bool Add(Guarded<T>& self, Argument object) {
  const Key key = RequireOneKey(object, kUpdateTakesBatches);
  return self.UpdateOne([&](T& filter) {
    CheckHashable(filter.digest_policy(), key.kind());
    return filter.Insert(key);
  });
}

template <class T>
InsertOutcome UpdateWith(Guarded<T>& self, Argument keys) {
  const KeyBatch batch(keys);
  return self.Update([&](T& filter) {
    CheckHashable(filter.digest_policy(), batch.view().kind());
    return filter.Insert(batch.view());
  });
}

template <class T>
nanobind::object InsertMask(Guarded<T>& self, Argument keys) {
  return MaskOfUpdate(self, KeyBatch(keys), [](T& filter, const Keys& batch, auto words) {
    filter.Insert(batch, words);
  });
}

template <class T>
nanobind::object InsertIfAbsent(Guarded<T>& self, Argument keys) {
  if (const std::optional<Key> key = OneKey(keys)) {
    return nanobind::bool_(self.UpdateOne([&](T& filter) {
      CheckHashable(filter.digest_policy(), key->kind());
      return filter.InsertIfAbsent(*key);
    }));
  }
  return MaskOfUpdate(self, KeyBatch(keys), [](T& filter, const Keys& batch, auto words) {
    filter.InsertIfAbsent(batch, words);
  });
}

template <class T>
nanobind::object Erase(Guarded<T>& self, Argument keys) {
  if (const std::optional<Key> key = OneKey(keys)) {
    return nanobind::bool_(self.UpdateOne([&](T& filter) {
      CheckHashable(filter.digest_policy(), key->kind());
      return filter.Erase(*key);
    }));
  }
  const KeyBatch batch(keys);
  return nanobind::cast(self.Update([&](T& filter) {
    CheckHashable(filter.digest_policy(), batch.view().kind());
    return filter.Erase(batch.view());
  }));
}

template <class T>
nanobind::object EraseMask(Guarded<T>& self, Argument keys) {
  return MaskOfUpdate(self, KeyBatch(keys),
                      [](T& filter, const Keys& batch, auto words) { filter.Erase(batch, words); });
}

template <class T>
EraseOutcome EraseAll(Guarded<T>& self, Argument keys) {
  const KeyBatch batch(keys);
  return self.Update([&](T& filter) {
    CheckHashable(filter.digest_policy(), batch.view().kind());
    return Unwrap(filter.EraseAll(batch.view()));
  });
}

template <class T>
nanobind::object EraseAllMask(Guarded<T>& self, Argument keys) {
  return MaskOfUpdate(self, KeyBatch(keys), [](T& filter, const Keys& batch, auto words) {
    Unwrap(filter.EraseAll(batch, words));
    for (uint64_t& word : words) word = ~word;  // those that are not missing
  });
}

template <class T, class Class>
void DefineQueries(Class& bound) {
  DefineForKeys(
      bound, "query", Query<T>, "def query(self, key: trommel_filters.typing.Key, /) -> bool",
      "def query(self, keys: trommel_filters.typing.Keys, /) -> numpy.typing.NDArray[numpy.bool_]",
      "Answers for each key: False, certainly absent; True, maybe present.\n\n"
      "Returns an array of dtype bool and shape (len(keys),), or a bool for one key.");
  bound.def("select", Select<T>, nanobind::arg(), nanobind::arg("present") = true,
            nanobind::sig(
                "def select(self, keys: trommel_filters.typing.Keys, /, present: bool = True) -> "
                "numpy.typing.NDArray[numpy.uint32]"),
            "Returns the indices, ascending, of the keys that are maybe present, or, with\n"
            "present=False, of those that are certainly absent: an array of dtype uint32.");
  DefineForKeys(bound, "count_estimates", CountEstimates<T>,
                "def count_estimates(self, key: trommel_filters.typing.Key, /) -> int",
                "def count_estimates(self, keys: trommel_filters.typing.Keys, /) -> "
                "numpy.typing.NDArray[numpy.uint64]",
                "Returns an upper bound of how often each key is in; 0 means certainly absent.\n\n"
                "An array of dtype uint64 and shape (len(keys),), or an int for one key.");
}

template <class T, class Class>
void DefineUpdates(Class& bound) {
  bound.def("add", Add<T>,
            nanobind::sig("def add(self, key: trommel_filters.typing.Key, /) -> bool"),
            "Inserts one key, which may be in several times. Returns whether it was inserted: a\n"
            "filter with a limit of its memory may refuse keys.");
  bound.def(
      "update", UpdateWith<T>,
      nanobind::sig("def update(self, keys: trommel_filters.typing.Keys, /) -> "
                    "InsertOutcome"),
      "Inserts every key of a batch. Returns how many were inserted and refused; insert_mask\n"
      "returns which.");
  bound.def("insert_mask", InsertMask<T>,
            nanobind::sig("def insert_mask(self, keys: trommel_filters.typing.Keys, /) -> "
                          "numpy.typing.NDArray[numpy.bool_]"),
            "As update. Returns which keys were inserted: dtype bool, shape (len(keys),). All,\n"
            "unless a limit of memory refused some.");
  DefineForKeys(
      bound, "erase", Erase<T>, "def erase(self, key: trommel_filters.typing.Key, /) -> bool",
      "def erase(self, keys: trommel_filters.typing.Keys, /) -> EraseOutcome",
      "Takes every key out once, or refuses it if it is certainly absent.\n\n"
      "Erase only keys that were inserted, at most as often: erasing another key goes\n"
      "undetected with the filter's false-positive rate, and then takes counts of others.\n"
      "Returns an EraseOutcome, or for one key whether it was erased.");
  bound.def("erase_mask", EraseMask<T>,
            nanobind::sig("def erase_mask(self, keys: trommel_filters.typing.Keys, /) -> "
                          "numpy.typing.NDArray[numpy.bool_]"),
            "As erase. Returns which keys were erased: dtype bool, shape (len(keys),).");
  if constexpr (requires(T & filter, Keys keys) { filter.EraseAll(keys); }) {
    bound.def(
        "erase_all", EraseAll<T>,
        nanobind::sig("def erase_all(self, keys: trommel_filters.typing.Keys, /) -> EraseOutcome"),
        "Erases every key, or changes nothing if one is certainly absent, or counted less\n"
        "often than the batch has it: for a list that may be erased a second time, by a job\n"
        "that is retried. Returns an EraseOutcome: all were erased, or num_refused of them\n"
        "are missing. Threads must not erase the same keys meanwhile.");
    bound.def(
        "erase_all_mask", EraseAllMask<T>,
        nanobind::sig("def erase_all_mask(self, keys: trommel_filters.typing.Keys, /) -> "
                      "numpy.typing.NDArray[numpy.bool_]"),
        "As erase_all. Returns which keys are not missing, dtype bool, shape (len(keys),): if\n"
        "all, they have been erased; else nothing has changed.");
  }
  DefineForKeys(
      bound, "insert_if_absent", InsertIfAbsent<T>,
      "def insert_if_absent(self, key: trommel_filters.typing.Key, /) -> bool",
      "def insert_if_absent(self, keys: trommel_filters.typing.Keys, /) -> "
      "numpy.typing.NDArray[numpy.bool_]",
      "In order, inserts every key that is absent; of equal keys the first.\n\n"
      "Returns which keys were inserted, so which were seen for the first time: dtype bool,\n"
      "shape (len(keys),), or a bool for one key. A key that looks present by a false\n"
      "positive is not inserted and must not be erased on account of this call.");
}

}  // namespace trommel::python

#endif  // TROMMEL_ENGINE_PYTHON_SRC_KEY_MEMBERS_H_
