// The types of filters, for what holds of all types. They are listed here and nowhere else: a new
// type gets a row in KeyTypes, or lines beside AttributeFilter, and a line in OnType.
#ifndef TROMMEL_TESTS_SUPPORT_EVERY_TYPE_H_
#define TROMMEL_TESTS_SUPPORT_EVERY_TYPE_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "support/held_filter.h"
#include "support/sample_filters.h"
#include "trommel/any_filter.h"
#include "trommel/attribute_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/scalable_filter.h"
#include "trommel/sizing.h"
#include "trommel/tuples.h"
#include "trommel/window_filter.h"

namespace trommel::tests {

// A type that holds keys, and a description of a small filter of it.
struct KeyType {
  std::string name;
  FilterType type;
  Figures description;
};

// Every type that holds keys, with every encoding that it can be made with.
inline std::vector<KeyType> KeyTypes() {
  std::vector<KeyType> types;
  for (const Encoding encoding :
       {Encoding::kPlanes, Encoding::kRuns, Encoding::kDense, Encoding::kFingerprints16}) {
    const std::string of(EncodingName(encoding));
    const Figures counting = {{"capacity", uint64_t{300}}, {"encoding", of}};
    types.push_back({"counting, " + of, FilterType::kCounting, counting});
    types.push_back({"concurrent, " + of, FilterType::kConcurrent, counting});
  }
  types.push_back({"scalable", FilterType::kScalable, {}});
  types.push_back({"scalable with a largest capacity",
                   FilterType::kScalable,
                   {{"first_capacity", uint64_t{200}}, {"max_capacity", uint64_t{1000}}}});
  types.push_back(
      {"window",
       FilterType::kWindow,
       {{"window", uint64_t{100}}, {"num_buckets", uint64_t{4}}, {"capacity", uint64_t{1000}}}});
  return types;
}

inline Result<AnyFilterPtr> MakeOf(const KeyType& of, const DigestPolicy& digest = {}) {
  return AnyFilter::Create(of.type, of.description, digest);
}

// Attribute filters hold tuples, and are not made from figures. Of these, each attribute is the
// key.
inline Result<AttributeFilter> MakePairs(const DigestPolicy& digest = {}) {
  return AttributeFilter::Create({.sets = AttributeSets::Create(2).value(),
                                  .names = {"one", "same"},
                                  .capacity = 100,
                                  .digest = digest});
}
inline TupleDigests PairsOf(const AttributeFilter& filter, Keys keys) {
  TupleDigests tuples(filter.sets().num_attributes());
  for (uint32_t a = 0; a < filter.sets().num_attributes(); ++a) {
    tuples.Set(a, keys, filter.digest_policy());
  }
  return tuples;
}

// Inserts keys, or the tuples that are made of them.
inline void InsertAll(AnyFilter& filter, Keys keys) {
  if (auto* of_tuples = filter.As<AttributeFilter>()) {
    of_tuples->Insert(PairsOf(*of_tuples, keys).view());
  } else {
    (void)filter.Insert(keys, {}, nullptr).value();
  }
}

// How many of the keys, or of the tuples that are made of them, may be in.
inline size_t NumPresent(const AnyFilter& filter, Keys keys) {
  std::vector<uint64_t> bits(BitmapWords(keys.size()));
  if (const auto* of_tuples = filter.As<AttributeFilter>()) {
    return of_tuples->Query(of_tuples->sets().full(), PairsOf(*of_tuples, keys).view(), bits);
  }
  return filter.Query(keys, bits);
}

// Whether a filter merges with its like: not those of tuples.
inline bool Merges(const AnyFilter& filter) { return filter.takes_keys(); }

struct NamedFilter {
  std::string name;
  HeldFilter filter;
};

// Filters of KeyTypes, but for those whose files are files of another type.
inline std::vector<NamedFilter> EmptyFilters(const DigestPolicy& digest = {}) {
  std::vector<NamedFilter> filters;
  for (const KeyType& of : KeyTypes()) {
    if (of.type == FilterType::kConcurrent) continue;  // as kCounting
    filters.push_back({of.name, MakeOf(of, digest).value()});
  }
  return filters;
}

// One of each that files have, with these keys in it.
inline std::vector<NamedFilter> FiltersWith(Keys keys, const DigestPolicy& digest = {}) {
  std::vector<NamedFilter> filters = EmptyFilters(digest);
  filters.push_back({"attributes", HeldFilter(MakePairs(digest).value())});
  for (NamedFilter& one : filters) InsertAll(*one.filter, keys);
  return filters;
}

// The same, with another filter of tuples, which is sooner loaded.
inline std::vector<NamedFilter> EveryType() {
  std::vector<uint64_t> keys(300);
  std::iota(keys.begin(), keys.end(), 0);
  std::vector<NamedFilter> filters = EmptyFilters();
  for (NamedFilter& one : filters) InsertAll(*one.filter, keys);
  filters.push_back({"attributes", HeldFilter(AttributeSample())});
  return filters;
}

// Returns use(filter), with the filter as its own type: one of those that files have. For what the
// handle does not have; all else is asked through the handle.
template <class Any, class Use>
auto OnType(Any& any, const Use& use) {
  if (auto* counting = any.template As<CountingFilter>()) return use(*counting);
  if (auto* scalable = any.template As<ScalableFilter>()) return use(*scalable);
  if (auto* window = any.template As<WindowFilter>()) return use(*window);
  return use(*any.template As<AttributeFilter>());
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_EVERY_TYPE_H_
