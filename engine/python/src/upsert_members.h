// The member upsert, of filters that stand in front of a table.
#ifndef TROMMEL_ENGINE_PYTHON_SRC_UPSERT_MEMBERS_H_
#define TROMMEL_ENGINE_PYTHON_SRC_UPSERT_MEMBERS_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "engine/python/src/answers.h"
#include "engine/python/src/arguments.h"
#include "engine/python/src/errors.h"
#include "engine/python/src/guarded.h"
#include "engine/python/src/key_batch.h"
#include "engine/python/src/keys.h"
#include "trommel/upsert.h"

namespace trommel::python {

// Calls exist(asked), and returns the indices that it returned. Throws what it throws, and a
// Failure for what is no index of `asked`. With the GIL.
std::vector<uint32_t> CallExist(nanobind::handle exist, std::span<const uint32_t> asked);

template <class T>
nanobind::object UpsertKeys(Guarded<T>& self, Argument keys, Argument exist) {
  if (PyCallable_Check(exist.ptr()) == 0) {
    ThrowTypeError("exist must be a function of an array of indices; got " + TypeName(exist));
  }
  const KeyBatch batch(keys);
  if (batch.size() > std::numeric_limits<uint32_t>::max()) {
    ThrowValueError("upsert takes at most 2^32 - 1 keys; got " + std::to_string(batch.size()));
  }
  Bitmap inserted(batch.size());
  const UpsertOutcome outcome = self.UpdatePausing([&](T& filter, const auto& pause) {
    CheckHashable(filter.digest_policy(), batch.view().kind());
    const auto ask = [&](std::span<const uint32_t> asked) -> Result<std::vector<uint32_t>> {
      return pause([&] { return CallExist(exist, asked); });
    };
    UpsertOutcome of = Unwrap(Upsert(filter, batch.view(), ask, inserted.words()));
    inserted.Expand();
    return of;
  });
  return nanobind::make_tuple(inserted.array(), outcome);
}

template <class T, class Class>
void DefineUpsert(Class& bound) {
  bound.def(
      "upsert", UpsertKeys<T>, nanobind::arg("keys"), nanobind::arg("exist"),
      nanobind::sig("def upsert(self, keys: trommel_filters.typing.Keys, exist: "
                    "collections.abc.Callable[[numpy.typing.NDArray[numpy.uint32]], "
                    "collections.abc.Iterable[int]]) -> "
                    "tuple[numpy.typing.NDArray[numpy.bool_], UpsertOutcome]"),
      "Makes the filter of a table hold every key of the batch, if it holds each key of the table\n"
      "once: inserts those that the table does not have. Apply the puts after the call; erase a "
      "key\n"
      "for each row that is deleted.\n\n"
      "exist(asked) asks the table: `asked` has the indices of the keys that look present, an "
      "array\n"
      "of dtype uint32; it returns those of them whose keys the table has, as a list or an array:\n"
      "    lambda asked: [i for i in asked if keys[i] in table]\n"
      "It is called at most once, and may use the filter. No other thread may put or delete the\n"
      "same keys meanwhile. If it raises, or returns what is not in `asked`, the filter holds the\n"
      "keys that it held before.\n\n"
      "Returns which keys were inserted, dtype bool, shape (len(keys),): erase such a key if its\n"
      "put fails afterwards; and an UpsertOutcome.");
}

}  // namespace trommel::python

#endif  // TROMMEL_ENGINE_PYTHON_SRC_UPSERT_MEMBERS_H_
