// The C++ side of batches.py: what a batch costs without Python, called in the same process on the
// same keys. A library of C functions, which ctypes loads.
#include <time.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "trommel/counting_filter.h"
#include "trommel/keys.h"

namespace {

// CPU seconds of this thread: what else runs on the machine is left out, as in batches.py.
double Now() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Side {
  explicit Side(trommel::CountingFilter&& made) : filter(std::move(made)) {}

  trommel::CountingFilter filter;
  std::vector<std::string_view> views;
  std::vector<uint64_t> bitmap;
};

trommel::Keys KeysOf(const Side& side, const uint64_t* integers, size_t num_keys) {
  if (integers != nullptr) return std::span(integers, num_keys);
  return side.views;
}

}  // namespace

extern "C" {

// Returns null if the filter cannot be made.
void* trommel_side_new(uint64_t capacity, double target_fpr) {
  auto made = trommel::CountingFilter::Create({.capacity = capacity, .target_fpr = target_fpr});
  return made.ok() ? new Side(std::move(*made)) : nullptr;
}
void trommel_side_free(void* side) { delete static_cast<Side*>(side); }

// Makes the views of an Arrow array of strings, which a C++ caller has: not timed.
void trommel_side_views(void* opaque, const char* bytes, const int32_t* offsets, size_t num_keys) {
  Side& side = *static_cast<Side*>(opaque);
  side.views.clear();
  for (size_t i = 0; i < num_keys; ++i) {
    side.views.emplace_back(bytes + offsets[i], offsets[i + 1] - offsets[i]);
  }
}

// Runs one batch and returns its seconds. `what`: 0 insert, 1 query, 2 erase, 3 insert if absent.
// Null integers: the views. `num_done` receives how many keys were inserted, present or erased.
double trommel_side_run(void* opaque, int what, const uint64_t* integers, size_t num_keys,
                        uint64_t* num_done) {
  Side& side = *static_cast<Side*>(opaque);
  const trommel::Keys keys = KeysOf(side, integers, num_keys);
  side.bitmap.resize(trommel::BitmapWords(num_keys));
  const double start = Now();
  switch (what) {
    case 0:
      *num_done = side.filter.Insert(keys).num_inserted;
      break;
    case 1:
      *num_done = side.filter.Query(keys, side.bitmap);
      break;
    case 2:
      *num_done = side.filter.Erase(keys).num_erased;
      break;
    default:
      *num_done = side.filter.InsertIfAbsent(keys, side.bitmap);
      break;
  }
  return Now() - start;
}

}  // extern "C"
