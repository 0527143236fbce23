/// @file
/// AttributeSets, the sets of a tuple's attributes that may be queried together.
#ifndef TROMMEL_ATTRIBUTE_SETS_H_
#define TROMMEL_ATTRIBUTE_SETS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trommel/export.h"
#include "trommel/result.h"

namespace trommel {

/// A set of attributes: bit i stands for attribute i.
using AttributeMask = uint64_t;

/// Most attributes of a tuple.
inline constexpr uint32_t kMaxAttributes = 64;
/// Most sets that may be queried together. 16 attributes without a cut have 65,535.
inline constexpr size_t kMaxAttributeSets = size_t{1} << 16;

/// Returns the set in braces: "{0,2}".
TROMMEL_API std::string AttributeMaskText(AttributeMask mask);

/// The sets of a tuple's attributes that may be queried together.
///
/// Tuples have d attributes, and a query is for a set of them. The sets that are *allowed* are kept
/// by a structure, each in memory of its own. A query for any other set is split into its *parts*,
/// the largest allowed sets within it, and all parts must match. If different tuples match the
/// parts, the answer is "maybe present" although no tuple matches the query: a *combination false
/// positive*, which more memory does not avoid.
///
/// There are 2^d - 1 sets. Three ways leave some of them out, and the memory that they would take:
/// - A *cut* (Create) is a set that will not be queried as a whole: it and every set that contains
///   it are left out.
/// - A *limit* (AtMost) leaves out the sets of more than so many attributes.
/// - A *list* (Keep) has exactly the allowed sets.
/// @code{.unparsed}
///   d = 3, cuts {0,1} and {0,2}:   allowed {0} {1} {2} {1,2}     parts of {0,1,2}: {1,2} and {0}
///   d = 3, at most 2 together:     allowed {0} {1} {0,1} {2} {0,2} {1,2}
///                                  parts of {0,1,2}: {0,1} and {0,2} and {1,2}
///   d = 3, the list {0} {0,1,2}:   parts of {0,1}: {0}, and attribute 1 is not looked at
/// @endcode
/// Up to 16 attributes may be allowed all together. With more, a limit, cuts or a list must leave
/// at most kMaxAttributeSets.
///
/// Source: Wang, Yun, Wang and Wang, "CBFM: cutted Bloom filter matrix for multi-dimensional
/// membership query", section 3.2, for cuts. (It states that a query has at most d parts. There can
/// be 2^(d/2): d / 2 disjoint cuts of two attributes leave a choice of one attribute from every
/// pair.)
class TROMMEL_API AttributeSets {
 public:
  /// One attribute, no cuts.
  AttributeSets() : AttributeSets(1, 1, false, {}, {1}) {}

  /// Creates the sets of num_attributes attributes that contain no cut. A cut that contains another
  /// cut, or equals one, adds nothing and is dropped.
  ///
  /// Fails with kInvalidArgument, naming the value, for num_attributes out of 1 to kMaxAttributes;
  /// for a cut that is empty (it would forbid everything), has a single attribute (which could then
  /// never be queried: leave the attribute out), or has attributes beyond num_attributes; and if
  /// more than kMaxAttributeSets are left, saying how many there are. Thread safety: any thread.
  /// Cost: up to num_attributes steps per allowed set without cuts, some tens of times as many with
  /// cuts: at most tenths of a second.
  static Result<AttributeSets> Create(uint32_t num_attributes,
                                      std::span<const AttributeMask> cuts = {});

  /// Creates the sets of at most max_together attributes that contain no cut. A cut of more
  /// attributes adds nothing and is dropped. Of 20 attributes, at most 4 together are 6,195 sets;
  /// a query for all 20 has 4,845 parts.
  ///
  /// Fails as Create, and with kInvalidArgument for max_together out of 1 to num_attributes. Thread
  /// safety: any thread. Cost: as Create.
  static Result<AttributeSets> AtMost(uint32_t num_attributes, uint32_t max_together,
                                      std::span<const AttributeMask> cuts = {});

  /// Creates exactly the sets that are listed, in any order; one that is listed twice is kept once.
  /// Sets within them are not allowed unless they are listed, too: where no listed set lies within
  /// a query, or none has one of its attributes, the query has no part that looks at them
  /// (IsCovered).
  ///
  /// Fails with kInvalidArgument, naming the value, for num_attributes out of 1 to kMaxAttributes;
  /// for a set that is empty or has attributes beyond num_attributes; for an attribute in no set
  /// (which could never be queried: leave it out); and for more than kMaxAttributeSets. Thread
  /// safety: any thread.
  static Result<AttributeSets> Keep(uint32_t num_attributes, std::span<const AttributeMask> kept);

  /// Returns the number of attributes.
  uint32_t num_attributes() const noexcept { return num_attributes_; }
  /// Returns the set of all attributes.
  AttributeMask full() const noexcept { return ~AttributeMask{0} >> (64 - num_attributes_); }
  /// Returns the most attributes that are allowed together: num_attributes() unless AtMost made the
  /// sets, or fewer of a list whose largest set has fewer.
  uint32_t max_together() const noexcept { return max_together_; }
  /// Returns whether Keep made the sets.
  bool is_list() const noexcept { return is_list_; }
  /// Returns whether every set is allowed that contains no cut: Create made the sets, or a limit
  /// that limits nothing.
  bool is_by_cuts() const noexcept { return !is_list_ && max_together_ == num_attributes_; }
  /// Returns the cuts, ascending. None contains another. A list has none.
  std::span<const AttributeMask> cuts() const noexcept { return cuts_; }
  /// Returns the allowed sets, ascending: of cuts and limits at least the single attributes.
  std::span<const AttributeMask> allowed() const noexcept { return allowed_; }

  /// Returns whether the set is one of allowed().
  bool IsAllowed(AttributeMask set) const noexcept;
  /// Returns the index of an allowed set in allowed(). Requires IsAllowed(set).
  size_t IndexOf(AttributeMask set) const noexcept;
  /// Returns the parts of a query: the largest allowed sets within it, those with most attributes
  /// first, then ascending. That is the set itself if it is allowed, and nothing for the empty set.
  /// Requires a set within full(). Cost: some searches per allowed set within it: up to tens of
  /// milliseconds. Of a list, a comparison per pair of these: half a second where there are tens of
  /// thousands. Keep the result.
  std::vector<AttributeMask> PartsOf(AttributeMask queried) const;
  /// Returns whether each attribute of the set is in one of its parts, so that a query looks at all
  /// of them; false only of lists. Requires a set within full(). Cost: one pass over the allowed
  /// sets.
  bool IsCovered(AttributeMask queried) const noexcept;

  /// Memberwise equality.
  friend bool operator==(const AttributeSets&, const AttributeSets&) = default;

 private:
  AttributeSets(uint32_t num_attributes, uint32_t max_together, bool is_list,
                std::vector<AttributeMask> cuts, std::vector<AttributeMask> allowed)
      : num_attributes_(num_attributes),
        max_together_(max_together),
        is_list_(is_list),
        cuts_(std::move(cuts)),
        allowed_(std::move(allowed)) {}

  uint32_t num_attributes_;
  uint32_t max_together_;
  bool is_list_;
  std::vector<AttributeMask> cuts_;
  std::vector<AttributeMask> allowed_;
};

}  // namespace trommel

#endif  // TROMMEL_ATTRIBUTE_SETS_H_
