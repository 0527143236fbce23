#include "trommel/attribute_sets.h"

#include <algorithm>
#include <bit>

#include "engine/src/base/check.h"

namespace trommel {
namespace {

bool ContainsAny(AttributeMask set, std::span<const AttributeMask> cuts) {
  return std::ranges::any_of(cuts, [set](AttributeMask cut) { return (set & cut) == cut; });
}

Status CheckCut(AttributeMask cut, uint32_t num_attributes) {
  const std::string text = "cut " + AttributeMaskText(cut);
  if (cut == 0) {
    return Error{ErrorCode::kInvalidArgument,
                 text +
                     " is empty: every set contains it, so no set could be queried; a cut has at "
                     "least 2 attributes"};
  }
  if (cut >> num_attributes != 0) {
    return Error{ErrorCode::kInvalidArgument, text + " has attributes beyond the last one, " +
                                                  std::to_string(num_attributes - 1)};
  }
  if (std::has_single_bit(cut)) {
    return Error{ErrorCode::kInvalidArgument,
                 text +
                     " is a single attribute, which no query could contain: leave the attribute "
                     "out; a cut has at least 2 attributes"};
  }
  return Ok();
}

// The cuts that contain no other cut, ascending.
std::vector<AttributeMask> SmallestCuts(std::span<const AttributeMask> cuts) {
  std::vector<AttributeMask> ascending(cuts.begin(), cuts.end());
  std::ranges::sort(ascending);  // what a cut contains comes before it
  std::vector<AttributeMask> smallest;
  for (const AttributeMask cut : ascending) {
    if (!ContainsAny(cut, smallest)) smallest.push_back(cut);
  }
  return smallest;
}

}  // namespace

std::string AttributeMaskText(AttributeMask mask) {
  std::string text = "{";
  for (; mask != 0; mask &= mask - 1) {
    if (text.size() > 1) text += ',';
    text += std::to_string(std::countr_zero(mask));
  }
  return text + "}";
}

Result<AttributeSets> AttributeSets::Create(uint32_t num_attributes,
                                            std::span<const AttributeMask> cuts) {
  if (num_attributes == 0 || num_attributes > kMaxAttributes) {
    return Error{ErrorCode::kInvalidArgument,
                 "num_attributes is " + std::to_string(num_attributes) +
                     "; it must be between 1 and " + std::to_string(kMaxAttributes)};
  }
  for (const AttributeMask cut : cuts) {
    if (Status status = CheckCut(cut, num_attributes); !status.ok()) return status.error();
  }
  std::vector<AttributeMask> smallest = SmallestCuts(cuts);
  std::vector<AttributeMask> allowed;
  for (AttributeMask set = 1; set >> num_attributes == 0; ++set) {
    if (!ContainsAny(set, smallest)) allowed.push_back(set);
  }
  return AttributeSets(num_attributes, std::move(smallest), std::move(allowed));
}

bool AttributeSets::IsAllowed(AttributeMask set) const noexcept {
  return std::ranges::binary_search(allowed_, set);  // cuts may be thousands
}

size_t AttributeSets::IndexOf(AttributeMask set) const noexcept {
  const auto found = std::ranges::lower_bound(allowed_, set);
  TROMMEL_CHECK(found != allowed_.end() && *found == set, "this set of attributes is not allowed");
  return static_cast<size_t>(found - allowed_.begin());
}

std::vector<AttributeMask> AttributeSets::PartsOf(AttributeMask queried) const {
  TROMMEL_CHECK((queried & ~full()) == 0, "a query has attributes that the tuples do not have");
  std::vector<AttributeMask> parts;
  // All subsets of `queried`, from the largest mask down.
  for (AttributeMask set = queried; set != 0; set = (set - 1) & queried) {
    if (!IsAllowed(set)) continue;
    bool is_largest = true;
    for (AttributeMask left = queried & ~set; left != 0 && is_largest; left &= left - 1) {
      is_largest = !IsAllowed(set | (left & (~left + 1)));
    }
    if (is_largest) parts.push_back(set);
  }
  std::ranges::sort(parts, [](AttributeMask a, AttributeMask b) {
    const int more = std::popcount(a) - std::popcount(b);
    return more != 0 ? more > 0 : a < b;
  });
  return parts;
}

}  // namespace trommel
