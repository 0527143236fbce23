// RunInterleavings: a range of seeds, each one interleaving of the actors of one world.
#ifndef TROMMEL_TESTS_INDEX_SUPPORT_INTERLEAVINGS_H_
#define TROMMEL_TESTS_INDEX_SUPPORT_INTERLEAVINGS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "index/support/interleaver.h"

namespace trommel::index::tests {

class Interleavings {
 public:
  // Returns what went wrong in the run of this seed; empty if nothing did.
  std::string Run(uint64_t seed, bool is_traced = false);
  // Returns the same, with the steps that led to it.
  std::string Explain(uint64_t seed);
  uint64_t num_steps() const { return num_steps_; }

 private:
  // A multiple of a gate's stripes, so that the same actor of two interleavers has the same one.
  static constexpr size_t kMaxActors = 16;
  static constexpr size_t kMaxSteps = 40'000;

  std::unique_ptr<Interleaver> interleaver_ = std::make_unique<Interleaver>(kMaxActors);
  std::vector<std::string> trace_;
  uint64_t num_steps_ = 0;
};

// Returns the first failure of these seeds, with the number of the run and its steps; empty if
// there is none.
std::string RunInterleavings(uint64_t first_seed, uint64_t count);

}  // namespace trommel::index::tests

#endif  // TROMMEL_TESTS_INDEX_SUPPORT_INTERLEAVINGS_H_
