#include "engine/python/src/arrow_type_name.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "engine/python/src/arrow.h"

namespace trommel::python {
namespace {

// Format strings (the Arrow C data interface, "Data type description") and names.
constexpr std::array<std::pair<std::string_view, std::string_view>, 42> kNames = {{
    {"n", "null"},
    {"b", "bool"},
    {"c", "int8"},
    {"C", "uint8"},
    {"s", "int16"},
    {"S", "uint16"},
    {"i", "int32"},
    {"I", "uint32"},
    {"l", "int64"},
    {"L", "uint64"},
    {"e", "halffloat"},
    {"f", "float"},
    {"g", "double"},
    {"z", "binary"},
    {"Z", "large_binary"},
    {"vz", "binary_view"},
    {"u", "string"},
    {"U", "large_string"},
    {"vu", "string_view"},
    {"tdD", "date32"},
    {"tdm", "date64"},
    {"tts", "time32[s]"},
    {"ttm", "time32[ms]"},
    {"ttu", "time64[us]"},
    {"ttn", "time64[ns]"},
    {"tss:", "timestamp[s]"},
    {"tsm:", "timestamp[ms]"},
    {"tsu:", "timestamp[us]"},
    {"tsn:", "timestamp[ns]"},
    {"tDs", "duration[s]"},
    {"tDm", "duration[ms]"},
    {"tDu", "duration[us]"},
    {"tDn", "duration[ns]"},
    {"tiM", "month_interval"},
    {"tiD", "day_time_interval"},
    {"tin", "month_day_nano_interval"},
    {"+s", "struct"},
    {"+l", "list"},
    {"+L", "large_list"},
    {"+vl", "list_view"},
    {"+vL", "large_list_view"},
    {"+m", "map"},
}};

// Formats with parameters behind a colon, which the name leaves out.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kPrefixes = {{
    {"d:", "decimal"},
    {"w:", "fixed_size_binary"},
    {"tss:", "timestamp[s, tz]"},
    {"tsm:", "timestamp[ms, tz]"},
    {"tsu:", "timestamp[us, tz]"},
    {"tsn:", "timestamp[ns, tz]"},
    {"+w:", "fixed_size_list"},
    {"+ud:", "dense_union"},
    {"+us:", "sparse_union"},
}};

std::string NameWithoutChildren(std::string_view format) {
  for (const auto& [known, name] : kNames) {
    if (format == known) return std::string(name);
  }
  for (const auto& [prefix, name] : kPrefixes) {
    if (format.starts_with(prefix)) return std::string(name);
  }
  return "format \"" + std::string(format) + "\"";
}

}  // namespace

std::string ArrowTypeName(const ArrowSchema& schema) {
  if (schema.dictionary != nullptr) return "dictionary<" + ArrowTypeName(*schema.dictionary) + ">";
  const std::string_view format = schema.format;
  if (format == "+r" && schema.n_children == 2) {
    return "run_end_encoded<" + ArrowTypeName(*schema.children[1]) + ">";
  }
  const std::string name = NameWithoutChildren(format);
  const bool is_list = name.find("list") != std::string::npos && schema.n_children == 1;
  return is_list ? name + "<" + ArrowTypeName(*schema.children[0]) + ">" : name;
}

}  // namespace trommel::python
