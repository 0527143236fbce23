// The calls of maps of columns and of filters of tuples.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trommel/attribute_filter.h"
#include "trommel/attribute_sets.h"
#include "trommel/column_map.h"
#include "trommel/outcomes.h"
#include "trommel/tuples.h"
#include "vectors/vector_runner.h"
#include "vectors/vector_text.h"

namespace trommel::vectors {
std::string Runner::CreateColumnMap(const Line& line) {
  Result<ColumnMap> made =
      ColumnMap::Create({.capacity = NumberOption(line, "capacity"),
                         .num_columns = static_cast<uint32_t>(NumberOption(line, "columns")),
                         .target_fpr = RateOption(line, "fpr", 0.004),
                         .digest = PolicyOption(line),
                         .num_blocks = NumberOption(line, "blocks"),
                         .fingerprint_bits = static_cast<uint32_t>(NumberOption(line, "bits")),
                         .memory_limit_bytes = NumberOption(line, "memory_limit")});
  if (made.ok()) column_maps_.insert_or_assign(line.words.at(1), std::move(made).value());
  return StatusText(made);
}

std::optional<std::string> Runner::RunOnColumns(const Line& line) {
  const std::string& verb = line.words.at(0);
  if (verb != "open" && verb != "close" && verb != "columns" && !verb.starts_with("column_")) {
    return std::nullopt;
  }
  ColumnMap& columns = column_maps_.at(line.words.at(1));
  if (verb == "columns") {
    const Keys keys = keys_.at(line.words.at(2)).View();
    std::vector<uint64_t> rows(keys.size() * columns.row_words());
    columns.Query(keys, rows);
    std::string text;
    for (size_t i = 0; i < keys.size(); ++i) {
      const std::span row = std::span(rows).subspan(i * columns.row_words(), columns.row_words());
      text += (i == 0 ? "" : " ") + BitsText(row, columns.num_columns()).substr(5);
    }
    return text;
  }
  if (verb == "column_stats") {
    const MapStats stats = columns.GetStats();
    return "pairs=" + std::to_string(stats.num_pairs) +
           " slots=" + std::to_string(stats.num_slots_in_use) +
           " elsewhere=" + std::to_string(stats.num_pairs_elsewhere);
  }
  const auto column = static_cast<uint32_t>(NumberOf(line.words.at(2)));
  if (verb == "column_keys") return "num_keys=" + std::to_string(columns.num_keys(column));
  if (verb == "open") return StatusText(columns.OpenColumn(column));
  if (verb == "close") {
    columns.CloseColumn(column);
    return "ok";
  }
  if (verb == "column_serialize") {
    bytes(line.words.at(3)) = columns.SerializeColumn(column);
    return BytesText(bytes(line.words.at(3)));
  }
  if (verb == "column_load") {
    return StatusText(columns.LoadColumn(column, bytes(line.words.at(3))));
  }
  const VectorKeys& keys = keys_.at(line.words.at(3));
  if (verb == "column_insert") {
    columns.Insert(column, keys.View());
    return "ok";
  }
  if (verb == "column_erase") {
    const EraseOutcome outcome = columns.Erase(column, keys.View());
    return DoneText(outcome.num_erased, outcome.num_refused);
  }
  const size_t num_keys = keys.View().size();  // column_query_each
  std::vector<uint64_t> bitmap(BitmapWords(num_keys));
  uint64_t num_present = 0;
  for (size_t i = 0; i < num_keys; ++i) {
    const bool present = columns.MayContain(column, keys.At(i));
    bitmap[i / 64] |= uint64_t{present} << i % 64;
    num_present += present ? 1 : 0;
  }
  return PresentText(num_present, bitmap, num_keys);
}

std::string Runner::CreateAttributes(const Line& line) {
  const auto num_attributes = static_cast<uint32_t>(NumberOption(line, "attributes"));
  const auto cuts = SplitNumbers(Option(line, "cuts"));
  const auto kept = SplitNumbers(Option(line, "kept"));
  const auto together = static_cast<uint32_t>(NumberOption(line, "together"));
  Result<AttributeSets> sets = !kept.empty() ? AttributeSets::Keep(num_attributes, kept)
                               : together != 0
                                   ? AttributeSets::AtMost(num_attributes, together, cuts)
                                   : AttributeSets::Create(num_attributes, cuts);
  if (!sets.ok()) return ErrorText(sets.error());
  Result<AttributeFilter> made =
      AttributeFilter::Create({.sets = std::move(sets).value(),
                               .names = Split(Option(line, "names")),
                               .capacity = NumberOption(line, "capacity"),
                               .max_capacity = NumberOption(line, "max_capacity"),
                               .num_values = SplitNumbers(Option(line, "values")),
                               .target_fpr = RateOption(line, "fpr", 0.01),
                               .digest = PolicyOption(line),
                               .memory_limit_bytes = NumberOption(line, "memory_limit")});
  if (made.ok()) attributes_.insert_or_assign(line.words.at(1), std::move(made).value());
  return StatusText(made);
}

TupleDigests Runner::ColumnsOf(const AttributeFilter& filter, const std::string& names) {
  TupleDigests digests(filter.sets().num_attributes());
  uint32_t attribute = 0;
  for (const std::string& name : Split(names)) {
    if (name != "-") digests.Set(attribute, keys_.at(name).View(), filter.digest_policy());
    ++attribute;
  }
  return digests;
}

std::optional<std::string> Runner::RunOnTuples(const Line& line) {
  const std::string& verb = line.words.at(0);
  if (!verb.starts_with("tuple_")) return std::nullopt;
  const std::string& name = line.words.at(1);
  if (verb == "tuple_load") {
    Result<AttributeFilter> loaded = AttributeFilter::Deserialize(
        bytes(line.words.at(2)), NumberOption(line, "limit"), DigestKeyOption(line));
    if (loaded.ok()) attributes_.insert_or_assign(name, std::move(loaded).value());
    return StatusText(loaded);
  }
  AttributeFilter& filter = attributes_.at(name);
  if (verb == "tuple_stats") {
    const AttributeStats stats = filter.GetStats();
    return "num_keys=" + std::to_string(stats.num_tuples) +
           " parts=" + std::to_string(stats.sets.size()) +
           " refused_inserts=" + std::to_string(stats.num_refused_inserts) +
           " refused_erases=" + std::to_string(stats.num_refused_erases);
  }
  if (verb == "tuple_clear") {
    filter.Clear();
    return "ok";
  }
  if (verb == "tuple_serialize") {
    bytes(line.words.at(2)) = filter.Serialize();
    return BytesText(bytes(line.words.at(2)));
  }
  const bool is_update =
      verb == "tuple_insert" || verb == "tuple_erase" || verb == "tuple_erase_all";
  const TupleDigests digests = ColumnsOf(filter, line.words.at(is_update ? 2 : 3));
  const Tuples tuples = digests.view();
  std::vector<uint64_t> bitmap(BitmapWords(tuples.size));
  if (verb == "tuple_insert") {
    const InsertOutcome outcome = filter.Insert(tuples, bitmap);
    return DoneText(outcome.num_inserted, outcome.num_refused) + " " +
           BitsText(bitmap, tuples.size);
  }
  if (verb == "tuple_erase") {
    const EraseOutcome outcome = filter.Erase(tuples, bitmap);
    return DoneText(outcome.num_erased, outcome.num_refused) + " " + BitsText(bitmap, tuples.size);
  }
  if (verb == "tuple_erase_all") {
    const EraseOutcome outcome = filter.EraseAll(tuples, bitmap).value();
    return DoneText(outcome.num_erased, outcome.num_refused) + " " + BitsText(bitmap, tuples.size);
  }
  const auto set = static_cast<AttributeMask>(NumberOf(line.words.at(2)));
  if (verb == "tuple_counts") {
    std::vector<uint64_t> counts(tuples.size);
    filter.CountEstimates(set, tuples, counts);
    return Join(counts);
  }
  uint64_t num_present = 0;
  if (verb == "tuple_query") {
    num_present = filter.Query(set, tuples, bitmap);
    return PresentText(num_present, bitmap, tuples.size);
  }
  for (size_t i = 0; i < tuples.size; ++i) {  // tuple_query_each
    std::vector<uint64_t> tuple;
    for (uint32_t a = 0; a < filter.sets().num_attributes(); ++a) {
      tuple.push_back(tuples.columns[a] == nullptr ? 0 : tuples.columns[a][i]);
    }
    const bool present = filter.MayContain(set, tuple);
    bitmap[i / 64] |= uint64_t{present} << i % 64;
    num_present += present ? 1 : 0;
  }
  return PresentText(num_present, bitmap, tuples.size);
}

}  // namespace trommel::vectors
