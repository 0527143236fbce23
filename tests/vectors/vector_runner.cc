#include "vectors/vector_runner.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "trommel/any_filter.h"
#include "trommel/byte_stream.h"
#include "trommel/metadata.h"
#include "trommel/sizing.h"
#include "vectors/vector_text.h"

namespace trommel::vectors {
std::string Join(std::span<const uint64_t> numbers) {
  std::string text;
  for (const uint64_t number : numbers) text += (text.empty() ? "" : " ") + std::to_string(number);
  return text;
}

std::string DoneText(uint64_t num_done, uint64_t num_refused) {
  return "done=" + std::to_string(num_done) + " refused=" + std::to_string(num_refused);
}

std::string PresentText(uint64_t num_present, std::span<const uint64_t> bitmap, size_t num_keys) {
  return "present=" + std::to_string(num_present) + " " + BitsText(bitmap, num_keys);
}

Encoding EncodingOption(const Line& line) {
  const std::string name = Option(line, "encoding", "runs");
  for (const Encoding encoding : {Encoding::kPlanes, Encoding::kFingerprints16,
                                  Encoding::kFingerprints8, Encoding::kAutomatic}) {
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

CountingConfig CountingOption(const Line& line) {
  return {.capacity = NumberOption(line, "capacity"),
          .target_fpr = RateOption(line, "fpr", 0.01),
          .digest = PolicyOption(line),
          .num_slices = static_cast<uint32_t>(NumberOption(line, "slices")),
          .encoding = EncodingOption(line),
          .preference = PreferenceOption(line),
          .power_of_two_blocks = NumberOption(line, "power_of_two") != 0,
          .memory_limit_bytes = NumberOption(line, "memory_limit"),
          .side_memory_limit_bytes = NumberOption(line, "side_limit")};
}

ScalableConfig ScalableOption(const Line& line) {
  ScalableConfig config{.first_capacity = NumberOption(line, "first_capacity"),
                        .target_fpr = RateOption(line, "fpr", 0.01),
                        .max_capacity = NumberOption(line, "max_capacity"),
                        .growth = static_cast<uint32_t>(NumberOption(line, "growth", 2)),
                        .tightening = RateOption(line, "tightening", 0.8),
                        .digest = PolicyOption(line),
                        .num_slices = static_cast<uint32_t>(NumberOption(line, "slices")),
                        .memory_limit_bytes = NumberOption(line, "memory_limit"),
                        .side_memory_limit_bytes = NumberOption(line, "side_limit")};
  if (!Option(line, "encoding").empty()) config.encoding = EncodingOption(line);
  for (const GrowthMode mode : {GrowthMode::kGenerations, GrowthMode::kDoubling}) {
    if (Option(line, "mode") == GrowthModeName(mode)) config.mode = mode;
  }
  return config;
}

WindowConfig WindowOption(const Line& line) {
  return {.window = NumberOption(line, "window"),
          .num_buckets = static_cast<uint32_t>(NumberOption(line, "buckets", 8)),
          .capacity = NumberOption(line, "capacity"),
          .target_fpr = RateOption(line, "fpr", 0.01),
          .digest = PolicyOption(line),
          .is_erasable = NumberOption(line, "insert_only") == 0,
          .memory_limit_bytes = NumberOption(line, "memory_limit"),
          .side_memory_limit_bytes = NumberOption(line, "side_limit")};
}

std::string SizeText(const Line& line) {
  const CountingConfig config = CountingOption(line);
  const Result<Sizing> sizing = SizeFor({.capacity = config.capacity,
                                         .target_fpr = config.target_fpr,
                                         .num_slices = config.num_slices,
                                         .encoding = config.encoding,
                                         .power_of_two_blocks = config.power_of_two_blocks,
                                         .preference = config.preference});
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

template <class T>
std::string Runner::Keep(const std::string& name, Result<T> made) {
  if (made.ok()) filters_.insert_or_assign(name, std::move(made).value());
  return StatusText(made);
}

std::string Runner::Create(const Line& line) {
  const std::string& name = line.words.at(1);
  const std::string& type = line.words.at(2);
  if (type == "counting") return Keep(name, CountingFilter::Create(CountingOption(line)));
  if (type == "concurrent") return Keep(name, ConcurrentFilter::Create(CountingOption(line)));
  if (type == "scalable") return Keep(name, ScalableFilter::Create(ScalableOption(line)));
  if (type == "window") return Keep(name, WindowFilter::Create(WindowOption(line)));
  if (type == "column_map") return CreateColumnMap(line);
  if (type == "attributes") return CreateAttributes(line);
  throw std::runtime_error("no type of this name: " + type);
}

std::string Runner::Load(const Line& line) {
  const std::string& name = line.words.at(1);
  const std::vector<std::byte>& from = bytes(line.words.at(2));
  const uint64_t limit = NumberOption(line, "limit");
  const DigestKey key = DigestKeyOption(line);
  const std::string as = Option(line, "as");
  if (as == "counting") return Keep(name, CountingFilter::Deserialize(from, limit, key));
  if (as == "scalable") return Keep(name, ScalableFilter::Deserialize(from, limit, key));
  if (as == "window") return Keep(name, WindowFilter::Deserialize(from, limit, key));
  Result<AnyFilter> any = DeserializeAny(from, limit, key);
  if (!any.ok()) return ErrorText(any.error());
  return std::visit(
      [&](auto& typed) -> std::string {
        if constexpr (std::constructible_from<Filter, decltype(std::move(typed))>) {
          if (as == "concurrent") {
            return Keep(name, ConcurrentFilter::Adopt(std::get<CountingFilter>(std::move(*any))));
          }
          filters_.insert_or_assign(name, std::move(typed));
          return "ok";
        }
        throw std::runtime_error("load is not for files of this type");
      },
      *any);
}

std::string Runner::Stats(const std::string& name) {
  return std::visit(
      [&](const auto& typed) {
        using T = std::remove_cvref_t<decltype(typed)>;
        const auto stats = typed.GetStats();
        std::string type = "counting";
        uint64_t capacity = 0;
        uint64_t num_parts = 1;
        if constexpr (std::same_as<T, ScalableFilter>) {
          type = "scalable";
          capacity = typed.first_capacity();
          num_parts = typed.num_generations();
        } else {
          capacity = typed.capacity();
        }
        if constexpr (std::same_as<T, WindowFilter>) {
          type = "window";
          num_parts = stats.buckets.size();
        }
        if constexpr (std::same_as<T, ConcurrentFilter>) type = "concurrent";
        return "type=" + type + " num_keys=" + std::to_string(stats.num_keys) +
               " capacity=" + std::to_string(capacity) + " parts=" + std::to_string(num_parts) +
               " refused_inserts=" + std::to_string(stats.num_refused_inserts) +
               " refused_erases=" + std::to_string(stats.num_refused_erases);
      },
      filter(name));
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
  if (verb == "file") {
    std::ifstream stream(samples_ / line.words.at(2), std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    if (text.empty()) throw std::runtime_error("no sample of this name");
    const auto read = std::as_bytes(std::span(text));
    bytes_[name].assign(read.begin(), read.end());
    return "ok";
  }
  if (verb == "copy") {
    bytes_[name] = bytes(line.words.at(2));
    return "ok";
  }
  if (verb == "cut") {
    bytes(name).resize(NumberOf(line.words.at(2)));
    return "ok";
  }
  if (verb == "flip") {
    bytes(name).at(NumberOf(line.words.at(2))) ^=
        static_cast<std::byte>(FromHex(line.words.at(3)).at(0));
    return "ok";
  }
  return std::nullopt;
}

std::optional<std::string> Runner::RunOnFilter(const Line& line) {
  const std::string& verb = line.words.at(0);
  Filter& subject = filter(line.words.at(1));
  if (verb == "serialize") {
    bytes_[line.words.at(2)] =
        std::visit([](const auto& typed) { return typed.Serialize(); }, subject);
    return BytesText(bytes(line.words.at(2)));
  }
  if (verb == "clear") {
    std::visit([](auto& typed) { typed.Clear(); }, subject);
    return "ok";
  }
  if (verb == "fold") return StatusText(std::get<CountingFilter>(subject).Fold());
  if (verb == "grow") return StatusText(std::get<CountingFilter>(subject).Grow());
  if (verb == "convert") {
    if (line.words.at(2) == "concurrent") {
      return Keep(line.words[1],
                  ConcurrentFilter::Adopt(std::get<CountingFilter>(std::move(subject))));
    }
    subject = std::get<ConcurrentFilter>(std::move(subject)).TakeExclusive();
    return "ok";
  }
  if (verb != "merge" && verb != "subtract") return std::nullopt;
  Filter& other = filter(line.words.at(2));
  return std::visit(
      [&](auto& typed) -> std::string {
        using T = std::remove_cvref_t<decltype(typed)>;
        if constexpr (std::same_as<T, ConcurrentFilter>) {
          return StatusText(typed.Merge(std::get<CountingFilter>(other)));
        } else {
          if (verb == "merge") return StatusText(typed.Merge(std::get<T>(other)));
          if constexpr (requires { typed.Subtract(typed); }) {
            return StatusText(typed.Subtract(std::get<T>(other)));
          }
          throw std::runtime_error("this type has no Subtract");
        }
      },
      subject);
}

std::optional<std::string> Runner::RunOnWindow(const Line& line) {
  const std::string& verb = line.words.at(0);
  if (verb != "advance" && verb != "now" && !verb.ends_with("_at") && !verb.ends_with("_at_each")) {
    return std::nullopt;
  }
  WindowFilter& window = std::get<WindowFilter>(filter(line.words.at(1)));
  if (verb == "now") return std::to_string(window.now());
  const uint64_t time = NumberOf(line.words.at(2));
  if (verb == "advance") return window.Advance(time) ? "yes" : "no";
  const VectorKeys& keys = keys_.at(line.words.at(3));
  const size_t num_keys = keys.View().size();
  if (verb == "insert_at") {
    const WindowInsertOutcome outcome = window.Insert(keys.View(), time);
    return DoneText(outcome.num_inserted, outcome.num_refused);
  }
  std::vector<uint64_t> bitmap(BitmapWords(num_keys));
  if (verb == "erase_at") {
    const WindowEraseOutcome outcome = window.Erase(keys.View(), time, bitmap);
    return DoneText(outcome.num_erased, outcome.num_refused) +
           " expired=" + std::to_string(outcome.num_expired) + " " + BitsText(bitmap, num_keys);
  }
  if (verb == "erase_all_at") {
    const WindowEraseOutcome outcome =
        window.EraseAll(keys.View(), std::span(&time, 1), bitmap).value();
    return DoneText(outcome.num_erased, outcome.num_refused) +
           " expired=" + std::to_string(outcome.num_expired) + " " + BitsText(bitmap, num_keys);
  }
  uint64_t num_done = 0;
  for (size_t i = 0; i < num_keys; ++i) {
    const bool done =
        verb == "insert_at_each" ? window.Insert(keys.At(i), time) : window.Erase(keys.At(i), time);
    bitmap[i / 64] |= uint64_t{done} << i % 64;
    num_done += done ? 1 : 0;
  }
  return "done=" + std::to_string(num_done) + " " + BitsText(bitmap, num_keys);
}

std::optional<std::string> Runner::RunOnBatch(const Line& line) {
  const std::string& verb = line.words.at(0);
  const Keys keys = keys_.at(line.words.at(2)).View();
  std::vector<uint64_t> bitmap(BitmapWords(keys.size()));
  const auto bits = [&] { return " " + BitsText(bitmap, keys.size()); };
  return std::visit(
      [&](auto& typed) -> std::optional<std::string> {
        using T = std::remove_cvref_t<decltype(typed)>;
        if (verb == "query") {
          const size_t num_present = typed.Query(keys, bitmap);
          return PresentText(num_present, bitmap, keys.size());
        }
        if (verb == "select") {
          const bool present = line.words.at(3) == "present";
          std::vector<uint32_t> selection(keys.size());
          selection.resize(
              typed.Select(keys, present ? Answer::kMaybePresent : Answer::kAbsent, selection));
          return Join(std::vector<uint64_t>(selection.begin(), selection.end()));
        }
        if (verb == "counts") {
          std::vector<uint64_t> counts(keys.size());
          typed.CountEstimates(keys, counts);
          return Join(counts);
        }
        if (verb == "insert") {
          if constexpr (std::same_as<T, WindowFilter>) {
            uint64_t time = 0;
            const WindowInsertOutcome outcome = typed.Insert(keys, bitmap, &time);
            return DoneText(outcome.num_inserted, outcome.num_refused) + bits() +
                   " time=" + std::to_string(time);
          } else {
            const InsertOutcome outcome = typed.Insert(keys, bitmap);
            return DoneText(outcome.num_inserted, outcome.num_refused) + bits();
          }
        }
        if (verb == "insert_if_absent") {
          if constexpr (std::same_as<T, CountingFilter> || std::same_as<T, ConcurrentFilter>) {
            std::vector<uint64_t> refused(bitmap.size());
            const InsertOutcome outcome = typed.InsertIfAbsent(keys, bitmap, refused);
            return DoneText(outcome.num_inserted, outcome.num_refused) + bits();
          } else if constexpr (std::same_as<T, ScalableFilter>) {
            const InsertOutcome outcome = typed.InsertIfAbsent(keys, bitmap);
            return DoneText(outcome.num_inserted, outcome.num_refused) + bits();
          } else {
            std::vector<uint64_t> times(WindowFilter::NumChunks(keys.size()));
            const size_t num_inserted = typed.InsertIfAbsent(keys, bitmap, times);
            return DoneText(num_inserted, 0) + bits() + " time=" + Join(times);
          }
        }
        if (verb == "erase") {
          if constexpr (!std::same_as<T, WindowFilter>) {
            const EraseOutcome outcome = typed.Erase(keys, bitmap);
            return DoneText(outcome.num_erased, outcome.num_refused) + bits();
          }
        }
        if (verb == "erase_all") {
          if constexpr (!std::same_as<T, WindowFilter>) {
            const EraseOutcome outcome = typed.EraseAll(keys, bitmap).value();
            return DoneText(outcome.num_erased, outcome.num_refused) + bits();
          }
        }
        return std::nullopt;
      },
      filter(line.words.at(1)));
}

std::optional<std::string> Runner::RunOnEach(const Line& line) {
  std::string verb = line.words.at(0);
  if (!verb.ends_with("_each")) return std::nullopt;
  verb.resize(verb.size() - 5);
  const VectorKeys& keys = keys_.at(line.words.at(2));
  const size_t num_keys = keys.View().size();
  std::vector<uint64_t> bitmap(BitmapWords(num_keys));
  uint64_t num_yes = 0;
  for (size_t i = 0; i < num_keys; ++i) {
    const Key key = keys.At(i);
    const bool yes = std::visit(
        [&](auto& typed) {
          using T = std::remove_cvref_t<decltype(typed)>;
          if (verb == "query") return typed.MayContain(key);
          if (verb == "insert_if_absent") return typed.InsertIfAbsent(key);
          if constexpr (std::same_as<T, WindowFilter>) {
            typed.Insert(key);
            return true;
          } else {
            if (verb == "erase") return typed.Erase(key);
            return typed.Insert(key);
          }
        },
        filter(line.words.at(1)));
    bitmap[i / 64] |= uint64_t{yes} << i % 64;
    num_yes += yes ? 1 : 0;
  }
  if (verb == "query") return PresentText(num_yes, bitmap, num_keys);
  return "done=" + std::to_string(num_yes) + " " + BitsText(bitmap, num_keys);
}

}  // namespace trommel::vectors
