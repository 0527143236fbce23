#include "vectors/vector_runner.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "trommel/any_filter.h"
#include "trommel/byte_stream.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/metadata.h"
#include "trommel/sizing.h"
#include "vectors/run_files.h"
#include "vectors/vector_text.h"

namespace trommel::vectors {

Encoding EncodingOption(const Line& line) {
  const std::string name = Option(line, "encoding", "runs");
  for (const Encoding encoding :
       {Encoding::kPlanes, Encoding::kFingerprints16, Encoding::kDense, Encoding::kAutomatic}) {
    if (name == EncodingName(encoding)) return encoding;
  }
  return Encoding::kRuns;
}

namespace {

Preference PreferenceOption(const Line& line) {
  const std::string name = Option(line, "preference", "memory");
  if (name == "speed") return Preference::kSpeed;
  if (name == "headroom") return Preference::kHeadroom;
  return name == "parquet" ? Preference::kParquet : Preference::kMemory;
}

// What a line says of a filter, by the names of the library.
Figures DescriptionOf(const Line& line) {
  Figures description;
  const auto add = [&](const char* option, std::string_view figure, auto value) {
    if (!Option(line, option).empty()) description.emplace_back(figure, value);
  };
  const auto add_number = [&](const char* option, std::string_view figure) {
    add(option, figure, NumberOption(line, option));
  };
  for (const char* name : {"capacity", "first_capacity", "max_capacity", "window"}) {
    add_number(name, name);
  }
  add_number("buckets", "num_buckets");
  add_number("slices", "num_slices");
  add_number("memory_limit", "memory_limit_bytes");
  add_number("side_limit", "side_memory_limit_bytes");
  add("fpr", "target_fpr", RateOption(line, "fpr", 0.01));
  add("power_of_two", "power_of_two_blocks", NumberOption(line, "power_of_two") != 0);
  add("insert_only", "is_erasable", NumberOption(line, "insert_only") == 0);
  for (const char* name : {"encoding", "preference"}) add(name, name, Option(line, name));
  return description;
}

std::string SizeText(const Line& line) {
  const Result<Sizing> sizing =
      SizeFor({.capacity = NumberOption(line, "capacity"),
               .target_fpr = RateOption(line, "fpr", 0.01),
               .num_slices = static_cast<uint32_t>(NumberOption(line, "slices")),
               .encoding = EncodingOption(line),
               .power_of_two_blocks = NumberOption(line, "power_of_two") != 0,
               .preference = PreferenceOption(line)});
  if (!sizing.ok()) return ErrorText(sizing.error());
  char fpr[32];
  std::snprintf(fpr, sizeof(fpr), "%.6g", sizing->predicted_fpr);
  const Geometry& geometry = sizing->geometry;
  return "num_bytes=" + std::to_string(geometry.num_bytes()) +
         " num_blocks=" + std::to_string(geometry.num_blocks) +
         " num_slices=" + std::to_string(geometry.num_slices) + " fpr=" + fpr;
}

}  // namespace

std::string Runner::Run(const Line& line) {
  const std::string& verb = line.words.at(0);
  if (verb == "keys") {
    keys_[line.words.at(1)] = ParseKeys(std::span(line.words).subspan(2));
    return "ok";
  }
  if (verb == "digests") {
    const Keys keys = keys_.at(line.words.at(1)).View();
    std::vector<uint64_t> digests(keys.size());
    PolicyOption(line).Digests(keys, digests);
    std::string text;
    for (const uint64_t digest : digests) text += (text.empty() ? "" : " ") + HexOf(digest);
    return text;
  }
  if (verb == "size") return SizeText(line);
  if (verb == "create") return Create(line);
  if (verb == "load") return Load(line);
  if (verb == "stats") return Stats(line.words.at(1));
  std::optional<std::string> result = RunOnBytes(line);
  if (!result) result = RunOnColumns(line);
  if (!result) result = RunOnTuples(line);
  if (!result) result = RunOnWindow(line);
  if (!result) result = RunOnFilter(line);
  if (!result) result = RunOnEach(line);
  if (!result) result = RunOnBatch(line);
  if (!result) throw std::runtime_error("no call of this name: " + verb);
  return *result;
}

std::string Runner::Keep(const std::string& name, Result<AnyFilterPtr> made) {
  if (!made.ok()) return ErrorText(made.error());
  filters_[name] = std::move(made).value();
  return "ok";
}

FilterType TypeNamed(const std::string& name) {
  for (const FilterType type : {FilterType::kCounting, FilterType::kScalable, FilterType::kWindow,
                                FilterType::kConcurrent}) {
    if (name == FilterTypeName(type)) return type;
  }
  throw std::runtime_error("no type of this name: " + name);
}

// A counting filter as one for threads, and the other way round.
Result<AnyFilterPtr> Converted(AnyFilter& filter, FilterType type) {
  if (type == FilterType::kCounting) {
    return AnyFilter::Of(std::move(*filter.As<ConcurrentFilter>()).TakeExclusive());
  }
  Result<ConcurrentFilter> made = ConcurrentFilter::Adopt(std::move(*filter.As<CountingFilter>()));
  if (!made.ok()) return made.error();
  return AnyFilter::Of(*std::move(made));
}

std::string Runner::Create(const Line& line) {
  const std::string& name = line.words.at(1);
  const std::string& type_name = line.words.at(2);
  if (type_name == "column_map") return CreateColumnMap(line);
  if (type_name == "attributes") return CreateAttributes(line);
  const FilterType type = TypeNamed(type_name);
  return Keep(name, AnyFilter::Create(type, DescriptionOf(line), PolicyOption(line)));
}

std::string Runner::Load(const Line& line) {
  const std::string& name = line.words.at(1);
  const std::vector<std::byte>& from = bytes(line.words.at(2));
  const std::string as = Option(line, "as");
  const Result<FilterType> type = TypeOfBytes(from);
  const FilterType wanted = as.empty() ? FilterType() : TypeNamed(as);
  if (type.ok() && !as.empty() && wanted != *type && wanted != FilterType::kConcurrent) {
    return ErrorText({ErrorCode::kMismatch, "a file of another type"});
  }
  Result<AnyFilterPtr> any =
      AnyFilter::Deserialize(from, NumberOption(line, "limit"), DigestKeyOption(line));
  if (any.ok() && !(*any)->takes_keys()) {
    throw std::runtime_error("load is not for files of this type");
  }
  if (any.ok() && wanted == FilterType::kConcurrent) return Keep(name, Converted(**any, wanted));
  return Keep(name, std::move(any));
}

std::string Runner::Stats(const std::string& name) {
  const AnyFilter& subject = filter(name);
  const Figures figures = subject.GetFigures(false);
  const auto number = [&](std::string_view figure, uint64_t otherwise = 0) {
    return FigureOr(figures, figure, otherwise);
  };
  const size_t num_parts = subject.GetParts(false).second.size();
  return "type=" + std::string(FilterTypeName(subject.type())) +
         " num_keys=" + std::to_string(number("num_keys")) +
         " capacity=" + std::to_string(number("first_capacity", number("capacity"))) +
         " parts=" + std::to_string(std::max<size_t>(num_parts, 1)) +
         " refused_inserts=" + std::to_string(number("num_refused_inserts")) +
         " refused_erases=" + std::to_string(number("num_refused_erases"));
}

std::optional<std::string> Runner::RunOnBytes(const Line& line) {
  const std::string& verb = line.words.at(0);
  const std::string& name = line.words.at(1);
  if (verb == "type") {
    const Result<FilterType> type = TypeOfBytes(bytes(name));
    return type.ok() ? std::string(FilterTypeName(*type)) : ErrorText(type.error());
  }
  if (verb == "metadata") {
    const Result<std::vector<std::byte>> metadata = LoadMetadata(SpanSource(bytes(name)));
    return metadata.ok() ? BytesText(*metadata) : ErrorText(metadata.error());
  }
  return bytes_.Run(line);
}

std::optional<std::string> Runner::RunOnFilter(const Line& line) {
  const std::string& verb = line.words.at(0);
  AnyFilter& subject = filter(line.words.at(1));
  if (verb == "serialize") {
    bytes(line.words.at(2)) = subject.Serialize();
    return BytesText(bytes(line.words.at(2)));
  }
  if (verb == "clear") {
    subject.Clear();
    return "ok";
  }
  if (verb == "fold") return StatusText(subject.Fold());
  if (verb == "grow") return StatusText(subject.Grow());
  if (verb == "convert") {
    return Keep(line.words[1], Converted(subject, TypeNamed(line.words.at(2))));
  }
  if (verb == "merge") return StatusText(subject.Merge(filter(line.words.at(2))));
  if (verb == "subtract") return StatusText(subject.Subtract(filter(line.words.at(2))));
  return std::nullopt;
}

std::optional<std::string> Runner::RunOnWindow(const Line& line) {
  const std::string& verb = line.words.at(0);
  if (verb != "advance" && verb != "now" && !verb.ends_with("_at") && !verb.ends_with("_at_each")) {
    return std::nullopt;
  }
  AnyFilter& window = filter(line.words.at(1));
  if (verb == "now") return std::to_string(window.now());
  const uint64_t time = NumberOf(line.words.at(2));
  if (verb == "advance") return window.Advance(time).value() ? "yes" : "no";
  const VectorKeys& keys = keys_.at(line.words.at(3));
  const size_t num_keys = keys.View().size();
  if (verb == "insert_at") {
    const InsertOutcome outcome = window.InsertAt(keys.View(), time, {}).value();
    return DoneText(outcome.num_inserted, outcome.num_refused);
  }
  std::vector<uint64_t> bitmap(BitmapWords(num_keys));
  if (verb == "erase_at") {
    const EraseOutcome outcome = window.EraseAt(keys.View(), time, bitmap).value();
    return DoneText(outcome.num_erased, outcome.num_refused) +
           " expired=" + std::to_string(outcome.num_expired) + " " + BitsText(bitmap, num_keys);
  }
  if (verb == "erase_all_at") {
    const EraseOutcome outcome = window.EraseAll(keys.View(), std::span(&time, 1), bitmap).value();
    return DoneText(outcome.num_erased, outcome.num_refused) +
           " expired=" + std::to_string(outcome.num_expired) + " " + BitsText(bitmap, num_keys);
  }
  uint64_t num_done = 0;
  for (size_t i = 0; i < num_keys; ++i) {
    const bool done = verb == "insert_at_each" ? window.InsertOneAt(keys.At(i), time)
                                               : window.EraseOneAt(keys.At(i), time);
    bitmap[i / 64] |= uint64_t{done} << i % 64;
    num_done += done ? 1 : 0;
  }
  return "done=" + std::to_string(num_done) + " " + BitsText(bitmap, num_keys);
}

std::optional<std::string> Runner::RunOnBatch(const Line& line) {
  const std::string& verb = line.words.at(0);
  const Keys keys = keys_.at(line.words.at(2)).View();
  std::vector<uint64_t> bitmap(BitmapWords(keys.size()));
  AnyFilter& subject = filter(line.words.at(1));
  const auto outcome_text = [&](uint64_t num_done, uint64_t num_refused) {
    return DoneText(num_done, num_refused) + " " + BitsText(bitmap, keys.size());
  };
  if (verb == "query") {
    const size_t num_present = subject.Query(keys, bitmap);
    return PresentText(num_present, bitmap, keys.size());
  }
  if (verb == "select") {
    const bool present = line.words.at(3) == "present";
    std::vector<uint32_t> selection(keys.size());
    selection.resize(
        subject.Select(keys, present ? Answer::kMaybePresent : Answer::kAbsent, selection));
    return Join(std::vector<uint64_t>(selection.begin(), selection.end()));
  }
  if (verb == "counts") {
    std::vector<uint64_t> counts(keys.size());
    subject.CountEstimates(keys, counts);
    return Join(counts);
  }
  std::vector<uint64_t> times(
      subject.expires() ? (keys.size() + AnyFilter::kChunkKeys - 1) / AnyFilter::kChunkKeys : 0);
  if (verb == "insert") {
    uint64_t time = 0;
    const InsertOutcome outcome = subject.Insert(keys, bitmap, &time).value();
    return outcome_text(outcome.num_inserted, outcome.num_refused) +
           (subject.expires() ? " time=" + std::to_string(time) : "");
  }
  if (verb == "insert_if_absent") {
    const InsertOutcome outcome = subject.InsertIfAbsent(keys, bitmap, {}, times).value();
    return outcome_text(outcome.num_inserted, outcome.num_refused) +
           (subject.expires() ? " time=" + Join(times) : "");
  }
  if (verb != "erase" && verb != "erase_all") return std::nullopt;
  const EraseOutcome outcome =
      (verb == "erase" ? subject.Erase(keys, bitmap) : subject.EraseAll(keys, {}, bitmap)).value();
  return outcome_text(outcome.num_erased, outcome.num_refused);
}

std::optional<std::string> Runner::RunOnEach(const Line& line) {
  std::string verb = line.words.at(0);
  if (!verb.ends_with("_each")) return std::nullopt;
  verb.resize(verb.size() - 5);
  const VectorKeys& keys = keys_.at(line.words.at(2));
  const size_t num_keys = keys.View().size();
  std::vector<uint64_t> bitmap(BitmapWords(num_keys));
  AnyFilter& subject = filter(line.words.at(1));
  uint64_t num_yes = 0;
  for (size_t i = 0; i < num_keys; ++i) {
    const Key key = keys.At(i);
    const bool yes = verb == "query"              ? subject.MayContain(key)
                     : verb == "insert_if_absent" ? subject.InsertOneIfAbsent(key, nullptr)
                     : verb == "erase"            ? subject.EraseOneAt(key, 0)
                                                  : subject.InsertOne(key, nullptr);
    bitmap[i / 64] |= uint64_t{yes} << i % 64;
    num_yes += yes ? 1 : 0;
  }
  if (verb == "query") return PresentText(num_yes, bitmap, num_keys);
  return "done=" + std::to_string(num_yes) + " " + BitsText(bitmap, num_keys);
}

}  // namespace trommel::vectors

int main(int argc, char** argv) {
  return trommel::vectors::RunFiles<trommel::vectors::Runner>(argc, argv);
}
