/// @file
/// Stripes: a counter that all threads change is spread over several cache lines, of which each
/// thread uses one.
#ifndef TROMMEL_SYNC_STRIPE_H_
#define TROMMEL_SYNC_STRIPE_H_

#include <atomic>
#include <cstddef>

namespace trommel {

/// Cache lines of a striped counter.
inline constexpr size_t kNumStripes = 32;

/// Returns the calling thread's stripe, always the same.
inline size_t StripeOfThread() {
  static std::atomic<size_t> next_stripe{0};
  thread_local const size_t stripe =
      next_stripe.fetch_add(1, std::memory_order_relaxed) % kNumStripes;
  return stripe;
}

}  // namespace trommel

#endif  // TROMMEL_SYNC_STRIPE_H_
