// What compare.py binds: calls that do next to nothing, so that what is measured is the binding.
#ifndef TROMMEL_BENCH_PYTHON_BINDINGS_SUBJECT_H_
#define TROMMEL_BENCH_PYTHON_BINDINGS_SUBJECT_H_

#include <cstddef>
#include <cstdint>
#include <span>

class Subject {
 public:
  explicit Subject(uint64_t seed) : seed_(seed) {}

  bool Has(uint64_t key) const { return ((key ^ seed_) & 1) == 0; }
  size_t Count(std::span<const uint64_t> keys) const {
    size_t count = 0;
    for (const uint64_t key : keys) count += Has(key) ? 1 : 0;
    return count;
  }
  uint64_t seed() const { return seed_; }

 private:
  uint64_t seed_;
};

#endif  // TROMMEL_BENCH_PYTHON_BINDINGS_SUBJECT_H_
