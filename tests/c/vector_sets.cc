// Calls of maps of columns and of filters of tuples.
#include "c/vectors.h"

namespace trommel::vectors {

std::string CRunner::CreateColumns(const Line& line) {
  const Policy policy(line);
  auto config = Sized<trommel_column_map_config>();
  config.num_columns = static_cast<uint32_t>(NumberOption(line, "columns"));
  config.capacity = NumberOption(line, "capacity");
  config.target_fpr = RateOption(line, "fpr", 0);
  config.num_blocks = NumberOption(line, "blocks");
  config.fingerprint_bits = static_cast<uint32_t>(NumberOption(line, "bits"));
  config.memory_limit_bytes = NumberOption(line, "memory_limit");
  config.digest = policy.get();
  trommel_column_map* made = nullptr;
  trommel_error error;
  const trommel_code code = trommel_column_map_create(&config, &made, &error);
  Columns& columns = columns_[line.words.at(1)];
  columns.num_columns = config.num_columns;
  if (code == TROMMEL_OK) columns.map.reset(made);
  return CodeText(code, error);
}

std::optional<std::string> CRunner::RunOnColumns(const Line& line) {
  const std::string& verb = line.words.at(0);
  if (verb == "create" && line.words.at(2) == "column_map") return CreateColumns(line);
  if (verb != "open" && verb != "close" && verb != "columns" && !verb.starts_with("column_")) {
    return std::nullopt;
  }
  const Columns& columns = columns_.at(line.words.at(1));
  trommel_column_map* const map = columns.map.get();
  trommel_error error;
  if (verb == "columns") {
    const trommel_keys keys = View(line.words.at(2));
    const auto row_words = static_cast<size_t>(trommel_column_map_row_words(map));
    std::vector<uint64_t> rows(row_words * static_cast<size_t>(keys.num_keys));
    Check(
        trommel_column_map_query(map, &keys, rows.data(), std::ssize(rows), nullptr) == TROMMEL_OK,
        verb);
    std::string text;
    for (size_t at = 0; at < rows.size(); at += row_words) {
      text += (at == 0 ? "" : " ") +
              BitsText(std::span(rows).subspan(at, row_words), columns.num_columns).substr(5);
    }
    return text;
  }
  if (verb == "column_stats") {
    auto stats = Sized<trommel_column_map_stats>();
    Check(trommel_column_map_get_stats(map, &stats, nullptr) == TROMMEL_OK, verb);
    return "pairs=" + std::to_string(stats.num_pairs) +
           " slots=" + std::to_string(stats.num_slots_in_use) +
           " elsewhere=" + std::to_string(stats.num_pairs_elsewhere);
  }
  const auto column = static_cast<uint32_t>(NumberOf(line.words.at(2)));
  if (verb == "open") return CodeText(trommel_column_map_open(map, column, &error), error);
  if (verb == "close") {
    const trommel_code code = trommel_column_map_close(map, column, &error);
    Check(!IsYes(trommel_column_map_is_open(map, column, nullptr)), "it is closed");
    return CodeText(code, error);
  }
  if (verb == "column_keys") {
    uint64_t num_keys = 0;
    Check(trommel_column_map_num_keys(map, column, &num_keys, nullptr) == TROMMEL_OK, verb);
    return "num_keys=" + std::to_string(num_keys);
  }
  const std::string& name = line.words.at(3);
  if (verb == "column_load") {
    return CodeText(
        trommel_column_map_load(map, column, bytes(name).data(), std::ssize(bytes(name)), &error),
        error);
  }
  if (verb == "column_serialize") {
    return BytesText(bytes(name) = BytesOf([&](void* buffer, int64_t size, int64_t* needed) {
                       return trommel_column_map_serialize(map, column, buffer, size, needed,
                                                           nullptr);
                     }));
  }
  if (verb == "column_query_each") {
    return EachText("present=", name, [&](trommel_key key) {
      return trommel_column_map_may_contain(map, column, key, nullptr);
    });
  }
  const trommel_keys keys = View(name);
  if (verb == "column_insert") {
    return CodeText(trommel_column_map_insert(map, column, &keys, nullptr, 0, nullptr, &error),
                    error);
  }
  Check(verb == "column_erase", verb);
  auto outcome = Sized<trommel_outcome>();
  Check(trommel_column_map_erase(map, column, &keys, &outcome, nullptr) == TROMMEL_OK, verb);
  return DoneText(outcome.num_done, outcome.num_refused);
}

std::string CRunner::CreateAttributes(const Line& line) {
  const Policy policy(line);
  const std::vector<uint64_t> cuts = SplitNumbers(Option(line, "cuts"));
  const std::vector<uint64_t> kept = SplitNumbers(Option(line, "kept"));
  const std::vector<uint64_t> num_values = SplitNumbers(Option(line, "values"));
  const std::vector<std::string> names = Split(Option(line, "names"));
  std::vector<const char*> name_texts;
  for (const std::string& name : names) name_texts.push_back(name.c_str());
  auto config = Sized<trommel_attributes_config>();
  config.num_attributes = static_cast<int32_t>(NumberOption(line, "attributes"));
  config.cuts = cuts.data();
  config.num_cuts = static_cast<decltype(config.num_cuts)>(cuts.size());
  config.kept = kept.data();
  config.num_kept = static_cast<decltype(config.num_kept)>(kept.size());
  config.max_together = static_cast<uint32_t>(NumberOption(line, "together"));
  if (!names.empty()) config.names = name_texts.data();
  if (!num_values.empty()) config.num_values = num_values.data();
  config.capacity = NumberOption(line, "capacity");
  config.target_fpr = RateOption(line, "fpr", 0);
  config.max_capacity = NumberOption(line, "max_capacity");
  config.memory_limit_bytes = NumberOption(line, "memory_limit");
  config.digest = policy.get();
  trommel_attributes* made = nullptr;
  trommel_error error;
  const trommel_code code = trommel_attributes_create(&config, &made, &error);
  if (code == TROMMEL_OK) attributes_[line.words.at(1)].reset(made);
  return CodeText(code, error);
}

std::string CRunner::LoadAttributes(const Line& line) {
  Bytes& from = bytes(line.words.at(2));
  const Policy policy(line);
  auto options = Sized<trommel_load_options>();
  options.memory_limit_bytes = NumberOption(line, "limit");
  options.digest_key = policy.key();
  trommel_attributes* loaded = nullptr;
  trommel_attributes* read = nullptr;
  trommel_error error;
  const trommel_code code =
      trommel_attributes_load_bytes(from.data(), std::ssize(from), &options, &loaded, &error);
  Check(
      trommel_attributes_read(ReadBytes, &from, std::ssize(from), &options, &read, nullptr) == code,
      "trommel_attributes_read returns what trommel_attributes_load_bytes returns");
  trommel_attributes_free(read);
  if (code == TROMMEL_OK) attributes_[line.words.at(1)].reset(loaded);
  return CodeText(code, error);
}

std::optional<std::string> CRunner::RunOnTuples(const Line& line) {
  const std::string& verb = line.words.at(0);
  if (verb == "create" && line.words.at(2) == "attributes") return CreateAttributes(line);
  if (verb == "tuple_load") return LoadAttributes(line);
  if (!verb.starts_with("tuple_")) return std::nullopt;
  trommel_attributes* const filter = attributes_.at(line.words.at(1)).get();
  trommel_error error;
  if (verb == "tuple_clear") return CodeText(trommel_attributes_clear(filter, &error), error);
  if (verb == "tuple_serialize") {
    return BytesText(
        bytes(line.words.at(2)) = BytesOf([filter](void* buffer, int64_t size, int64_t* needed) {
          return trommel_attributes_serialize(filter, buffer, size, needed, nullptr);
        }));
  }
  if (verb == "tuple_stats") {
    auto stats = Sized<trommel_stats>();
    Check(trommel_attributes_get_stats(filter, &stats, nullptr) == TROMMEL_OK, verb);
    Check(stats.type == TROMMEL_TYPE_ATTRIBUTES, "their type");
    return "num_keys=" + std::to_string(stats.num_keys) +
           " parts=" + std::to_string(stats.num_parts) +
           " refused_inserts=" + std::to_string(stats.num_refused_inserts) +
           " refused_erases=" + std::to_string(stats.num_refused_erases);
  }

  // A batch of tuples: a view for each attribute, or NULL.
  const auto update = verb == "tuple_insert"      ? trommel_attributes_insert
                      : verb == "tuple_erase"     ? trommel_attributes_erase
                      : verb == "tuple_erase_all" ? trommel_attributes_erase_all
                                                  : nullptr;
  const std::vector<std::string> names = Split(line.words.at(update != nullptr ? 2 : 3));
  const auto num_columns = static_cast<int32_t>(names.size());
  std::vector<trommel_keys> views(names.size());
  std::vector<const trommel_keys*> columns(names.size());
  int64_t num_tuples = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == "-") continue;
    views[i] = View(names[i]);
    columns[i] = &views[i];
    num_tuples = views[i].num_keys;
  }
  const auto size = static_cast<size_t>(num_tuples);
  std::vector<uint64_t> bitmap((size + 63) / 64);
  if (update != nullptr) {
    auto outcome = Sized<trommel_outcome>();
    Check(update(filter, columns.data(), num_columns, num_tuples, bitmap.data(), std::ssize(bitmap),
                 &outcome, nullptr) == TROMMEL_OK,
          verb);
    return DoneText(outcome.num_done, outcome.num_refused) + " " + BitsText(bitmap, size);
  }
  const uint64_t set = NumberOf(line.words.at(2));
  if (verb == "tuple_counts") {
    std::vector<uint64_t> counts(size);
    Check(trommel_attributes_count_estimates(filter, set, columns.data(), num_columns, num_tuples,
                                             counts.data(), num_tuples, nullptr) == TROMMEL_OK,
          verb);
    return Join(counts);
  }
  int64_t num_present = 0;
  if (verb == "tuple_query") {
    Check(trommel_attributes_query(filter, set, columns.data(), num_columns, num_tuples,
                                   bitmap.data(), std::ssize(bitmap), &num_present,
                                   nullptr) == TROMMEL_OK,
          verb);
  } else {
    Check(verb == "tuple_query_each", verb);
    for (size_t i = 0; i < size; ++i) {
      std::vector<trommel_key> tuple;
      for (const std::string& name : names) {
        tuple.push_back(name == "-" ? trommel_key_int64(0) : keys_.at(name).At(i));
      }
      const bool present =
          IsYes(trommel_attributes_may_contain(filter, set, tuple.data(), num_columns, nullptr));
      bitmap[i / 64] |= uint64_t{present} << i % 64;
      num_present += present ? 1 : 0;
    }
  }
  return PresentText(static_cast<uint64_t>(num_present), bitmap, size);
}

}  // namespace trommel::vectors
