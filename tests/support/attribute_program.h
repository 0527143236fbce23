// Random programs over a filter of attributes.
#ifndef TROMMEL_TESTS_SUPPORT_ATTRIBUTE_PROGRAM_H_
#define TROMMEL_TESTS_SUPPORT_ATTRIBUTE_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/tuple_rows.h"
#include "trommel/attribute_filter.h"

namespace trommel::tests {

enum class AttributeOp { kInsert, kErase, kSaveAndLoad, kClear };

struct AttributeStep {
  AttributeOp op = AttributeOp::kInsert;
  std::vector<TupleRow> rows;  // of the first two
};

struct AttributeProgram {
  AttributeConfig config;
  // All rows that occur, and some non-members: queried after each step.
  std::vector<TupleRow> pool;
  // The sets to query by: all, or of many attributes some, allowed ones and others.
  std::vector<AttributeMask> asked;
  std::vector<AttributeStep> steps;
};

// Few values, so that tuples share projections, and those of single attributes with few different
// first bits, so that filters show much that is not in them. Any cuts; or up to 64 attributes with
// a limit, or a list of sets.
AttributeProgram RandomAttributeProgram(uint64_t seed, size_t num_steps);

std::string ToText(const AttributeProgram& program);

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_ATTRIBUTE_PROGRAM_H_
