// trommel size: from keys and a false-positive rate to memory, and back. Nothing is built, unless
// the speed is to be measured.
#include "tools/trommel/commands/size.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/trommel/commands/commands.h"
#include "tools/trommel/filters/describe_filter.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/options/filter_options.h"
#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/progress.h"
#include "tools/trommel/output/report.h"
#include "trommel/any_filter.h"
#include "trommel/scalable_filter.h"
#include "trommel/sizing.h"

namespace trommel::tool {
namespace {

struct SizeOptions {
  FamilyOptions family;
  bool fpr_given = false;
  bool encoding_given = false;
  uint64_t num_bytes = 0;
  uint64_t num_blocks = 0;

  bool measure = false;

  bool has_memory() const { return num_bytes > 0 || num_blocks > 0; }
};

// As many blocks as fit. Fingerprints: 64 or 16 blocks and their overflow line, or what is left of
// one such group.
uint64_t BlocksIn(uint64_t num_bytes, const Geometry& one_block) {
  if (!HasFingerprints(one_block.encoding)) return num_bytes / one_block.num_bytes();
  const uint64_t of_group = one_block.encoding == Encoding::kDense ? 16 : 64;
  const uint64_t num_lines = num_bytes / 64;
  const uint64_t num_left = num_lines % (of_group + 1);
  return num_lines / (of_group + 1) * of_group + (num_left > 0 ? num_left - 1 : 0);
}

// The geometry that the given memory makes with these slices, or slots of dense blocks.
Geometry GeometryOf(const SizeOptions& options, Encoding encoding, uint32_t shape) {
  Geometry geometry;
  geometry.encoding = encoding;
  geometry.num_slices = encoding == Encoding::kDense ? 0 : shape;
  geometry.num_blocks = 1;
  if (encoding == Encoding::kFingerprints16) geometry.fingerprint_bits = 16;
  if (encoding == Encoding::kDense) {
    geometry.slots = shape;
    geometry.fingerprint_bits = geometry.max_dense_bits();
  }
  geometry.num_blocks =
      options.num_blocks > 0 ? options.num_blocks : BlocksIn(options.num_bytes, geometry);
  // Down: the memory given is the most there is.
  if (options.family.filter.power_of_two_blocks) {
    geometry.num_blocks = std::bit_floor(geometry.num_blocks);
  }
  return geometry;
}

// What a given amount of memory holds at target_fpr, or its rate at a given capacity.
Result<Sizing> SizeMemory(const SizeOptions& options, Encoding encoding, uint32_t shape) {
  Sizing sizing;
  sizing.geometry = GeometryOf(options, encoding, shape);
  Geometry one_block = sizing.geometry;
  one_block.num_blocks = 1;  // first: are there such blocks?
  if (const Status valid = Validate(one_block); !valid.ok()) return valid.error();
  if (sizing.geometry.num_blocks == 0) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("{} cannot hold a block: one of {} takes {} bytes",
                    FormatCount(options.num_bytes, "byte"),
                    HasFingerprints(encoding) ? "fingerprints" : fmt::format("{} slices", shape),
                    one_block.num_bytes())};
  }
  if (const Status valid = Validate(sizing.geometry); !valid.ok()) return valid.error();
  sizing.capacity = options.family.filter.capacity;
  if (sizing.capacity == 0) {
    sizing.target_fpr = options.family.filter.target_fpr;
    const Result<uint64_t> capacity = CapacityFor(sizing.geometry, sizing.target_fpr);
    if (!capacity.ok()) return capacity.error();
    if (*capacity == 0) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("target_fpr is {}; {} cannot keep it with any key",
                               FormatRate(sizing.target_fpr),
                               FormatCount(sizing.geometry.num_blocks, "block"))};
    }
    sizing.capacity = *capacity;
  }
  sizing.predicted_fpr = PredictedFpr(sizing.geometry, sizing.capacity);
  sizing.predicted_undecided_share = PredictedUndecidedShare(sizing.geometry, sizing.capacity);
  sizing.predicted_promoted_share = PredictedPromotedShare(sizing.geometry, sizing.capacity);
  sizing.predicted_side_table_bytes = PredictedSideTableBytes(sizing.geometry, sizing.capacity);
  sizing.bits_per_key =
      static_cast<double>(sizing.geometry.num_bytes() + sizing.predicted_side_table_bytes) * 8 /
      static_cast<double>(sizing.capacity);
  return sizing;
}

