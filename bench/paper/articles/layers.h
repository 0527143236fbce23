// Two layers, as the article on space means them, of two counting filters: a small coarse one that
// is queried first, and a large one that is queried for what the small one passes. Both hold all
// keys, and one digest serves both.
//
//   key --> first (small) --maybe present--> large --maybe present--> maybe present
//              | absent                        | absent
#ifndef TROMMEL_BENCH_PAPER_ARTICLES_LAYERS_H_
#define TROMMEL_BENCH_PAPER_ARTICLES_LAYERS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "trommel/counting_filter.h"
#include "trommel/keys.h"

namespace trommel::paper {

class Layers {
 public:
  // Sized for the rate of the large layer. The first one passes at most 20 % of non-members.
  static Layers Create(uint64_t capacity, double target_fpr);

  // Requires digests.
  void Insert(Keys digests) {
    first_.Insert(digests);
    large_.Insert(digests);
  }
  // As CountingFilter::Query. Requires digests.
  size_t Query(Keys digests, std::span<uint64_t> maybe_present) const;

  const CountingFilter& first() const { return first_; }
  const CountingFilter& large() const { return large_; }
  double num_bytes() const;

 private:
  Layers(CountingFilter first, CountingFilter large)
      : first_(std::move(first)), large_(std::move(large)) {}

  CountingFilter first_;
  CountingFilter large_;
};

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_ARTICLES_LAYERS_H_
