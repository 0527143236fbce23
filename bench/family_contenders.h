// The family's types as sides of a comparison with CountingFilter (contenders.h): each sized for
// the same keys and the same rate in all.
#ifndef TROMMEL_BENCH_FAMILY_CONTENDERS_H_
#define TROMMEL_BENCH_FAMILY_CONTENDERS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "bench/contenders.h"
#include "trommel/sizing.h"

namespace trommel::bench {

struct FamilyRequest {
  uint64_t num_keys = 0;
  double target_fpr = 0.01;
  Encoding encoding = Encoding::kRuns;
  uint32_t num_generations = 8;  // of the scalable filter, when num_keys are in
  uint32_t num_buckets = 8;      // of the window filter: of these, all hold keys
};

// The order of MakeFamily's sides.
enum FamilySide : uint8_t {
  kCountingSide,
  kConcurrentSide,
  kScalableSide,
  kWindowSide,
  kLayeredSide,
  kNumFamilySides
};

// All of them, empty. The window's clock goes on while the first num_keys come in, so that they are
// spread evenly over its buckets; what comes later enters the last one. Ends the program when
// sizing or memory fails.
std::vector<std::unique_ptr<Contender>> MakeFamily(const FamilyRequest& request);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_FAMILY_CONTENDERS_H_