// Of two sizings of the same memory: holds a more keys, or as many with fewer false positives?
// Runs with more than their share of promoted blocks come last, the most crowded ones at the end.
bool IsBetter(const Sizing& a, const Sizing& b) {
  if (a.capacity != b.capacity) return a.capacity > b.capacity;
  const auto crowding = [](const Sizing& sizing) {
    const bool is_crowded =
        sizing.geometry.encoding == Encoding::kRuns &&
        sizing.predicted_promoted_share > MaxPromotedShare(sizing.geometry.encoding);
    return is_crowded ? sizing.predicted_promoted_share : 0;
  };
  if (crowding(a) != crowding(b)) return crowding(a) < crowding(b);
  return a.predicted_fpr < b.predicted_fpr;
}

// With no --slices: the best shape, or where the blocks are counted, the usual one.
Result<Sizing> SizeMemoryBest(const SizeOptions& options, Encoding encoding) {
  if (options.family.filter.num_slices != 0) {
    return SizeMemory(options, encoding, options.family.filter.num_slices);
  }
  std::vector<uint32_t> candidates = {8};
  if (encoding == Encoding::kRuns) candidates = {5, 4, 10};
  if (encoding == Encoding::kFingerprints16) candidates = {0};
  if (encoding == Encoding::kDense) candidates = {48, 51, 43, 40, 38, 35, 32, 26, 22, 20};
  if (options.num_blocks > 0) return SizeMemory(options, encoding, candidates.front());
  Result<Sizing> best = SizeMemory(options, encoding, candidates.front());
  for (size_t i = 1; i < candidates.size(); ++i) {
    Result<Sizing> sizing = SizeMemory(options, encoding, candidates[i]);
    if (sizing.ok() && (!best.ok() || IsBetter(*sizing, *best))) best = std::move(sizing);
  }
  return best;
}

Result<Sizing> SizeEncoding(const SizeOptions& options, Encoding encoding) {
  if (options.has_memory()) return SizeMemoryBest(options, encoding);
  SizingRequest request = options.family.filter.ToRequest();
  request.encoding = encoding;
  return SizeFor(request);
}

using Refusals = std::vector<std::pair<Encoding, Error>>;

// One reason if it is the same for all of them.
int FailOnAll(const Refusals& refusals) {
  Error error = refusals.front().second;
  const auto is_same = [&error](const auto& refusal) {
    return refusal.second.message == error.message;
  };
  if (!std::ranges::all_of(refusals, is_same)) {
    error.message.clear();
    for (const auto& [encoding, reason] : refusals) {
      error.message += fmt::format("{}no {}: {}", error.message.empty() ? "" : "; ",
                                   EncodingName(encoding), reason.message);
    }
  }
  error.message = NamingOptions(error.message);
  return FailOnRequest(error);
}

// All encodings that can meet the request.
int RunSideBySide(const SizeOptions& options, const Settings& settings) {
  const Encoding preferred = CountingConfig{}.encoding;
  std::vector<Sizing> sizings;
  Refusals refusals;
  for (const Encoding encoding :
       {Encoding::kPlanes, Encoding::kRuns, Encoding::kFingerprints16, Encoding::kDense}) {
    const Result<Sizing> sizing = SizeEncoding(options, encoding);
    if (sizing.ok()) {
      sizings.push_back(*sizing);
      continue;
    }
    refusals.emplace_back(encoding, sizing.error());
  }
  if (sizings.empty()) return FailOnAll(refusals);
  const auto is_preferred = [preferred](const Sizing& s) {
    return s.geometry.encoding == preferred;
  };
  const auto chosen = std::ranges::find_if(sizings, is_preferred);
  Speeds speeds;
  if (options.measure) {
    if (const int code = MeasureSizings(sizings, settings, speeds); code != kDone) return code;
  }
  Report report;
  AddSizingFields(chosen == sizings.end() ? sizings.front() : *chosen, sizings, speeds, report);
  DescribeSizings(sizings, speeds, report);
  if (sizings.size() > 1) {
    report.AddLine(
        fmt::format("Without --encoding, filters are made with {}.", EncodingName(preferred)));
  }
  for (const auto& [encoding, error] : refusals) {
    report.AddLine(fmt::format("No {}: {}.", EncodingName(encoding), error.message));
  }
  return Finish(report, settings.json, kDone);
}

