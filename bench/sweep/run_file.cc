#include "bench/sweep/run_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <type_traits>

#include "engine/src/disk/atomic_file.h"

namespace trommel::bench {
namespace {

using Json = nlohmann::ordered_json;

// Google Benchmark's names first; fields that it does not have follow.
Json ContextOf(const MachineCard& card) {
  Json caches = Json::array();
  for (const CacheInfo& cache : card.caches) {
    caches.push_back({{"type", cache.type},
                      {"level", cache.level},
                      {"size", cache.num_bytes},
                      {"num_sharing", cache.num_sharing}});
  }
  return {{"date", card.date},
          {"num_cpus", card.num_logical_cpus},
          {"mhz_per_cpu", card.mhz},
          {"cpu_scaling_enabled", !card.governor.empty() && card.governor != "performance"},
          {"caches", caches},
          {"load_avg", card.load_average},
          {"library_build_type", card.build_type == "Debug" ? "debug" : "release"},
          {"cpu_model", card.cpu_model},
          {"num_physical_cpus", card.num_physical_cpus},
          {"memory_bytes", card.memory_bytes},
          {"governor", card.governor},
          {"kernel", card.kernel},
          {"page_bytes", card.page_bytes},
          {"transparent_huge_pages", card.huge_pages},
          {"filter_bytes", card.filter_bytes},
          {"filter_huge_page_bytes", card.filter_huge_page_bytes},
          {"compiler", card.compiler},
          {"compiler_flags", card.compiler_flags},
          {"build_type", card.build_type},
          {"trommel_version", card.version},
          {"target", card.target},
          {"runnable_targets", card.runnable_targets}};
}

Json ToJson(const RunRecord& record) {
  Json json = {{"name", record.name},
               {"run_name", record.run_name},
               {"run_type", record.run_type},
               {"repetitions", record.repetitions}};
  if (record.run_type == "aggregate") {
    json["threads"] = record.threads;
    json["aggregate_name"] = record.aggregate_name;
    json["aggregate_unit"] = record.aggregate_unit;
  } else {
    json["repetition_index"] = record.repetition_index;
    json["threads"] = record.threads;
  }
  json["iterations"] = record.iterations;
  json["real_time"] = record.real_time;
  json["cpu_time"] = record.cpu_time;
  json["time_unit"] = record.time_unit;
  for (const auto& [name, value] : record.counters) json[name] = value;
  if (!record.label.empty()) json["label"] = record.label;
  return json;
}

// A member, or `otherwise` where there is none of this type.
template <class T>
T Get(const Json& json, const char* name, T otherwise) {
  const auto found = json.find(name);
  if (found == json.end()) return otherwise;
  if constexpr (std::is_integral_v<T>) {
    return found->is_number_integer() ? found->template get<T>() : otherwise;
  } else if constexpr (std::is_arithmetic_v<T>) {
    return found->is_number() ? found->template get<T>() : otherwise;
  } else {
    return found->is_string() ? found->template get<T>() : otherwise;
  }
}

// Nothing if it is not a record.
std::optional<RunRecord> ToRecord(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  RunRecord record;
  record.name = Get<std::string>(json, "name", "");
  const auto real_time = json.find("real_time");
  if (record.name.empty() || real_time == json.end() || !real_time->is_number()) {
    return std::nullopt;
  }
  record.real_time = *real_time;
  record.run_name = Get(json, "run_name", record.name);
  record.run_type = Get(json, "run_type", record.run_type);
  record.aggregate_name = Get<std::string>(json, "aggregate_name", "");
  record.aggregate_unit = Get<std::string>(json, "aggregate_unit", "");
  record.repetitions = Get<int64_t>(json, "repetitions", 1);
  record.repetition_index = Get<int64_t>(json, "repetition_index", 0);
  record.threads = Get<uint32_t>(json, "threads", 1);
  record.iterations = Get<int64_t>(json, "iterations", 1);
  record.cpu_time = Get<double>(json, "cpu_time", 0);
  record.time_unit = Get<std::string>(json, "time_unit", "ns");
  record.label = Get<std::string>(json, "label", "");
  const Json known = ToJson(record);
  for (const auto& [name, value] : json.items()) {
    if (value.is_number() && !known.contains(name)) record.counters.emplace_back(name, value);
  }
  return record;
}

bool HasFailed(const Json& json) {
  const auto is_true = [&json](const char* name) {
    const auto found = json.find(name);
    return found != json.end() && *found == true;
  };
  return json.is_object() && (is_true("error_occurred") || is_true("skipped"));
}

Error Corrupt(const std::filesystem::path& path, const std::string& why) {
  return {ErrorCode::kCorrupt, path.string() + " " + why};
}

}  // namespace

std::string RunFileText(const MachineCard& card, const std::vector<RunRecord>& records) {
  Json benchmarks = Json::array();
  for (const RunRecord& record : records) benchmarks.push_back(ToJson(record));
  const Json file = {{"context", ContextOf(card)}, {"benchmarks", std::move(benchmarks)}};
  return file.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<RunFile> ReadRunFile(const std::filesystem::path& path) {
  std::error_code ignored;
  errno = std::filesystem::is_directory(path, ignored) ? EISDIR : 0;
  std::ifstream stream;
  if (errno == 0) stream.open(path, std::ios::binary);
  if (!stream.is_open()) {
    return Error{ErrorCode::kIo, "cannot read " + path.string() + ": " + std::strerror(errno)};
  }
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (stream.bad()) return Error{ErrorCode::kIo, "cannot read " + path.string()};
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    return Corrupt(path, "is not JSON, from byte " + std::to_string(error.byte) + " on");
  }
  if (!json.is_object() || !json.contains("benchmarks") || !json["benchmarks"].is_array()) {
    return Corrupt(path, "is not a file of benchmarks: it has no list \"benchmarks\"");
  }
  RunFile file;
  if (json.contains("context")) {
    const Json context = json["context"].flatten();
    for (const auto& [name, value] : context.items()) {
      file.context.emplace_back(name.substr(std::min<size_t>(1, name.size())),
                                value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  size_t entry_idx = 0;
  for (const Json& entry : json["benchmarks"]) {
    if (!HasFailed(entry)) {
      std::optional<RunRecord> record = ToRecord(entry);
      if (!record) {
        return Corrupt(path, "is not a file of benchmarks: entry " + std::to_string(entry_idx) +
                                 " has no name or no real_time");
      }
      file.records.push_back(std::move(*record));
    }
    ++entry_idx;
  }
  return file;
}

struct RunFileWriter::Impl {
  AtomicFile file;
};

RunFileWriter::RunFileWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RunFileWriter::RunFileWriter(RunFileWriter&&) noexcept = default;
RunFileWriter::~RunFileWriter() = default;

Result<RunFileWriter> RunFileWriter::Create(const std::filesystem::path& path) {
  Result<AtomicFile> file = AtomicFile::Create(path);
  if (!file.ok()) return file.error();
  return RunFileWriter(std::unique_ptr<Impl>(new Impl{std::move(*file)}));
}

Status RunFileWriter::Write(std::string_view text) {
  if (Status written = impl_->file.Append(std::as_bytes(std::span(text))); !written.ok()) {
    return written;
  }
  return impl_->file.Commit();
}

}  // namespace trommel::bench
