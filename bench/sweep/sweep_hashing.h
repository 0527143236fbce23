// The hashing rows of a sweep: 64-bit integers and strings are hashed to digests. Every step is
// compared with the digests of single keys.
#ifndef TROMMEL_BENCH_SWEEP_SWEEP_HASHING_H_
#define TROMMEL_BENCH_SWEEP_SWEEP_HASHING_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/sweep/sweep_step.h"
#include "trommel/executor.h"
#include "trommel/keys.h"

namespace trommel::bench {

class SweepHashing {
 public:
  // Strings are "user:" and up to 20 digits: short, as most keys are, and of several lengths.
  explicit SweepHashing(size_t num_keys);

  // Times one call per `batch` keys over all keys, by these threads (null: the calling one alone).
  // Throws WrongAnswer.
  StepTime StepInts(Executor* executor, size_t batch);
  StepTime StepStrings(Executor* executor, size_t batch);

 private:
  template <class T>
  StepTime Step(const std::vector<T>& keys, const std::vector<uint64_t>& want, Executor* executor,
                size_t batch);

  std::vector<uint64_t> ints_;
  std::string characters_;
  std::vector<std::string_view> strings_;
  std::vector<uint64_t> want_ints_;
  std::vector<uint64_t> want_strings_;
  std::vector<uint64_t> digests_;
};

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SWEEP_SWEEP_HASHING_H_
