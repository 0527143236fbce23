// The specification of the classic filters: plain numbers, one key, one hash and one counter at a
// time, from the published definitions. Kernels and engine are right iff they leave what this
// leaves. Written in another style on purpose; slow.
#ifndef TROMMEL_KERNELS_CLASSIC_REFERENCE_H_
#define TROMMEL_KERNELS_CLASSIC_REFERENCE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trommel::kernels {

struct ClassicShape {
  bool has_slices = true;
  bool is_mixed = false;
  uint32_t num_hashes = 1;
  uint32_t counter_bits = 4;
  uint64_t num_positions = 1;  // of a slice, or of the array
};

class ClassicReference {
 public:
  explicit ClassicReference(const ClassicShape& shape);

  void Insert(uint64_t digest);
  bool InsertIfAbsent(uint64_t digest);  // true: it was absent
  bool Erase(uint64_t digest);           // false: refused, nothing changes
  bool MayContain(uint64_t digest) const { return MayContain(digest, shape_.num_hashes); }
  bool MayContain(uint64_t digest, uint32_t num_probes) const;
  uint64_t CountEstimate(uint64_t digest) const;

  void Merge(const ClassicReference& other);
  bool Subtract(const ClassicReference& other);  // false: refused, nothing changes
  ClassicReference Folded() const;
  ClassicReference FirstSlices(uint32_t num_slices) const;

  const ClassicShape& shape() const { return shape_; }
  // counters()[slice][position]
  const std::vector<std::vector<uint64_t>>& counters() const { return counters_; }
  uint64_t num_lost() const { return num_lost_; }  // increments that fell on stuck counters
  uint64_t num_stuck() const;
  uint64_t num_present(size_t slice_idx) const;
  // The memory as classic_array.h describes it.
  std::vector<uint8_t> Bytes() const;

 private:
  uint64_t max_count() const { return (uint64_t{1} << shape_.counter_bits) - 1; }
  // Slice and position of hash i.
  struct Place {
    size_t slice_idx;
    uint64_t position;
    friend bool operator==(const Place&, const Place&) = default;
  };
  Place PlaceOf(uint64_t digest, uint32_t hash_idx) const;
  uint64_t At(const Place& place) const { return counters_[place.slice_idx][place.position]; }
  // Counts up to the maximum; what is beyond is lost.
  uint64_t Limited(uint64_t count);

  ClassicShape shape_;
  std::vector<std::vector<uint64_t>> counters_;
  uint64_t num_lost_ = 0;
};

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_CLASSIC_REFERENCE_H_
