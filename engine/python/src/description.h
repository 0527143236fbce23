// What a filter says of itself when it is printed, and in a notebook.
#ifndef TROMMEL_ENGINE_PYTHON_SRC_DESCRIPTION_H_
#define TROMMEL_ENGINE_PYTHON_SRC_DESCRIPTION_H_

#include <nanobind/nanobind.h>

#include <string>
#include <utility>
#include <vector>

#include "trommel/attribute_filter.h"
#include "trommel/column_map.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/scalable_filter.h"
#include "trommel/window_filter.h"

namespace trommel::python {

// Names and values, as a person reads them: "keys", "12,345".
using Description = std::vector<std::pair<std::string, std::string>>;

// None passes over blocks.
Description Describe(const CountingFilter& filter);
Description Describe(const ConcurrentFilter& filter);
Description Describe(const ScalableFilter& filter);
Description Describe(const WindowFilter& filter);
Description Describe(const ColumnMap& map);
Description Describe(const AttributeFilter& filter);

// Of the Python class `type`: "<trommel_filters.CountingFilter keys 3, ...>", and a table.
std::string TextOf(nanobind::handle type, const Description& description);
std::string HtmlOf(nanobind::handle type, const Description& description);
std::string ClosedText(nanobind::handle type);

}  // namespace trommel::python

#endif  // TROMMEL_ENGINE_PYTHON_SRC_DESCRIPTION_H_
