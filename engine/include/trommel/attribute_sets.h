// AttributeSets: which sets of a tuple's attributes may be asked for together.
//
// Tuples have d attributes, and a query gives some of them: a set. A *cut* is a set that nobody
// will ask for as a whole; it and all sets that contain it are left out, and so is the memory that
// they would take. What is left is *allowed*. A query for a set that is not allowed is split into
// its *parts*: the largest allowed sets in it, which must all match. Where different tuples match
// the parts, the answer is "maybe present" though no tuple matches: a combination false positive,
// which no memory takes away.
//
//   d = 3, cuts {0,1} and {0,2}:   allowed {0} {1} {2} {1,2}     parts of {0,1,2}: {1,2} and {0}
//
// Source: Wang, Yun, Wang and Wang, "CBFM: cutted Bloom filter matrix for multi-dimensional
// membership query", section 3.2. (It bounds the parts of a query by d. They can be 2^(d/2): d / 2
// disjoint cuts of two attributes each leave one attribute of every pair to choose.)
#ifndef TROMMEL_ATTRIBUTE_SETS_H_
#define TROMMEL_ATTRIBUTE_SETS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trommel/result.h"

namespace trommel {

// A set of attributes: bit i stands for attribute i.
using AttributeMask = uint32_t;

inline constexpr uint32_t kMaxAttributes = 16;

// "{0,2}".
std::string AttributeMaskText(AttributeMask mask);

class AttributeSets {
 public:
  // One attribute, no cuts.
  AttributeSets() : AttributeSets(1, {}, {1}) {}

  // Fails with kInvalidArgument, naming the value, for num_attributes out of 1 .. kMaxAttributes
  // and for a cut that is empty (it would forbid everything), that has one attribute only (which
  // nobody could ask for then: leave the attribute out) or attributes beyond num_attributes. A cut
  // that contains another, or is given twice, adds nothing and is dropped. Any thread;
  // 2^num_attributes steps for each cut: microseconds to, for thousands of cuts, tenths of a
  // second.
  static Result<AttributeSets> Create(uint32_t num_attributes,
                                      std::span<const AttributeMask> cuts = {});

  uint32_t num_attributes() const noexcept { return num_attributes_; }
  AttributeMask full() const noexcept {
    return static_cast<AttributeMask>((uint64_t{1} << num_attributes_) - 1);
  }
  // None contains another; ascending.
  std::span<const AttributeMask> cuts() const noexcept { return cuts_; }
  // Ascending; at least the single attributes.
  std::span<const AttributeMask> allowed() const noexcept { return allowed_; }

  // Not empty, within full(), and containing no cut.
  bool IsAllowed(AttributeMask set) const noexcept;
  // Where an allowed set is in allowed(). Another set is a programmer's mistake: message and abort.
  size_t IndexOf(AttributeMask set) const noexcept;
  // The largest allowed sets in `asked`: those with most attributes first, then ascending. The set
  // itself where it is allowed, none for the empty set. Attributes beyond full() are a programmer's
  // mistake: message and abort. Up to 2^num_attributes searches: milliseconds; keep the result.
  std::vector<AttributeMask> PartsOf(AttributeMask asked) const;

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
