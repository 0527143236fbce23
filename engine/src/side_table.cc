// Exact counters of promoted blocks.
#include "engine/src/side_table.h"

#include <algorithm>
#include <cstddef>
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

void ExactCounters::Add(size_t idx) {
  const auto is_at_limit = [idx](const auto& held) {
    return held[idx] == std::numeric_limits<IntegerOf<decltype(held)>>::max();
  };
  if (std::visit(is_at_limit, counters_)) Widen();
  std::visit([idx](auto& held) { ++held[idx]; }, counters_);
}

uint64_t ExactCounters::Take(size_t idx) {
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

SideTable::SideTable(uint64_t num_blocks, uint32_t owner_bits)
    : blocks_per_owner_(num_blocks >> owner_bits), owners_(size_t{1} << owner_bits) {}

void SideTable::Put(uint64_t block_idx, std::span<const uint64_t> counters) {
  Of(block_idx).insert_or_assign(block_idx, ExactCounters(counters));
}

void SideTable::Clear() {
  for (Map& owner : owners_) owner.clear();
}

void SideTable::CopyOwner(const SideTable& from, uint64_t owner_idx) {
  owners_[owner_idx] = from.owners_[owner_idx];
}

uint64_t SideTable::num_blocks() const {
  uint64_t num_blocks = 0;
  for (const Map& owner : owners_) num_blocks += owner.size();
  return num_blocks;
}

uint64_t SideTable::num_bytes() const {
  uint64_t bytes = 0;
  for (uint64_t o = 0; o < owners_.size(); ++o) bytes += num_bytes(o);
  return bytes;
}

uint64_t SideTable::num_bytes(uint64_t owner_idx) const {
  // A node of a map: its key and value, the links, and its share of the bucket array.
  constexpr uint64_t kNodeBytes = sizeof(uint64_t) + sizeof(ExactCounters) + 2 * sizeof(void*);
  uint64_t bytes = 0;
  for (const auto& [block_idx, counters] : owners_[owner_idx]) {
    bytes += kNodeBytes + counters.num_bytes();
  }
  return bytes;
}

std::vector<uint64_t> SideTable::SortedBlocks() const {
  std::vector<uint64_t> sorted;
  sorted.reserve(num_blocks());
  for (const Map& owner : owners_) {  // their ranges ascend
    const auto first = static_cast<std::ptrdiff_t>(sorted.size());
    for (const auto& [block_idx, counters] : owner) sorted.push_back(block_idx);
    std::sort(sorted.begin() + first, sorted.end());
  }
  return sorted;
}

}  // namespace trommel