int RunSize(const SizeOptions& options, const Settings& settings) {
  if (options.family.type != FilterType::kCounting) return RunFamilySize(options.family, settings);
  if (options.has_memory() && options.family.filter.capacity > 0 && options.fpr_given) {
    return Fail(kUsageError, "give two of capacity, rate and memory: the third is the answer");
  }
  if (!options.has_memory() && options.family.filter.capacity == 0) {
    return Fail(kUsageError, "give a capacity (-n) or memory (--bytes or --blocks)");
  }
  if (options.family.filter.power_of_two_blocks && options.num_blocks > 0 &&
      !std::has_single_bit(options.num_blocks)) {
    return Fail(kUsageError, fmt::format("--blocks {} is not a power of two (--power-of-two)",
                                         options.num_blocks));
  }
  if (!options.encoding_given) return RunSideBySide(options, settings);
  if (options.has_memory() && options.family.filter.encoding == Encoding::kAutomatic) {
    return Fail(kUsageError, "--encoding automatic is chosen by capacity and rate: give -n and -p");
  }
  const Result<Sizing> sizing = SizeEncoding(options, options.family.filter.encoding);
  if (!sizing.ok()) {
    return FailOnRequest({sizing.error().code, NamingOptions(sizing.error().message)});
  }
  Speeds speeds;
  if (options.measure) {
    if (const int code = MeasureSizings({&*sizing, 1}, settings, speeds); code != kDone) {
      return code;
    }
  }
  Report report;
  AddSizingFields(*sizing, {&*sizing, 1}, speeds, report);
  DescribeSizings({&*sizing, 1}, speeds, report);
  return Finish(report, settings.json, kDone);
}

}  // namespace

void AddSizeCommand(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "size",
      "Show the memory that keys need at a false-positive rate, or what memory can hold.\n"
      "Give two of -n, -p and memory (--bytes or --blocks): the third is the answer.\n"
      "Without --encoding all encodings are shown side by side.\n"
      "For types other than counting give -n and -p: the answer is memory.");
  auto options = std::make_shared<SizeOptions>();
  AddFamily(command, options->family, 0.01);
  command.Find("--power-of-two")
      .Help("Round the number of blocks up to a power of two (with --bytes: down)");
  command.Find("--encoding")
      .Help(
          "Show only this one: planes (4 bits per position), runs (run strings), fingerprints16 or "
          "dense (a slot per key), or automatic: what --prefer chooses");
  const Option bytes = AddBytes(command, "--bytes", options->num_bytes,
                                "Memory at most: 64MiB, 2GB; a side table comes on top");
  AddCount(command, "--blocks", options->num_blocks, "Number of blocks").Excludes(bytes);
  command.Flag("--measure", options->measure,
               "Also measure a filter of each encoding shown on this machine, of at most 64 MB: a "
               "few seconds to half a minute, up to 0.5 GB. Other programs disturb the figures");
  command.SetAction([&settings, options, command] {
    options->family.Finish(command);
    if (options->family.type != FilterType::kCounting && options->measure) {
      throw UsageError{"--measure", fmt::format("is for --type counting, not {}",
                                                FilterTypeName(options->family.type))};
    }
    if (options->family.type != FilterType::kCounting && options->has_memory()) {
      throw UsageError{
          options->num_bytes > 0 ? "--bytes" : "--blocks",
          fmt::format("is for --type counting, not {}", FilterTypeName(options->family.type))};
    }
    options->fpr_given = command.IsGiven("--fpr");
    options->encoding_given = command.IsGiven("--encoding");
    return RunSize(*options, settings);
  });
}

