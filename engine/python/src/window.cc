// WindowFilter.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/python/src/arguments.h"
#include "engine/python/src/errors.h"
#include "engine/python/src/file_members.h"
#include "engine/python/src/guarded.h"
#include "engine/python/src/key_members.h"
#include "engine/python/src/module.h"
#include "engine/python/src/properties.h"
#include "engine/python/src/without_gil.h"
#include "trommel/window_filter.h"

namespace nb = nanobind;

namespace trommel::python {
namespace {

using Window = Guarded<WindowFilter>;

void Create(Window* self, Argument window, Argument capacity, Argument target_fpr,
            Argument num_buckets, Argument is_erasable, Argument digest, Argument seed,
            Argument digest_key, Argument memory_limit_bytes, Argument side_memory_limit_bytes,
            Argument executor) {
  WindowConfig config;
  config.window = CountOf(window, "window");
  config.capacity = CountOf(capacity, "capacity");
  config.target_fpr = RateOf(target_fpr, "target_fpr");
  config.num_buckets = Count32Of(num_buckets, "num_buckets");
  config.is_erasable = FlagOf(is_erasable, "is_erasable");
  config.digest = DigestPolicyOf(digest, seed, digest_key);
  config.memory_limit_bytes = CountOf(memory_limit_bytes, "memory_limit_bytes");
  config.side_memory_limit_bytes = CountOf(side_memory_limit_bytes, "side_memory_limit_bytes");
  config.executor = ExecutorOf(executor);
  const WithoutGil without_gil;
  new (self) Window(Unwrap(WindowFilter::Create(config)));
}

// Returns the tick that the caller gave, or now.
uint64_t TickOf(const std::optional<uint64_t>& given, const WindowFilter& filter) {
  return given.value_or(filter.now());
}
std::optional<uint64_t> GivenTime(Argument time) {
  if (time.is_none()) return std::nullopt;
  return CountOf(time, "time");
}

bool Add(Window& self, Argument object, Argument time) {
  const Key key = RequireOneKey(object, kUpdateTakesBatches);
  const std::optional<uint64_t> given = GivenTime(time);
  return self.UpdateOne([&](WindowFilter& filter) {
    CheckHashable(filter.digest_policy(), key.kind());
    return filter.Insert(key, TickOf(given, filter));
  });
}

WindowInsertOutcome UpdateWith(Window& self, Argument keys, Argument time) {
  const KeyBatch batch(keys);
  const std::optional<uint64_t> given = GivenTime(time);
  return self.Update([&](WindowFilter& filter) {
    CheckHashable(filter.digest_policy(), batch.view().kind());
    return filter.Insert(batch.view(), TickOf(given, filter));
  });
}

nb::object InsertMask(Window& self, Argument keys, Argument time) {
  const std::optional<uint64_t> given = GivenTime(time);
  return MaskOfUpdate(self, KeyBatch(keys),
                      [&](WindowFilter& filter, const Keys& view, std::span<uint64_t> words) {
                        filter.Insert(view, TickOf(given, filter), words);
                      });
}

nb::object EraseAt(Window& self, Argument keys, Argument inserted_at) {
  const uint64_t tick = CountOf(inserted_at, "inserted_at");
  if (const std::optional<Key> key = OneKey(keys)) {
    return nb::bool_(self.UpdateOne([&](WindowFilter& filter) {
      CheckHashable(filter.digest_policy(), key->kind());
      return filter.Erase(*key, tick);
    }));
  }
  const KeyBatch batch(keys);
  return nb::cast(self.Update([&](WindowFilter& filter) {
    CheckHashable(filter.digest_policy(), batch.view().kind());
    return filter.Erase(batch.view(), tick);
  }));
}

EraseOutcome EraseAllAt(Window& self, Argument keys, Argument inserted_at) {
  const uint64_t tick = CountOf(inserted_at, "inserted_at");
  const KeyBatch batch(keys);
  return self.Update([&](WindowFilter& filter) {
    CheckHashable(filter.digest_policy(), batch.view().kind());
    return Unwrap(filter.EraseAll(batch.view(), std::span(&tick, 1)));
  });
}

nb::object InsertIfAbsentTimed(Window& self, Argument keys) {
  if (const std::optional<Key> key = OneKey(keys)) {
    uint64_t time = 0;
    const bool is_inserted = self.UpdateOne([&](WindowFilter& filter) {
      CheckHashable(filter.digest_policy(), key->kind());
      return filter.InsertIfAbsent(*key, &time);
    });
    return nb::make_tuple(is_inserted, time);
  }
  const KeyBatch batch(keys);
  const NewArray<uint64_t> times = NewUint64(batch.size());
  const nb::object inserted =
      MaskOfUpdate(self, batch, [&](WindowFilter& filter, const Keys& view, auto words) {
        std::vector<uint64_t> of_chunks(WindowFilter::NumChunks(view.size()));
        filter.InsertIfAbsent(view, words, of_chunks);
        for (size_t i = 0; i < view.size(); ++i) {
          times.values[i] = of_chunks[i / WindowFilter::kChunkKeys];
        }
      });
  return nb::make_tuple(inserted, times.array);
}

void DefineTime(nb::class_<Window>& bound) {
  bound.def(
      "advance",
      [](Window& self, Argument now) {
        const uint64_t tick = CountOf(now, "now");
        return self.Update([&](WindowFilter& filter) { return filter.Advance(tick); });
      },
      nb::arg("now"), nb::sig("def advance(self, now: int) -> bool"),
      "Sets the time; buckets that have left the window expire. Returns False, and changes\n"
      "nothing, if the time is before `now`.");
  bound.def("add", Add, nb::arg(), nb::arg("time") = nb::none(),
            nb::sig("def add(self, key: trommel_filters.typing.Key, /, time: int | None = None) "
                    "-> bool"),
            "Inserts one key into the bucket of a time that is not after now, which an event that\n"
            "arrives late has; None: now. Returns whether it was inserted.");
  bound.def(
      "update", UpdateWith, nb::arg(), nb::arg("time") = nb::none(),
      nb::sig("def update(self, keys: trommel_filters.typing.Keys, /, time: int | None = "
              "None) -> WindowInsertOutcome"),
      "As add, for every key of a batch. Where keys are to be erased, pass window.now and keep\n"
      "it: erase needs the time.");
  bound.def("insert_mask", InsertMask, nb::arg(), nb::arg("time") = nb::none(),
            nb::sig("def insert_mask(self, keys: trommel_filters.typing.Keys, /, time: int | None "
                    "= None) -> numpy.typing.NDArray[numpy.bool_]"),
            "As update. Returns which keys were inserted: dtype bool, shape (len(keys),). All,\n"
            "unless the limit of side memory refused some, or their bucket takes none.");
  DefineForKeys(
      bound, "insert_if_absent", InsertIfAbsent<WindowFilter>,
      "def insert_if_absent(self, key: trommel_filters.typing.Key, /) -> bool",
      "def insert_if_absent(self, keys: trommel_filters.typing.Keys, /) -> "
      "numpy.typing.NDArray[numpy.bool_]",
      "In order, inserts every key that is absent from the whole window; of equal keys the\n"
      "first. Returns which were inserted: dtype bool, shape (len(keys),), or a bool. They\n"
      "enter the bucket of now; of some time during the call where another thread advances\n"
      "meanwhile, and then their time for erase is not known: see insert_if_absent_timed.");
  DefineForKeys(
      bound, "insert_if_absent_timed", InsertIfAbsentTimed,
      "def insert_if_absent_timed(self, key: trommel_filters.typing.Key, /) -> tuple[bool, int]",
      "def insert_if_absent_timed(self, keys: trommel_filters.typing.Keys, /) -> "
      "tuple[numpy.typing.NDArray[numpy.bool_], numpy.typing.NDArray[numpy.uint64]]",
      "As insert_if_absent; returns the time of each key, too, dtype uint64: a key that was\n"
      "inserted was inserted then, which erase needs, and one that was left alone was in the\n"
      "window then. For one key: a bool and an int.");
  bound.def(
      "erase", EraseAt, nb::arg("keys"), nb::arg("inserted_at"),
      nb::sig("def erase(self, keys: trommel_filters.typing.Keys, inserted_at: int) -> "
              "EraseOutcome"),
      "Takes every key out of the bucket into which it was inserted at that time, or refuses\n"
      "it if it is certainly absent there. For one key: returns whether it was erased.");
  bound.def(
      "erase_all", EraseAllAt, nb::arg("keys"), nb::arg("inserted_at"),
      nb::sig("def erase_all(self, keys: trommel_filters.typing.Keys, inserted_at: int) -> "
              "EraseOutcome"),
      "Erases every key from the bucket of that time, or changes nothing if one is certainly\n"
      "absent from it, or counted there less often than the batch has it.");
}

}  // namespace

void BindWindow(nb::module_& module) {
  nb::class_<Window> bound(
      module, "WindowFilter", nb::type_slots(key_slots<WindowFilter>), nb::is_weak_referenceable(),
      "A set of the keys inserted during a sliding window of time.\n\n"
      "Time is the caller's: an int of any unit that never decreases, set by advance. A key is\n"
      "answered True until a window has passed since its insertion, and expires within a bucket's\n"
      "time after that. Threads may use the filter at the same time.");
  bound.def(
      "__init__", Create, nb::arg("window"), nb::arg("capacity"), nb::arg("target_fpr") = 0.01,
      nb::kw_only(), nb::arg("num_buckets") = 8, nb::arg("is_erasable") = true,
      nb::arg("digest") = "xxh3", nb::arg("seed") = 0, nb::arg("digest_key") = nb::none(),
      nb::arg("memory_limit_bytes") = 0, nb::arg("side_memory_limit_bytes") = 0,
      nb::arg("executor") = nb::none(),
      nb::sig("def __init__(self, window: int, capacity: int, target_fpr: float = 0.01, *, "
              "num_buckets: int = 8, is_erasable: bool = True, "
              "digest: trommel_filters.typing.Digest = 'xxh3', seed: int = 0, "
              "digest_key: bytes | None = None, memory_limit_bytes: int = 0, "
              "side_memory_limit_bytes: int = 0, executor: Executor | None = None) -> None"),
      "An empty filter at time 0.\n\n"
      "window: length of the window in ticks.\n"
      "capacity: distinct keys inserted within a window and one bucket.\n"
      "target_fpr: false-positive rate of a query over all live buckets, 1.6e-05 to 0.5.\n"
      "num_buckets: 1 to 64: the window slides in so many steps.\n"
      "is_erasable: False takes less memory where no key is erased.\n"
      "side_memory_limit_bytes: reserves this for further insertions of keys that are in and for\n"
      "full blocks, and refuses keys beyond it: insert_mask tells which.\n"
      "The others are as in CountingFilter, and in the C++ header window_filter.h.");
  DefineQueries<WindowFilter>(bound);
  DefineTime(bound);
  DefineFiles<WindowFilter>(bound);
  DefineObject<WindowFilter>(bound);
  DefineClear<WindowFilter>(bound);
  DefineUseExecutor<WindowFilter>(bound);
  DefineLimitSideMemory<WindowFilter>(bound);
  DefineMerge<WindowFilter>(bound,
                            "Adds the other filter's keys at their times. Both must be in the same "
                            "bucket.");
  DefineConfigured<WindowFilter>(bound);
  DefineProperty<&WindowFilter::now, WindowFilter>(bound, "now", "The time of the last advance.");
  DefineProperty<&WindowFilter::window, WindowFilter>(bound, "window", "Ticks of the window.");
  DefineProperty<&WindowFilter::num_buckets, WindowFilter>(bound, "num_buckets",
                                                           "Buckets per window.");
  DefineProperty<&WindowFilter::bucket_ticks, WindowFilter>(bound, "bucket_ticks",
                                                            "Ticks of the longest bucket.");
  DefineProperty<&WindowFilter::capacity, WindowFilter>(bound, "capacity",
                                                        "Distinct keys, as configured.");
  DefineProperty<&WindowFilter::is_erasable, WindowFilter>(bound, "is_erasable",
                                                           "Whether keys can be erased.");
}

}  // namespace trommel::python
