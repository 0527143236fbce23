// What `trommel stats` and others report of a filter: its figures, for people and for programs.
#ifndef TROMMEL_TOOLS_DESCRIBE_FILTER_H_
#define TROMMEL_TOOLS_DESCRIBE_FILTER_H_

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "tools/trommel/output/report.h"
#include "trommel/any_filter.h"
#include "trommel/attribute_filter.h"
#include "trommel/attribute_sets.h"
#include "trommel/digest.h"
#include "trommel/sizing.h"

namespace trommel::tool {

// A figure of a filter; 0 if it has none of this name.
uint64_t CountIn(const Figures& figures, std::string_view name);
double RateIn(const Figures& figures, std::string_view name);

// Adds what the filter is and holds: its type and figures, its parts, and how keys become digests.
void DescribeFilter(const AnyFilter& filter, Report& report);

// Adds these figures, as far as there are any. Each is a field; a line, too, if people read it.
void DescribeFigures(const Figures& figures, std::initializer_list<std::string_view> names,
                     Report& report);

// The report of a filter of tuples: one line per set.
void DescribeAttributes(const AttributeFilter& filter, Report& report);

// "10,000 (about 10 distinct; sized for 10)"; a capacity of 0 is left out.
std::string KeysText(const Figures& figures, uint64_t capacity);

// "5 slices", or of fingerprints "32 slots": what a block is made of.
std::string ShapeText(const Geometry& geometry);

// Adds how keys become digests. Of a digest key, only its check value.
void DescribeDigest(const DigestPolicy& digest, Report& report);

// A set of attributes as the array of their names.
Json SetJson(AttributeMask set, std::span<const std::string> names);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_DESCRIBE_FILTER_H_
