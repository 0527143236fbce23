// AttributeSets: which sets are allowed under cuts, a limit or a list, and the parts of a query.
#include "trommel/attribute_sets.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include "engine/src/base/check.h"
#include "engine/src/base/grouped_text.h"

namespace trommel {
namespace {

using Masks = std::vector<AttributeMask>;

Error BadSets(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

AttributeMask LowestOf(AttributeMask set) { return set & (~set + 1); }

bool Contains(AttributeMask set, AttributeMask inner) { return (set & inner) == inner; }

bool IsIn(AttributeMask set, std::span<const AttributeMask> ascending) {
  return std::ranges::binary_search(ascending, set);
}

Status CheckNumAttributes(uint32_t num_attributes) {
  if (num_attributes != 0 && num_attributes <= kMaxAttributes) return Ok();
  return BadSets("num_attributes is " + std::to_string(num_attributes) +
                 "; it must be between 1 and " + std::to_string(kMaxAttributes));
}

Status CheckWithin(const std::string& text, AttributeMask set, uint32_t num_attributes) {
  if (static_cast<uint32_t>(std::bit_width(set)) <= num_attributes) return Ok();
  return BadSets(text + " has attributes beyond the last one, " +
                 std::to_string(num_attributes - 1));
}

Status CheckCut(AttributeMask cut, uint32_t num_attributes) {
  const std::string text = "cut " + AttributeMaskText(cut);
  if (cut == 0) {
    return BadSets(text +
                   " is empty: every set contains it, so no set could be queried; a cut has at "
                   "least 2 attributes");
  }
  if (Status within = CheckWithin(text, cut, num_attributes); !within.ok()) return within;
  if (!std::has_single_bit(cut)) return Ok();
  return BadSets(text +
                 " is a single attribute, which no query could contain: leave the attribute out; a "
                 "cut has at least 2 attributes");
}

// Ascending, each once.
Masks Ascending(std::span<const AttributeMask> sets) {
  Masks ascending(sets.begin(), sets.end());
  std::ranges::sort(ascending);
  // Not std::ranges::unique: clang 14 cannot compile the ranges of libstdc++ 12.
  ascending.erase(std::unique(ascending.begin(), ascending.end()), ascending.end());
  return ascending;
}

// How many sets of at most so many attributes there are; the largest number where that does not
// count them.
uint64_t NumSetsAtMost(uint32_t num_attributes, uint32_t max_together) {
  uint64_t sum = 0;
  uint64_t of_size = 1;
  for (uint32_t size = 1; size <= max_together; ++size) {
    // of_size * factor / size is whole, and so is each step of it where the first does not wrap.
    const uint64_t factor = num_attributes - size + 1;
    if (of_size > std::numeric_limits<uint64_t>::max() / factor) {
      return std::numeric_limits<uint64_t>::max();
    }
    of_size = of_size * factor / size;
    if (sum > std::numeric_limits<uint64_t>::max() - of_size) {
      return std::numeric_limits<uint64_t>::max();
    }
    sum += of_size;
  }
  return sum;
}

std::string AtMostText(uint32_t max_together) {
  return "at most " + std::to_string(max_together) + " together";
}

// What was requested has more sets than there may be; and which limit would have fewer.
Error TooManySets(uint32_t num_attributes, uint32_t max_together, size_t num_cuts) {
  std::string text = std::to_string(num_attributes) + " attributes";
  if (max_together < num_attributes) text += ", " + AtMostText(max_together) + ",";
  if (num_cuts != 0) {
    text += " under " + GroupedText(num_cuts) + (num_cuts == 1 ? " cut" : " cuts") +
            " are more than " + GroupedText(kMaxAttributeSets) + " sets";
  } else {
    const uint64_t num_sets = NumSetsAtMost(num_attributes, max_together);
    // Saturated where the sets of one size alone are more than 2^64 / 64.
    const bool is_counted = num_sets != std::numeric_limits<uint64_t>::max();
    text += " are " + (is_counted ? GroupedText(num_sets) : "over 10^17") + " sets";
  }
  uint32_t fitting = 1;
  while (NumSetsAtMost(num_attributes, fitting + 1) <= kMaxAttributeSets) ++fitting;
  return BadSets(text + "; there may be " + GroupedText(kMaxAttributeSets) + ": allow " +
                 AtMostText(fitting) + " (" + GroupedText(NumSetsAtMost(num_attributes, fitting)) +
                 " sets), cut more, or list the sets that will be queried");
}

// The sets of at most max_together attributes that contain no cut, ascending; none if there are too
// many. From size to size: a set contains no cut if it is none, and if none of the sets that have
// one attribute less contains one. So cuts cost searches, however many there are.
std::optional<Masks> SetsWithout(std::span<const AttributeMask> cuts, uint32_t num_attributes,
                                 uint32_t max_together) {
  Masks allowed;
  Masks of_size;
  for (uint32_t a = 0; a < num_attributes; ++a) of_size.push_back(AttributeMask{1} << a);
  for (uint32_t size = 1; !of_size.empty(); ++size) {
    allowed.insert(allowed.end(), of_size.begin(), of_size.end());
    if (size == max_together) break;
    Masks larger;
    for (const AttributeMask set : of_size) {
      for (auto a = static_cast<uint32_t>(std::bit_width(set)); a < num_attributes; ++a) {
        const AttributeMask bit = AttributeMask{1} << a;
        bool contains_cut = !cuts.empty() && IsIn(set | bit, cuts);
        for (AttributeMask rest = cuts.empty() ? 0 : set; rest != 0 && !contains_cut;
             rest &= rest - 1) {
          contains_cut = !IsIn((set ^ LowestOf(rest)) | bit, of_size);
        }
        if (contains_cut) continue;
        larger.push_back(set | bit);
        if (allowed.size() + larger.size() > kMaxAttributeSets) return std::nullopt;
      }
    }
    std::ranges::sort(larger);
    of_size = std::move(larger);
  }
  std::ranges::sort(allowed);
  return allowed;
}

// Whether no other cut is within it: all sets that have one attribute less are allowed.
bool IsLeastCut(AttributeMask cut, std::span<const AttributeMask> allowed) {
  for (AttributeMask rest = cut; rest != 0; rest &= rest - 1) {
    if (!IsIn(cut ^ LowestOf(rest), allowed)) return false;
  }
  return true;
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
  if (Status good = CheckNumAttributes(num_attributes); !good.ok()) return good.error();
  return AtMost(num_attributes, num_attributes, cuts);
}

Result<AttributeSets> AttributeSets::AtMost(uint32_t num_attributes, uint32_t max_together,
                                            std::span<const AttributeMask> cuts) {
  if (Status good = CheckNumAttributes(num_attributes); !good.ok()) return good.error();
  if (max_together == 0 || max_together > num_attributes) {
    return BadSets("max_together is " + std::to_string(max_together) +
                   "; it must be between 1 and " + std::to_string(num_attributes) +
                   " (num_attributes)");
  }
  for (const AttributeMask cut : cuts) {
    if (Status good = CheckCut(cut, num_attributes); !good.ok()) return good.error();
  }
  Masks least = Ascending(cuts);
  std::erase_if(least, [max_together](AttributeMask cut) {
    return static_cast<uint32_t>(std::popcount(cut)) > max_together;
  });
  std::optional<Masks> allowed = SetsWithout(least, num_attributes, max_together);
  if (!allowed) return TooManySets(num_attributes, max_together, least.size());
  std::erase_if(least, [&](AttributeMask cut) { return !IsLeastCut(cut, *allowed); });
  return AttributeSets(num_attributes, max_together, false, std::move(least), *std::move(allowed));
}

Result<AttributeSets> AttributeSets::Keep(uint32_t num_attributes,
                                          std::span<const AttributeMask> kept) {
  if (Status good = CheckNumAttributes(num_attributes); !good.ok()) return good.error();
  Masks allowed = Ascending(kept);
  AttributeMask covered = 0;
  int max_together = 0;
  for (const AttributeMask set : allowed) {
    if (set == 0) return BadSets("a listed set is empty; it must have at least 1 attribute");
    const std::string text = "the listed set " + AttributeMaskText(set);
    if (Status within = CheckWithin(text, set, num_attributes); !within.ok()) return within.error();
    covered |= set;
    max_together = std::max(max_together, std::popcount(set));
  }
  const auto first_left = static_cast<uint32_t>(std::countr_one(covered));
  if (first_left < num_attributes) {
    return BadSets("attribute " + std::to_string(first_left) +
                   " is in no listed set, so it could never be queried: list a set with it, or "
                   "leave the attribute out");
  }
  if (allowed.size() > kMaxAttributeSets) {
    return BadSets(GroupedText(allowed.size()) + " sets are listed; there may be " +
                   GroupedText(kMaxAttributeSets));
  }
  return AttributeSets(num_attributes, static_cast<uint32_t>(max_together), true, {},
                       std::move(allowed));
}

bool AttributeSets::IsAllowed(AttributeMask set) const noexcept { return IsIn(set, allowed_); }

size_t AttributeSets::IndexOf(AttributeMask set) const noexcept {
  const auto found = std::ranges::lower_bound(allowed_, set);
  TROMMEL_CHECK(found != allowed_.end() && *found == set, "this set of attributes is not allowed");
  return static_cast<size_t>(found - allowed_.begin());
}

std::vector<AttributeMask> AttributeSets::PartsOf(AttributeMask queried) const {
  TROMMEL_CHECK(Contains(full(), queried), "a query has attributes that the tuples do not have");
  if (IsAllowed(queried)) return {queried};
  Masks within;
  if (static_cast<size_t>(std::popcount(queried)) <
      static_cast<size_t>(std::bit_width(allowed_.size()))) {
    for (AttributeMask set = queried; set != 0; set = (set - 1) & queried) {
      if (IsAllowed(set)) within.push_back(set);
    }
  } else {
    std::ranges::copy_if(allowed_, std::back_inserter(within),
                         [queried](AttributeMask set) { return Contains(queried, set); });
  }
  std::ranges::sort(within, [](AttributeMask a, AttributeMask b) {
    const int more = std::popcount(a) - std::popcount(b);
    return more != 0 ? more > 0 : a < b;
  });
  Masks parts;
  for (const AttributeMask set : within) {
    bool is_largest = true;
    if (is_list_) {
      is_largest = std::ranges::none_of(
          parts, [set](AttributeMask larger) { return Contains(larger, set); });
    } else if (static_cast<uint32_t>(std::popcount(set)) != max_together_) {
      // With a set all that is within it is allowed: a larger one has one with one attribute more.
      for (AttributeMask left = queried & ~set; left != 0 && is_largest; left &= left - 1) {
        is_largest = !IsAllowed(set | LowestOf(left));
      }
    }
    if (is_largest) parts.push_back(set);
  }
  return parts;
}

bool AttributeSets::IsCovered(AttributeMask queried) const noexcept {
  TROMMEL_CHECK(Contains(full(), queried), "a query has attributes that the tuples do not have");
  if (!is_list_) return true;
  AttributeMask covered = 0;
  for (const AttributeMask set : allowed_) covered |= Contains(queried, set) ? set : 0;
  return covered == queried;
}

}  // namespace trommel
