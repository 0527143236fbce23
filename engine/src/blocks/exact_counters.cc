#include "engine/src/blocks/exact_counters.h"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace trommel {
namespace {

template <class Vector>
using IntegerOf = typename std::decay_t<Vector>::value_type;

}  // namespace

ExactCounters::ExactCounters(std::span<const uint64_t> counters)
    : counters_(std::vector<uint8_t>(counters.size())) {
  const uint64_t largest = counters.empty() ? 0 : *std::ranges::max_element(counters);
  const auto too_narrow = [largest](const auto& held) {
    return largest > std::numeric_limits<IntegerOf<decltype(held)>>::max();
  };
  while (std::visit(too_narrow, counters_)) Widen();
  std::visit(
      [counters](auto& held) {
        std::ranges::transform(counters, held.begin(), [](uint64_t count) {
          return static_cast<IntegerOf<decltype(held)>>(count);
        });
      },
      counters_);
}

uint64_t ExactCounters::At(size_t idx) const {
  return std::visit([idx](const auto& held) { return uint64_t{held[idx]}; }, counters_);
}

void ExactCounters::Increment(size_t idx) {
  const auto is_at_limit = [idx](const auto& held) {
    return held[idx] == std::numeric_limits<IntegerOf<decltype(held)>>::max();
  };
  if (std::visit(is_at_limit, counters_)) Widen();
  std::visit([idx](auto& held) { ++held[idx]; }, counters_);
}

uint64_t ExactCounters::Decrement(size_t idx) {
  return std::visit([idx](auto& held) { return uint64_t{--held[idx]}; }, counters_);
}

void ExactCounters::CopyTo(std::span<uint64_t> counters) const {
  std::visit([counters](const auto& held) { std::ranges::copy(held, counters.begin()); },
             counters_);
}

uint64_t ExactCounters::num_bytes() const {
  return std::visit(
      [](const auto& held) { return held.size() * sizeof(IntegerOf<decltype(held)>); }, counters_);
}

void ExactCounters::Widen() {
  std::visit(
      [this](const auto& held) {
        using Integer = IntegerOf<decltype(held)>;
        if constexpr (std::is_same_v<Integer, uint8_t>) {
          counters_ = std::vector<uint16_t>(held.begin(), held.end());
        } else if constexpr (std::is_same_v<Integer, uint16_t>) {
          counters_ = std::vector<uint32_t>(held.begin(), held.end());
        } else if constexpr (std::is_same_v<Integer, uint32_t>) {
          counters_ = std::vector<uint64_t>(held.begin(), held.end());
        }  // 64 bits: 2^64 insertions are out of reach
      },
      counters_);
}

}  // namespace trommel
