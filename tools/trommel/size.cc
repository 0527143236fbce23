// trommel size: from keys and a false-positive rate to memory, and back. Nothing is built.
#include <fmt/format.h>

#include <bit>
#include <memory>
#include <optional>
#include <string>

#include "tools/trommel/commands.h"
#include "tools/trommel/number_text.h"
#include "tools/trommel/report.h"
#include "trommel/sizing.h"

namespace trommel::tool {
namespace {

struct SizeOptions {
  FilterOptions filter;
  bool fpr_given = false;
  uint64_t num_bytes = 0;
  uint64_t num_blocks = 0;
};

int Print(const Sizing& sizing, const Settings& settings) {
  const Geometry& geometry = sizing.geometry;
  Report report;
  report.Add("capacity", sizing.capacity, "capacity", FormatCount(sizing.capacity, "distinct key"));
  report.Add(
      "num_bytes", geometry.num_bytes(), "memory",
      fmt::format("{} ({} of presence bits: all a query reads)", FormatBytes(geometry.num_bytes()),
                  FormatBytes(geometry.presence_bytes())));
  report.AddField("presence_bytes", geometry.presence_bytes());
  report.Add("bits_per_key", sizing.bits_per_key, "bits a key",
             fmt::format("{:.1f}", sizing.bits_per_key));
  report.Add(
      "predicted_fpr", sizing.predicted_fpr, "false positives",
      fmt::format(
          "{} predicted at capacity{}", FormatRate(sizing.predicted_fpr, sizing.target_fpr),
          sizing.target_fpr > 0
              ? fmt::format(", {} asked for", FormatRate(sizing.target_fpr, sizing.predicted_fpr))
              : ""));
  report.AddField("target_fpr", sizing.target_fpr > 0 ? Json(sizing.target_fpr) : Json());
  report.Add("predicted_promoted_share", sizing.predicted_promoted_share, "promoted blocks",
             fmt::format("{} predicted at capacity", FormatRate(sizing.predicted_promoted_share)));
  report.Add("num_blocks", geometry.num_blocks, "geometry",
             fmt::format("{} of {} slices, {}", FormatCount(geometry.num_blocks, "block"),
                         geometry.num_slices, EncodingName(geometry.encoding)));
  report.AddField("num_slices", geometry.num_slices);
  report.AddField("shard_bits", geometry.shard_bits);
  report.AddField("encoding", std::string(EncodingName(geometry.encoding)));
  return Finish(report, settings.json, kDone);
}

// The geometry that the given memory makes with this many slices.
Geometry GeometryOf(const SizeOptions& options, uint32_t num_slices) {
  Geometry geometry;
  geometry.num_slices = num_slices;
  geometry.num_blocks = 1;
  geometry.num_blocks =
      options.num_blocks > 0 ? options.num_blocks : options.num_bytes / geometry.num_bytes();
  // Down: the memory given is the most there is.
  if (options.filter.power_of_two_blocks) geometry.num_blocks = std::bit_floor(geometry.num_blocks);
  return geometry;
}

// What a given amount of memory holds at target_fpr, or the rate it gives for a given capacity.
Result<Sizing> SizeMemory(const SizeOptions& options, uint32_t num_slices) {
  Sizing sizing;
  sizing.geometry = GeometryOf(options, num_slices);
  if (sizing.geometry.num_blocks == 0) {
    sizing.geometry.num_blocks = 1;
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} cannot hold a block: one of {} slices takes {} bytes",
                             FormatCount(options.num_bytes, "byte"), num_slices,
                             sizing.geometry.num_bytes())};
  }
  if (const Status valid = Validate(sizing.geometry); !valid.ok()) return valid.error();
  sizing.capacity = options.filter.capacity;
  if (sizing.capacity == 0) {
    sizing.target_fpr = options.filter.target_fpr;
    const Result<uint64_t> capacity = CapacityFor(sizing.geometry, sizing.target_fpr);
    if (!capacity.ok()) return capacity.error();
    sizing.capacity = *capacity;
  }
  sizing.predicted_fpr = PredictedFpr(sizing.geometry, sizing.capacity);
  sizing.predicted_promoted_share = PredictedPromotedShare(sizing.geometry, sizing.capacity);
  sizing.bits_per_key =
      static_cast<double>(sizing.geometry.num_bytes()) * 8 / static_cast<double>(sizing.capacity);
  return sizing;
}

// With no --slices: the number that holds more keys, or answers them with fewer false positives.
Result<Sizing> SizeMemoryBest(const SizeOptions& options) {
  if (options.filter.num_slices != 0) return SizeMemory(options, options.filter.num_slices);
  Result<Sizing> eight = SizeMemory(options, 8);
  Result<Sizing> sixteen = SizeMemory(options, 16);
  if (!sixteen.ok() || options.num_blocks > 0) return eight;
  if (!eight.ok()) return sixteen;
  const bool is_sixteen_better = sixteen->capacity != eight->capacity
                                     ? sixteen->capacity > eight->capacity
                                     : sixteen->predicted_fpr < eight->predicted_fpr;
  return is_sixteen_better ? sixteen : eight;
}

int RunSize(const SizeOptions& options, const Settings& settings) {
  const bool memory_given = options.num_bytes > 0 || options.num_blocks > 0;
  if (memory_given && options.filter.capacity > 0 && options.fpr_given) {
    return Fail(kUsageError, "give two of capacity, rate and memory: the third is the answer");
  }
  if (!memory_given && options.filter.capacity == 0) {
    return Fail(kUsageError, "give a capacity (-n) or memory (--bytes or --blocks)");
  }
  if (options.filter.power_of_two_blocks && options.num_blocks > 0 &&
      !std::has_single_bit(options.num_blocks)) {
    return Fail(kUsageError, fmt::format("--blocks {} is not a power of two (--power-of-two)",
                                         options.num_blocks));
  }
  Result<Sizing> sizing = Error{};
  if (memory_given) {
    sizing = SizeMemoryBest(options);
  } else {
    SizingRequest request;
    request.capacity = options.filter.capacity;
    request.target_fpr = options.filter.target_fpr;
    request.num_slices = options.filter.num_slices;
    request.power_of_two_blocks = options.filter.power_of_two_blocks;
    sizing = SizeFor(request);
  }
  if (!sizing.ok()) return FailOnRequest(sizing.error());
  return Print(*sizing, settings);
}

}  // namespace

void AddSizeCommand(CLI::App& app, const Settings& settings, Run& run) {
  CLI::App* command = app.add_subcommand(
      "size",
      "Show the memory that keys need at a false-positive rate, or what memory can hold.\n"
      "Give two of -n, -p and memory (--bytes or --blocks): the third is the answer.");
  auto options = std::make_shared<SizeOptions>();
  AddSizing(*command, options->filter, 0.01);
  command->get_option("--power-of-two")
      ->description("Round the number of blocks up to a power of two (with --bytes: down)");
  CLI::Option* bytes =
      AddBytes(*command, "--bytes", options->num_bytes, "Memory at most: 64MiB, 2GB");
  AddCount(*command, "--blocks", options->num_blocks, "Number of blocks")->excludes(bytes);
  command->callback([&settings, &run, options, command] {
    options->fpr_given = command->count("--fpr") > 0;
    run = [&settings, options] { return RunSize(*options, settings); };
  });
}

}  // namespace trommel::tool
