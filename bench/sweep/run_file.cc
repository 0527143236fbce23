#include "bench/sweep/run_file.h"

#include <nlohmann/json.hpp>
#include <span>

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

}  // namespace

std::string RunFileText(const MachineCard& card, const std::vector<RunRecord>& records) {
  Json benchmarks = Json::array();
  for (const RunRecord& record : records) benchmarks.push_back(ToJson(record));
  const Json file = {{"context", ContextOf(card)}, {"benchmarks", std::move(benchmarks)}};
  return file.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
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
