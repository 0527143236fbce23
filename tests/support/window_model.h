// The model of a window filter: for each block and fingerprint the copies of each bucket, in maps
// that forget nothing. It knows no slots, no stamps and no sweeps.
#ifndef TROMMEL_TESTS_SUPPORT_WINDOW_MODEL_H_
#define TROMMEL_TESTS_SUPPORT_WINDOW_MODEL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "support/window_subject.h"

namespace trommel::tests {

class WindowModel : public WindowSubject {
 public:
  // Of the geometry that the filters have.
  WindowModel(const WindowProgram& program, const Geometry& geometry);

  uint64_t Now(size_t which) override { return windows_[which].now; }
  bool Advance(size_t which, uint64_t now) override;
  uint64_t Insert(size_t which, Digests digests) override;
  Answers InsertIfAbsent(size_t which, Digests digests) override;
  WindowInsertOutcome InsertAt(size_t which, Digests digests, uint64_t time) override;
  EraseOutcome Erase(size_t which, Digests digests, uint64_t inserted_at, Answers& erased) override;
  void Merge(size_t which) override;
  void Reload(size_t) override {}
  void Clear(size_t which) override;
  Answers Query(size_t which, Digests digests) override;
  std::vector<uint64_t> Counts(size_t which, Digests digests) override;
  uint64_t NumKeys(size_t which) override;

 private:
  using Place = std::pair<uint64_t, uint64_t>;  // block, fingerprint
  using Copies = std::map<uint64_t, uint64_t>;  // by bucket; none is 0

  struct Window {
    uint64_t now = 0;
    std::map<Place, Copies> copies;
    std::map<uint64_t, uint64_t> num_keys;  // by bucket: insertions less erasures
  };

  uint64_t BucketAt(uint64_t tick) const;
  uint64_t FirstLive(const Window& window) const;
  bool IsLive(const Window& window, uint64_t time) const;
  Place PlaceOf(uint64_t digest) const;
  void Add(Window& window, const Place& place, uint64_t bucket, uint64_t count) const;
  uint64_t CountOf(const Window& window, uint64_t digest) const;

  const uint64_t window_;
  const uint64_t num_buckets_;
  const bool is_erasable_;
  const Geometry geometry_;
  std::array<Window, 2> windows_;
};

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_WINDOW_MODEL_H_
