// What `trommel stats` and others report of a filter: one overload per type.
#ifndef TROMMEL_TOOLS_DESCRIBE_FILTER_H_
#define TROMMEL_TOOLS_DESCRIBE_FILTER_H_

#include <cstdint>
#include <span>
#include <string>

#include "tools/trommel/filters/key_figures.h"
#include "tools/trommel/output/report.h"
#include "trommel/any_filter.h"
#include "trommel/attribute_filter.h"
#include "trommel/attribute_sets.h"
#include "trommel/digest.h"
#include "trommel/scalable_filter.h"

namespace trommel::tool {

// Each adds what the filter is and holds: keys, rates, memory, geometry, digest.
void DescribeFilter(const CountingFilter& filter, Report& report);
void DescribeFilter(const ScalableFilter& filter, Report& report);
void DescribeFilter(const WindowFilter& filter, Report& report);
void DescribeFilter(const AttributeFilter& filter, Report& report);

// "10,000 (about 10 distinct; sized for 10)"; a capacity of 0 is left out.
std::string KeysText(const KeyFigures& figures, uint64_t capacity);

// Adds the memory that the next growth takes, of a filter that grows.
void DescribeGrowth(const AnyFilter& filter, Report& report);

// Adds what a window's blocks are.
void AddGeometry(const WindowFilter& filter, Report& report);

// "5 slices", or of fingerprints "32 slots": what a block is made of.
std::string ShapeText(const Geometry& geometry);

// Adds how keys become digests. Of a digest key, only its check value.
void DescribeDigest(const DigestPolicy& digest, Report& report);

// A set of attributes as the array of their names.
Json SetJson(AttributeMask set, std::span<const std::string> names);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_DESCRIBE_FILTER_H_
