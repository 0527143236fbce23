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
using AttributeMask = uint32_t;

/// Most attributes of a tuple.
inline constexpr uint32_t kMaxAttributes = 16;

/// Returns the set in braces: "{0,2}".
TROMMEL_API std::string AttributeMaskText(AttributeMask mask);

/// The sets of a tuple's attributes that may be queried together.
///
/// Tuples have d attributes, and a query is for a set of them. A *cut* is a set that will not be
/// queried as a whole: it and every set that contains it are left out, which saves the memory they
/// would take. The sets that remain are *allowed*. A query for any other set is split into its
/// *parts*, the largest allowed sets within it, and all parts must match. If different tuples match
/// the parts, the answer is "maybe present" although no tuple matches the query: a *combination
/// false positive*, which more memory does not avoid.
/// @code{.unparsed}
///   d = 3, cuts {0,1} and {0,2}:   allowed {0} {1} {2} {1,2}     parts of {0,1,2}: {1,2} and {0}
/// @endcode
/// Source: Wang, Yun, Wang and Wang, "CBFM: cutted Bloom filter matrix for multi-dimensional
/// membership query", section 3.2. (It states that a query has at most d parts. There can be
/// 2^(d/2): d / 2 disjoint cuts of two attributes leave a choice of one attribute from every pair.)
class TROMMEL_API AttributeSets {
 public:
  /// One attribute, no cuts.
  AttributeSets() : AttributeSets(1, {}, {1}) {}

  /// Creates the sets of num_attributes attributes that contain no cut. A cut that contains another
  /// cut, or equals one, adds nothing and is dropped.
  ///
  /// Fails with kInvalidArgument, naming the value, for num_attributes out of 1 to kMaxAttributes
  /// and for a cut that is empty (it would forbid everything), has a single attribute (which could
  /// then never be queried: leave the attribute out), or has attributes beyond num_attributes.
  /// Thread safety: any thread. Cost: 2^num_attributes steps per cut, from microseconds to tenths
  /// of a second for thousands of cuts.
  static Result<AttributeSets> Create(uint32_t num_attributes,
                                      std::span<const AttributeMask> cuts = {});

  /// Returns the number of attributes.
  uint32_t num_attributes() const noexcept { return num_attributes_; }
  /// Returns the set of all attributes.
  AttributeMask full() const noexcept {
    return static_cast<AttributeMask>((uint64_t{1} << num_attributes_) - 1);
  }
  /// Returns the cuts, ascending. None contains another.
  std::span<const AttributeMask> cuts() const noexcept { return cuts_; }
  /// Returns the allowed sets, ascending: at least the single attributes.
  std::span<const AttributeMask> allowed() const noexcept { return allowed_; }

  /// Returns whether the set is not empty, within full(), and contains no cut.
  bool IsAllowed(AttributeMask set) const noexcept;
  /// Returns the index of an allowed set in allowed(). Requires IsAllowed(set).
  size_t IndexOf(AttributeMask set) const noexcept;
  /// Returns the parts of a query: the largest allowed sets within it, those with most attributes
  /// first, then ascending. That is the set itself if it is allowed, and nothing for the empty set.
  /// Requires a set within full(). Cost: up to 2^num_attributes searches, milliseconds: keep the
  /// result.
  std::vector<AttributeMask> PartsOf(AttributeMask queried) const;

  /// Memberwise equality.
  friend bool operator==(const AttributeSets&, const AttributeSets&) = default;

 private:
  AttributeSets(uint32_t num_attributes, std::vector<AttributeMask> cuts,
                std::vector<AttributeMask> allowed)
      : num_attributes_(num_attributes), cuts_(std::move(cuts)), allowed_(std::move(allowed)) {}

  uint32_t num_attributes_;
  std::vector<AttributeMask> cuts_;
  std::vector<AttributeMask> allowed_;
};

}  // namespace trommel

#endif  // TROMMEL_ATTRIBUTE_SETS_H_
