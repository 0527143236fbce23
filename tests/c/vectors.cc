// Runs the test vectors (tests/vectors/README.md) through the C ABI: trommel_c_vectors FILE... Each
// batch of keys is passed in one of the layouts of its kind, in turn. This file: bytes and filters
// that hold keys.
#include "c/vectors.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "vectors/run_files.h"

namespace trommel::vectors {
namespace {

int32_t EncodingNumber(const Line& line) {
  return IndexOf({"", "planes", "runs", "fingerprints16", "dense", "automatic"},
                 Option(line, "encoding"));
}

int32_t PreferenceNumber(const Line& line) {
  return IndexOf({"memory", "speed", "headroom", "parquet"}, Option(line, "preference"));
}

const std::vector<std::string_view> kTypes = {"any", "counting", "scalable", "window",
                                              "4",   "5",        "attribute"};

std::string TypeText(int32_t type) {
  return type == TROMMEL_TYPE_CONCURRENT ? "concurrent"
                                         : std::string(kTypes.at(static_cast<size_t>(type)));
}

int32_t TypeNumber(const std::string& name) {
  return name == "concurrent" ? int32_t{TROMMEL_TYPE_CONCURRENT} : IndexOf(kTypes, name);
}

int32_t Collect(void* context, const void* bytes, int64_t num_bytes) {
  const auto* const begin = static_cast<const std::byte*>(bytes);
  auto& collected = *static_cast<Bytes*>(context);
  collected.insert(collected.end(), begin, begin + num_bytes);
  return 0;
}

std::string SizeText(const Line& line) {
  auto request = Sized<trommel_sizing_request>();
  request.capacity = NumberOption(line, "capacity");
  request.target_fpr = RateOption(line, "fpr", 0);
  request.encoding = EncodingNumber(line);
  request.preference = PreferenceNumber(line);
  request.num_slices = static_cast<uint32_t>(NumberOption(line, "slices"));
  auto sizing = Sized<trommel_sizing>();
  trommel_error error;
  const trommel_code code = trommel_size_for(&request, &sizing, &error);
  if (code != TROMMEL_OK) return CodeText(code, error);
  char fpr[32];
  std::snprintf(fpr, sizeof(fpr), "%.6g", sizing.predicted_fpr);
  return "num_bytes=" + std::to_string(sizing.num_bytes) +
         " num_blocks=" + std::to_string(sizing.num_blocks) +
         " num_slices=" + std::to_string(sizing.num_slices) + " fpr=" + fpr;
}

// Into a buffer and through a sink: both must be the same.
Bytes Serialized(const trommel_filter* filter) {
  const auto serialize = [filter](void* buffer, int64_t size, int64_t* needed) {
    return trommel_serialize(filter, buffer, size, needed, nullptr);
  };
  Bytes bytes = BytesOf(serialize);
  int64_t size = 0;
  Check(serialize(bytes.data(), std::ssize(bytes) - 1, &size) == TROMMEL_BUFFER_TOO_SMALL,
        "a buffer that is too small");
  Bytes sunk;
  Check(trommel_write(filter, Collect, &sunk, nullptr) == TROMMEL_OK, "trommel_write");
  Check(sunk == bytes, "the sink's bytes are those of the buffer");
  return bytes;
}

std::string StatsText(const trommel_filter* filter) {
  auto stats = Sized<trommel_stats>();
  Check(trommel_get_stats(filter, &stats, nullptr) == TROMMEL_OK, "trommel_get_stats");
  return "type=" + TypeText(stats.type) + " num_keys=" + std::to_string(stats.num_keys) +
         " capacity=" + std::to_string(stats.capacity) +
         " parts=" + std::to_string(stats.num_parts) +
         " refused_inserts=" + std::to_string(stats.num_refused_inserts) +
         " refused_erases=" + std::to_string(stats.num_refused_erases);
}

}  // namespace

int32_t CRunner::ReadBytes(void* context, int64_t offset, void* buffer, int64_t num_bytes) {
  const Bytes& from = *static_cast<const Bytes*>(context);
  if (offset < 0 || num_bytes < 0 || offset > std::ssize(from) - num_bytes) return 1;
  std::copy_n(from.data() + offset, num_bytes, static_cast<std::byte*>(buffer));
  return 0;
}

std::string CRunner::Run(const Line& line) {
  ++num_calls_;
  const std::string& verb = line.words.at(0);
  if (verb == "keys") {
    keys_.insert_or_assign(line.words.at(1),
                           LaidOutKeys(ParseKeys(std::span(line.words).subspan(2))));
    return "ok";
  }
  if (verb == "digests") {
    const Policy policy(line);
    const trommel_keys keys = View(line.words.at(1));
    std::vector<uint64_t> digests(static_cast<size_t>(keys.num_keys));
    Check(
        trommel_digests(policy.get(), &keys, digests.data(), keys.num_keys, nullptr) == TROMMEL_OK,
        verb);
    std::string text;
    for (const uint64_t digest : digests) text += (text.empty() ? "" : " ") + HexOf(digest);
    return text;
  }
  if (verb == "size") return SizeText(line);
  std::optional<std::string> result = RunOnBytes(line);
  if (!result) result = RunOnColumns(line);
  if (!result) result = RunOnTuples(line);
  if (!result) result = RunOnWholes(line);
  if (!result) result = RunOnWindow(line);
  return result ? *result : RunOnBatch(line);
}

std::optional<std::string> CRunner::RunOnBytes(const Line& line) {
  const std::string& verb = line.words.at(0);
  const std::string& name = line.words.at(1);
  trommel_error error;
  if (verb == "type") {
    int32_t type = 0;
    const trommel_code code =
        trommel_type_of_bytes(bytes(name).data(), std::ssize(bytes(name)), &type, &error);
    return code == TROMMEL_OK ? TypeText(type) : CodeText(code, error);
  }
  if (verb == "metadata") {
    int64_t size = 0;
    const auto read = [&](void* buffer, int64_t room, int64_t* needed) {
      return trommel_metadata_of_bytes(bytes(name).data(), std::ssize(bytes(name)), buffer, room,
                                       needed, &error);
    };
    const trommel_code code = read(nullptr, 0, &size);
    return code == TROMMEL_OK ? BytesText(BytesOf(read)) : CodeText(code, error);
  }
  return bytes_.Run(line);
}

std::string CRunner::Create(const Line& line) {
  const std::string& type = line.words.at(2);
  const Policy policy(line);
  trommel_filter* made = nullptr;
  trommel_error error;
  trommel_code code = TROMMEL_OK;
  const auto set = [&](auto& config) {
    config.target_fpr = RateOption(line, "fpr", 0);
    config.memory_limit_bytes = NumberOption(line, "memory_limit");
    config.side_memory_limit_bytes = NumberOption(line, "side_limit");
    config.digest = policy.get();
  };
  if (type == "scalable") {
    auto config = Sized<trommel_scalable_config>();
    set(config);
    config.first_capacity = NumberOption(line, "first_capacity");
    config.max_capacity = NumberOption(line, "max_capacity");
    code = trommel_scalable_create(&config, &made, &error);
  } else if (type == "window") {
    auto config = Sized<trommel_window_config>();
    set(config);
    config.window = NumberOption(line, "window");
    config.num_buckets = static_cast<uint32_t>(NumberOption(line, "buckets"));
    config.capacity = NumberOption(line, "capacity");
    config.is_insert_only = static_cast<int32_t>(NumberOption(line, "insert_only"));
    code = trommel_window_create(&config, &made, &error);
  } else {
    Check(type == "counting" || type == "concurrent", type);
    auto config = Sized<trommel_counting_config>();
    set(config);
    config.capacity = NumberOption(line, "capacity");
    config.encoding = EncodingNumber(line);
    config.preference = PreferenceNumber(line);
    config.num_slices = static_cast<uint32_t>(NumberOption(line, "slices"));
    config.power_of_two_blocks = static_cast<int32_t>(NumberOption(line, "power_of_two"));
    code = type == "counting" ? trommel_counting_create(&config, &made, &error)
                              : trommel_concurrent_create(&config, &made, &error);
  }
  if (code == TROMMEL_OK) filters_[line.words.at(1)].reset(made);
  return CodeText(code, error);
}

// From memory and through a source: both must be the same.
std::string CRunner::Load(const Line& line) {
  Bytes& from = bytes(line.words.at(2));
  const Policy policy(line);
  auto options = Sized<trommel_load_options>();
  options.type = TypeNumber(Option(line, "as", "any"));
  options.memory_limit_bytes = NumberOption(line, "limit");
  options.digest_key = policy.key();
  trommel_filter* loaded = nullptr;
  trommel_filter* read = nullptr;
  trommel_error error;
  const trommel_code code =
      trommel_load_bytes(from.data(), std::ssize(from), &options, &loaded, &error);
  Check(trommel_read(ReadBytes, &from, std::ssize(from), &options, &read, nullptr) == code,
        "trommel_read returns what trommel_load_bytes returns");
  const Handle<trommel_filter, trommel_filter_free> owned(read);
  Check(code != TROMMEL_OK || trommel_equals(loaded, read, nullptr) == 1, "both are one filter");
  if (code == TROMMEL_OK) filters_[line.words.at(1)].reset(loaded);
  return CodeText(code, error);
}

std::optional<std::string> CRunner::RunOnWholes(const Line& line) {
  const std::string& verb = line.words.at(0);
  if (verb == "create") return Create(line);
  if (verb == "load") return Load(line);
  trommel_filter* const filter = filters_.at(line.words.at(1)).get();
  if (verb == "stats") return StatsText(filter);
  if (verb == "serialize") return BytesText(bytes(line.words.at(2)) = Serialized(filter));
  trommel_error error;
  const auto other = [&] { return filters_.at(line.words.at(2)).get(); };
  if (verb == "merge") return CodeText(trommel_merge(filter, other(), &error), error);
  if (verb == "subtract") return CodeText(trommel_subtract(filter, other(), &error), error);
  if (verb == "fold") return CodeText(trommel_fold(filter, &error), error);
  if (verb == "grow") return CodeText(trommel_grow(filter, &error), error);
  if (verb == "clear") return CodeText(trommel_clear(filter, &error), error);
  if (verb != "convert") return std::nullopt;
  return CodeText(trommel_convert(filter, TypeNumber(line.words.at(2)), &error), error);
}

std::optional<std::string> CRunner::RunOnWindow(const Line& line) {
  const std::string& verb = line.words.at(0);
  trommel_filter* const window = filters_.at(line.words.at(1)).get();
  if (verb == "now") {
    uint64_t now = 0;
    Check(trommel_window_now(window, &now, nullptr) == TROMMEL_OK, verb);
    return std::to_string(now);
  }
  if (verb != "advance" && !verb.ends_with("_at") && !verb.ends_with("_at_each")) {
    return std::nullopt;
  }
  const uint64_t time = NumberOf(line.words.at(2));
  if (verb == "advance") return IsYes(trommel_window_advance(window, time, nullptr)) ? "yes" : "no";
  if (verb.ends_with("_each")) {
    const auto one =
        verb == "insert_at_each" ? trommel_window_insert_key : trommel_window_erase_key;
    return EachText("done=", line.words.at(3),
                    [&](trommel_key key) { return one(window, key, time, nullptr); });
  }
  const trommel_keys keys = View(line.words.at(3));
  const auto num_keys = static_cast<size_t>(keys.num_keys);
  std::vector<uint64_t> bitmap = BitmapFor(keys);
  auto outcome = Sized<trommel_outcome>();
  if (verb == "insert_at") {
    Check(trommel_window_insert(window, &keys, time, nullptr, 0, &outcome, nullptr) == TROMMEL_OK,
          verb);
    return DoneText(outcome.num_done, outcome.num_refused);
  }
  const trommel_code code = verb == "erase_at"
                                ? trommel_window_erase(window, &keys, time, bitmap.data(),
                                                       std::ssize(bitmap), &outcome, nullptr)
                                : trommel_window_erase_all(window, &keys, &time, 1, bitmap.data(),
                                                           std::ssize(bitmap), &outcome, nullptr);
  Check(code == TROMMEL_OK, verb);
  return DoneText(outcome.num_done, outcome.num_refused) +
         " expired=" + std::to_string(outcome.num_expired) + " " + BitsText(bitmap, num_keys);
}

std::string CRunner::RunOnBatch(const Line& line) {
  const std::string& verb = line.words.at(0);
  trommel_filter* const filter = filters_.at(line.words.at(1)).get();
  const std::string& name = line.words.at(2);
  if (verb.ends_with("_each")) {
    if (verb == "query_each") {
      return EachText("present=", name,
                      [&](trommel_key key) { return trommel_may_contain(filter, key, nullptr); });
    }
    const auto one = verb == "insert_each"  ? trommel_insert_key
                     : verb == "erase_each" ? trommel_erase_key
                                            : trommel_insert_key_if_absent;
    return EachText("done=", name, [&](trommel_key key) { return one(filter, key, nullptr); });
  }
  const trommel_keys keys = View(name);
  const auto num_keys = static_cast<size_t>(keys.num_keys);
  std::vector<uint64_t> numbers(num_keys);
  std::vector<uint64_t> bitmap = BitmapFor(keys);
  trommel_error error;
  int64_t num_present = -1;
  trommel_code code = TROMMEL_OK;
  if (verb == "select") {
    std::vector<uint32_t> selection(num_keys);
    code = trommel_select(filter, &keys, line.words.at(3) == "present" ? 1 : 0, selection.data(),
                          keys.num_keys, &num_present, &error);
    Check(code == TROMMEL_OK, error.message);
    selection.resize(static_cast<size_t>(num_present));
    return Join(std::vector<uint64_t>(selection.begin(), selection.end()));
  }
  if (verb == "counts") {
    code = trommel_count_estimates(filter, &keys, numbers.data(), keys.num_keys, &error);
    Check(code == TROMMEL_OK, error.message);
    return Join(numbers);
  }
  if (verb == "query") {
    code = trommel_query(filter, &keys, bitmap.data(), std::ssize(bitmap), &num_present, &error);
    Check(code == TROMMEL_OK, error.message);
    return PresentText(static_cast<uint64_t>(num_present), bitmap, num_keys);
  }
  const bool is_window = trommel_filter_type(filter) == TROMMEL_TYPE_WINDOW;
  auto outcome = Sized<trommel_outcome>();
  std::vector<uint64_t> times;
  if (verb == "insert_if_absent" && is_window) {
    times.resize((num_keys + TROMMEL_WINDOW_CHUNK_KEYS - 1) / TROMMEL_WINDOW_CHUNK_KEYS);
    code = trommel_window_insert_if_absent(filter, &keys, bitmap.data(), std::ssize(bitmap),
                                           times.data(), std::ssize(times), &outcome, &error);
  } else if (verb == "insert_if_absent") {
    code = trommel_insert_if_absent(filter, &keys, bitmap.data(), std::ssize(bitmap), nullptr,
                                    &outcome, &error);
  } else {
    Check(verb == "insert" || verb == "erase" || verb == "erase_all", verb);
    const auto update = verb == "insert"  ? trommel_insert
                        : verb == "erase" ? trommel_erase
                                          : trommel_erase_all;
    code = update(filter, &keys, bitmap.data(), std::ssize(bitmap), &outcome, &error);
    if (is_window) times = {outcome.time};
  }
  Check(code == TROMMEL_OK, error.message);
  return DoneText(outcome.num_done, outcome.num_refused) + " " + BitsText(bitmap, num_keys) +
         (is_window ? " time=" + Join(times) : "");
}

}  // namespace trommel::vectors

int main(int argc, char** argv) {
  return trommel::vectors::RunFiles<trommel::vectors::CRunner>(argc, argv);
}
