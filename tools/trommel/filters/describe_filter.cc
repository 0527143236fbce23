// Reports of a filter, type by type.
#include "tools/trommel/filters/describe_filter.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/time_text.h"

namespace trommel::tool {
namespace {

void AddKeys(const KeyFigures& figures, uint64_t capacity, Report& report) {
  report.Add("num_keys", figures.num_keys, "keys", KeysText(figures, capacity));
  report.AddField("num_distinct_keys", figures.distinct.value);
  report.AddField("capacity", capacity);
}

void AddRates(const KeyFigures& figures, double target_fpr, Report& report) {
  report.Add("current_fpr", figures.current_fpr, "false positives",
             fmt::format("{} now; {} predicted for this many distinct keys",
                         FormatRate(figures.current_fpr, figures.predicted_fpr),
                         FormatRate(figures.predicted_fpr, figures.current_fpr)));
  report.AddField("predicted_fpr", figures.predicted_fpr);
  report.AddField("target_fpr", target_fpr);
}

void AddMemory(uint64_t num_bytes, const KeyFigures& figures, Report& report) {
  report.Add("num_bytes", num_bytes, "memory",
             FormatBytesPer(num_bytes, figures.distinct.value, "distinct key"));
}

void AddRefusedErases(uint64_t num_refused, Report& report) {
  report.Add("num_refused_erases", num_refused, "refused erases", FormatCount(num_refused));
}

void AddGeometry(const Geometry& geometry, Report& report) {
  report.Add("num_blocks", geometry.num_blocks, "geometry",
             fmt::format("{} of {}, {}{}", FormatCount(geometry.num_blocks, "block"),
                         ShapeText(geometry), EncodingName(geometry.encoding),
                         HasFingerprints(geometry.encoding)
                             ? fmt::format(" of {} bits", geometry.fingerprint_bits)
                             : ""));
  report.AddField("num_slices", geometry.num_slices);
  report.AddField("shard_bits", geometry.shard_bits);
  report.AddField("encoding", std::string(EncodingName(geometry.encoding)));
  report.AddField("fingerprint_bits", geometry.fingerprint_bits);
}

void AddGrowth(const ScalableFilter& filter, Report& report) {
  const uint64_t num_bytes = filter.NextGenerationBytes();
  const bool doubles = filter.mode() == GrowthMode::kDoubling;
  report.Add("next_generation_bytes", num_bytes, doubles ? "next step" : "next generation",
             num_bytes == 0 ? "none: it cannot grow further"
                            : fmt::format("will take {}", FormatBytes(num_bytes)));
}

// Of the one array.
void AddDoubling(const DoublingStats& stats, Report& report) {
  const std::string small =
      stats.num_small_parts == 0
          ? ""
          : fmt::format("; {} of 64 parts keep whole digests", stats.num_small_parts);
  report.Add("num_blocks", stats.num_blocks, "blocks",
             fmt::format("{} of {} each, {:.1f} entries per block{}", FormatCount(stats.num_blocks),
                         FormatBytes(64), stats.load, small));
  report.AddField("load", stats.load);
  report.AddField("num_entries", stats.num_entries);
  report.AddField("num_small_parts", uint64_t{stats.num_small_parts});
  report.Add("most_doublings", uint64_t{stats.most_doublings}, "doublings",
             stats.least_doublings == stats.most_doublings
                 ? fmt::format("{}", stats.most_doublings)
                 : fmt::format("{} to {}", stats.least_doublings, stats.most_doublings));
  report.AddField("least_doublings", uint64_t{stats.least_doublings});
  report.Add("side_table_bytes", stats.side_table_bytes, "side tables",
             fmt::format("{}; {} of non-members undecided", FormatBytes(stats.side_table_bytes),
                         FormatRate(stats.undecided_share)));
  report.AddField("undecided_share", stats.undecided_share);
  report.AddField("num_refused_steps", stats.num_refused_steps);
}

}  // namespace

void AddGeometry(const WindowFilter& filter, Report& report) {
  const Geometry& geometry = filter.geometry();
  const uint32_t num_slots = geometry.fingerprint_bits == 12 ? 32 : 21;  // of 16 and of 24 bits
  report.Add(
      "num_blocks", geometry.num_blocks, "geometry",
      fmt::format("{} of {} slots, fingerprints of {} bits",
                  FormatCount(geometry.num_blocks, "block"), num_slots, geometry.fingerprint_bits));
  report.AddField("num_slots", num_slots);
  report.AddField("shard_bits", geometry.shard_bits);
  report.AddField("fingerprint_bits", geometry.fingerprint_bits);
}

std::string KeysText(const KeyFigures& figures, uint64_t capacity) {
  std::string more;
  if (figures.distinct.value != figures.num_keys) {
    more = fmt::format("about {} distinct", FormatCount(figures.distinct.value));
  }
  if (capacity != 0) {
    more += fmt::format("{}sized for {}", more.empty() ? "" : "; ", FormatCount(capacity));
  }
  return FormatCount(figures.num_keys) + (more.empty() ? "" : fmt::format(" ({})", more));
}

std::string ShapeText(const Geometry& geometry) {
  if (geometry.encoding == Encoding::kFingerprints16) return "32 slots";
  if (geometry.encoding == Encoding::kFingerprints8) return "48 slots";
  return fmt::format("{} slices", geometry.num_slices);
}

void DescribeDigest(const DigestPolicy& digest, Report& report) {
  const std::string name(DigestKindName(digest.kind));
  if (digest.kind == DigestKind::kSipHash) {
    const std::string check = fmt::format("{:016x}", digest.seed);
    report.Add("digest", name, "digest", fmt::format("{}, key of check value {}", name, check));
    report.AddField("key_check", check);
    return;
  }
  report.Add("digest", name, "digest", fmt::format("{}, seed {}", name, digest.seed));
  report.AddField("seed", digest.seed);
}

void DescribeFilter(const CountingFilter& filter, Report& report) {
  const Geometry& geometry = filter.geometry();
  const Stats stats = filter.GetStats();
  const BlockFill fill = filter.MeasureFill();
  const KeyFigures figures = FiguresOf(filter, fill);
  AddKeys(figures, filter.capacity(), report);
  AddRates(figures, filter.target_fpr(), report);
  report.Add("fill_ratio", fill.fill_ratio, "fill", FormatRate(fill.fill_ratio));
  AddMemory(stats.num_bytes, figures, report);
  report.AddField("side_table_bytes", stats.side_table_bytes);
  const auto num_blocks = static_cast<double>(geometry.num_blocks);
  report.Add("num_promoted", stats.num_promoted, "promoted blocks",
             fmt::format("{} of {} ({})", FormatCount(stats.num_promoted),
                         FormatCount(geometry.num_blocks),
                         FormatRate(static_cast<double>(stats.num_promoted) / num_blocks)));
  AddRefusedErases(stats.num_refused_erases, report);
  AddGeometry(geometry, report);
  DescribeDigest(filter.digest_policy(), report);
}

void DescribeFilter(const ScalableFilter& filter, Report& report) {
  const ScalableStats stats = filter.GetStats();
  const ScalableFill fill = filter.MeasureFill();
  const KeyFigures figures = FiguresOf(filter, fill);
  AddKeys(figures, filter.largest_capacity(), report);
  AddRates(figures, filter.target_fpr(), report);
  AddMemory(stats.num_bytes, figures, report);
  AddRefusedErases(stats.num_refused_erases, report);
  report.Add("num_refused_inserts", stats.num_refused_inserts, "refused inserts",
             FormatCount(stats.num_refused_inserts));
  report.Add("mode", std::string(GrowthModeName(filter.mode())), "growth",
             fmt::format("{}, from {}", GrowthModeName(filter.mode()),
                         FormatCount(filter.first_capacity(), "key")));
  report.AddField("first_capacity", filter.first_capacity());
  AddGrowth(filter, report);
  if (filter.mode() == GrowthMode::kDoubling) {
    AddDoubling(stats.doubling, report);
    DescribeDigest(filter.digest_policy(), report);
    return;
  }
  Json generations = Json::Array();
  std::string text = FormatCount(stats.generations.size(), "generation");
  for (size_t g = 0; g < stats.generations.size(); ++g) {
    const GenerationStats& generation = stats.generations[g];
    const BlockFill& of_generation = fill.generations[g];
    generations.Append({{"slot", generation.slot},
                        {"capacity", generation.capacity},
                        {"budget_fpr", generation.budget_fpr},
                        {"num_keys", generation.stats.num_keys},
                        {"num_distinct_keys", generation.load},
                        {"current_fpr", of_generation.current_fpr},
                        {"fill_ratio", of_generation.fill_ratio},
                        {"num_bytes", generation.stats.num_bytes},
                        {"num_blocks", generation.geometry.num_blocks},
                        {"num_slices", generation.geometry.num_slices}});
    text += fmt::format("\n  {:>14} of {:>14} distinct keys, {:>9}, {} (budget {})",
                        FormatCount(generation.load), FormatCount(generation.capacity),
                        FormatBytes(generation.stats.num_bytes),
                        FormatRate(of_generation.current_fpr, generation.budget_fpr),
                        FormatRate(generation.budget_fpr, of_generation.current_fpr));
  }
  report.Add("generations", std::move(generations), "oldest first", std::move(text));
  DescribeDigest(filter.digest_policy(), report);
}

void DescribeGrowth(const AnyFilter& filter, Report& report) {
  if (const auto* scalable = std::get_if<ScalableFilter>(&filter)) {
    AddGrowth(*scalable, report);
  }
}

void DescribeFilter(const WindowFilter& filter, Report& report) {
  const WindowStats stats = filter.GetStats();
  const BlockFill fill = filter.MeasureFill();
  const KeyFigures figures = FiguresOf(filter, fill);
  AddKeys(figures, filter.capacity(), report);
  AddRates(figures, filter.target_fpr(), report);
  AddMemory(stats.num_bytes, figures, report);
  AddRefusedErases(stats.num_refused_erases, report);
  report.AddField("num_expired_erases", stats.num_expired_erases);
  report.Add("window", filter.window(), "window",
             fmt::format("{} in {} of up to {}", FormatDuration(filter.window()),
                         FormatCount(filter.num_buckets(), "bucket"),
                         FormatDuration(filter.bucket_ticks())));
  report.AddField("num_buckets", filter.num_buckets());
  report.Add("now", stats.now, "time", fmt::format("{} ms", stats.now));
  report.Add("is_erasable", filter.is_erasable(), "erasable", filter.is_erasable() ? "yes" : "no");
  report.Add("undecided_share", stats.slots.undecided_share, "undecided",
             fmt::format("{} of non-members", FormatRate(stats.slots.undecided_share)));
  report.AddField("side_table_bytes", stats.slots.side_table_bytes);
  Json buckets = Json::Array();
  std::string text = FormatCount(stats.buckets.size(), "live bucket");
  for (const WindowBucket& bucket : stats.buckets) {
    text += fmt::format("\n  from {:>14}: {:>14} keys", bucket.first_tick,
                        FormatCount(bucket.num_keys));
    buckets.Append({{"first_tick", bucket.first_tick},
                    {"last_tick", bucket.last_tick},
                    {"num_keys", bucket.num_keys}});
  }
  report.Add("buckets", std::move(buckets), "oldest first", std::move(text));
  report.AddField("num_excess_keys", stats.num_excess_keys);
  if (figures.least_fpr > filter.target_fpr()) {
    report.AddLine(fmt::format(
        "It holds {} and was sized for {}: until some expire, the false-positive rate is higher.",
        FormatCount(figures.distinct.value, "distinct key"), FormatCount(filter.capacity())));
  }
  AddGeometry(filter, report);
  DescribeDigest(filter.digest_policy(), report);
}

}  // namespace trommel::tool