namespace {

void AddAsked(const FamilyOptions& options, Report& report) {
  report.AddField("type", std::string(FilterTypeName(options.type)));
  report.AddField("capacity", options.filter.capacity);
  report.AddField("target_fpr", options.filter.target_fpr);
}

// One row per doubling of the keys, from the first capacity to the largest.
void DescribeGrowth(const ScalableFilter& filter, Report& report) {
  const uint64_t largest = filter.largest_capacity();
  Json sizes = Json::Array();
  report.AddLine(fmt::format("{:>18} {:>10} {:>12}", "keys", "rate", "memory"));
  const auto add = [&](uint64_t num_keys) {
    const GrowthForecast forecast = filter.ForecastAt(num_keys);
    sizes.Append({{"num_keys", num_keys},
                  {"predicted_fpr", forecast.predicted_fpr},
                  {"num_bytes", forecast.num_bytes}});
    report.AddLine(fmt::format("{:>18} {:>10} {:>12}", FormatCount(num_keys),
                               FormatRate(forecast.predicted_fpr),
                               FormatBytes(forecast.num_bytes)));
  };
  for (uint64_t num_keys = filter.first_capacity(); num_keys < largest; num_keys *= 2) {
    add(num_keys);
  }
  add(largest);
  report.AddField("sizes", std::move(sizes));
  report.AddField("largest_capacity", largest);
  report.AddLine(fmt::format(
      "It grows to {}. Its parts grow in steps: just after one they take the memory of up to twice "
      "the keys.",
      FormatCount(largest, "distinct key")));
}

void DescribeSize(const AnyFilter& filter, const FamilyOptions& options, Report& report) {
  const Figures figures = filter.GetFigures(/*measured=*/false);
  const uint64_t num_bytes = CountIn(figures, "num_bytes");
  report.Add("num_bytes", num_bytes, "memory",
             FormatBytesPer(num_bytes, options.filter.capacity, "key"));
  DescribeFigures(
      figures,
      {"num_blocks", "num_slots", "shard_bits", "fingerprint_bits", "window", "num_buckets"},
      report);
  const double predicted_fpr = filter.ForecastAt(options.filter.capacity).predicted_fpr;
  report.Add("predicted_fpr", predicted_fpr, "false positives",
             fmt::format("{} predicted at capacity, however the keys arrive",
                         FormatRate(predicted_fpr, options.filter.target_fpr)));
}

}  // namespace

int RunFamilySize(const FamilyOptions& options, const Settings& settings) {
  if (options.filter.capacity == 0) {
    return Fail(kUsageError, "give a capacity (-n)");
  }
  const Result<AnyFilterPtr> made = options.Create(nullptr);
  if (!made.ok()) return FailOnRequest(made.error());
  Report report;
  AddAsked(options, report);
  if (const auto* scalable = (*made)->As<ScalableFilter>()) {
    DescribeGrowth(*scalable, report);
  } else {
    DescribeSize(**made, options, report);
  }
  return Finish(report, settings.json, kDone);
}

int MeasureSizings(std::span<const Sizing> sizings, const Settings& settings, Speeds& speeds) {
  std::vector<bench::SpeedSide> sides;
  for (const Sizing& sizing : sizings) {
    const Result<bench::SpeedSide> side = bench::SpeedSideOf(sizing);
    if (!side.ok()) return Fail(kUsageError, "--measure: " + side.error().message);
    sides.push_back(*side);
  }
  NoteInterrupts();
  Progress progress("measuring", settings.quiet, std::nullopt);
  bench::SpeedHooks hooks;
  hooks.should_stop = [] { return NotedInterrupt() != 0; };
  hooks.measuring = [&progress](size_t done, size_t total) {
    if (progress.IsDue()) progress.Draw(fmt::format("figure {} of {}", done + 1, total));
  };
  Result<bench::SpeedResult> result = bench::MeasureSpeeds(sides, hooks);
  progress.Clear();
  if (!result.ok()) return FailOnRequest(result.error());
  if (!result->wrong.empty()) return Fail(kNegativeAnswer, "wrong answer: " + result->wrong);
  if (result->stopped) return Fail(kBadInput, "interrupted");
  speeds = std::move(result->sides);
  return kDone;
}

}  // namespace trommel::tool
