#include "engine/python/src/description.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "trommel/outcomes.h"
#include "trommel/sizing.h"

namespace nb = nanobind;

namespace trommel::python {
namespace {

std::string Grouped(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t end = text.size(); end > 3; end -= 3) text.insert(end - 3, 1, ',');
  return text;
}

std::string Formatted(const char* format, double number) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), format, number);
  return text.data();
}

std::string Percent(double share) { return Formatted("%.3g %%", 100 * share); }

std::string Bytes(uint64_t num_bytes) {
  constexpr std::array<const char*, 5> kUnits = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double number = static_cast<double>(num_bytes);
  size_t unit = 0;
  for (; number >= 1024 && unit + 1 < kUnits.size(); ++unit) number /= 1024;
  return Formatted(unit == 0 ? "%.0f " : "%.4g ", number) + kUnits[unit];
}

Description DescribeBlocks(uint64_t capacity, double target_fpr, const Geometry& geometry,
                           const Stats& stats) {
  return {{"keys", Grouped(stats.num_keys)},
          {"capacity", Grouped(capacity)},
          {"memory", Bytes(stats.num_bytes)},
          {"encoding", std::string(EncodingName(geometry.encoding))},
          {"predicted false-positive rate", Percent(stats.predicted_fpr)},
          {"target rate", Percent(target_fpr)}};
}

std::string NameOf(nb::handle type) {
  return "trommel_filters." + nb::cast<std::string>(type.attr("__name__"));
}

}  // namespace

Description Describe(const CountingFilter& filter) {
  return DescribeBlocks(filter.capacity(), filter.target_fpr(), filter.geometry(),
                        filter.GetStats());
}

Description Describe(const ConcurrentFilter& filter) {
  return DescribeBlocks(filter.capacity(), filter.target_fpr(), filter.geometry(),
                        filter.GetStats());
}

Description Describe(const ScalableFilter& filter) {
  const ScalableStats stats = filter.GetStats();
  return {{"keys", Grouped(stats.num_keys)},
          {"memory", Bytes(stats.num_bytes)},
          {"predicted false-positive rate", Percent(stats.predicted_fpr)},
          {"target rate", Percent(filter.target_fpr())}};
}

Description Describe(const WindowFilter& filter) {
  const WindowStats stats = filter.GetStats();
  return {{"keys", Grouped(stats.num_keys)},
          {"capacity", Grouped(filter.capacity())},
          {"now", Grouped(stats.now)},
          {"window", Grouped(filter.window())},
          {"buckets", Grouped(filter.num_buckets())},
          {"memory", Bytes(stats.num_bytes)},
          {"predicted false-positive rate", Percent(stats.predicted_fpr)},
          {"target rate", Percent(filter.target_fpr())}};
}

Description Describe(const ColumnMap& map) {
  uint64_t num_open = 0;
  for (uint32_t column = 0; column < map.num_columns(); ++column) {
    num_open += map.IsOpen(column) ? 1 : 0;
  }
  const MapStats stats = map.GetStats();
  return {{"columns", Grouped(map.num_columns())},
          {"open", Grouped(num_open)},
          {"pairs", Grouped(stats.num_pairs)},
          {"capacity", Grouped(map.capacity())},
          {"memory", Bytes(stats.num_bytes)},
          {"predicted false columns", Formatted("%.3g", stats.predicted_false_columns)}};
}

Description Describe(const AttributeFilter& filter) {
  std::string names;
  for (const std::string& name : filter.names()) names += (names.empty() ? "" : ", ") + name;
  return {{"tuples", Grouped(filter.num_tuples())},
          {"attributes", names},
          {"sets", Grouped(filter.sets().allowed().size())},
          {"memory", Bytes(filter.num_bytes())}};
}

std::string TextOf(nb::handle type, const Description& description) {
  std::string text = NameOf(type).insert(0, 1, '<');
  std::string_view separator = ": ";
  for (const auto& [name, value] : description) {
    text += std::string(separator) + name + " " + value;
    separator = ", ";
  }
  return text + ">";
}

std::string HtmlOf(nb::handle type, const Description& description) {
  const nb::object escape = nb::module_::import_("html").attr("escape");
  std::string html = "<table><caption>" + NameOf(type) + "</caption>";
  for (const auto& [name, value] : description) {
    html += std::string("<tr><th>") + name + "</th><td>" + nb::cast<std::string>(escape(value)) +
            "</td></tr>";
  }
  return html + "</table>";
}

std::string ClosedText(nb::handle type) { return NameOf(type).insert(0, 1, '<') + " (closed)>"; }

}  // namespace trommel::python
