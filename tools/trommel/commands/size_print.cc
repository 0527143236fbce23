// What `trommel size` says.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "bench/sweep/machine_card.h"
#include "tools/trommel/commands/size.h"
#include "tools/trommel/filters/describe_filter.h"
#include "tools/trommel/output/number_text.h"
#include "trommel/targets.h"

namespace trommel::tool {
namespace {

struct ShapeSpeed {
  Encoding encoding;
  uint32_t num_slices;
  ExpectedSpeed in_cache;
  ExpectedSpeed beyond_cache;
};

// Of kSpeedMachine, target AVX3_DL, straight to memory (no split): medians of 7 rounds, 2026-11-21.
// In cache: 0.3 M keys; beyond cache: 30 M keys.
constexpr std::array<ShapeSpeed, 5> kSpeeds = {{
    {Encoding::kPlanes, 8, {5.8, 6.2, 2.0}, {35, 35, 11}},
    {Encoding::kRuns, 4, {7.5, 9.0, 2.2}, {15, 15, 12}},
    {Encoding::kRuns, 5, {13, 15, 2.4}, {17, 18, 12}},
    {Encoding::kRuns, 8, {16, 17, 2.1}, {17, 18, 13}},
    {Encoding::kRuns, 10, {25, 28, 3.6}, {27, 31, 21}},
}};

constexpr uint64_t kLine = 64;

// Digits after the point only where there is a figure.
std::string NsText(double ns) { return ns > 0 ? fmt::format("{:.1f}", ns) : "-"; }
Json NsField(double ns) { return ns > 0 ? Json(ns) : Json(); }

std::string MemoryText(const Geometry& geometry) {
  const std::string memory = FormatBytes(geometry.num_bytes());
  if (geometry.encoding == Encoding::kPlanes) {
    return fmt::format("{} ({} of presence bits: all that a query reads)", memory,
                       FormatBytes(geometry.presence_bytes()));
  }
  if (geometry.encoding == Encoding::kRuns) {
    return fmt::format("{} (counts beside presence bits: a query reads a whole block)", memory);
  }
  return fmt::format("{} (fingerprints of {} bits: a query reads a whole block)", memory,
                     geometry.fingerprint_bits);
}

uint64_t LinesIn(uint64_t num_bytes, uint64_t num_blocks) {
  return (num_bytes / num_blocks + kLine - 1) / kLine;
}

uint64_t BytesInAll(const Sizing& sizing) {
  return sizing.geometry.num_bytes() + sizing.predicted_side_table_bytes;
}

std::string PredictedFprText(const Sizing& sizing) {
  return FormatRate(sizing.predicted_fpr, sizing.target_fpr);
}

// Times the capacity.
constexpr std::array<double, 2> kPastCapacity = {1.25, 1.9};

uint64_t KeysPastCapacity(const Sizing& sizing, double times) {
  return static_cast<uint64_t>(times * static_cast<double>(sizing.capacity));
}

// "Maybe present" to a non-member beside writers, with so many keys.
double RateBesideWriters(const Geometry& geometry, uint64_t num_keys) {
  return std::min(1.0,
                  PredictedFpr(geometry, num_keys) + PredictedUndecidedShare(geometry, num_keys));
}

std::string RateBesideWritersText(const Sizing& sizing, uint64_t num_keys) {
  return FormatRate(RateBesideWriters(sizing.geometry, num_keys), sizing.target_fpr);
}

Json PastCapacityJson(const Sizing& sizing) {
  Json rows = Json::Array();
  for (const double times : kPastCapacity) {
    const uint64_t num_keys = KeysPastCapacity(sizing, times);
    rows.Append(
        {{"num_keys", num_keys},
         {"predicted_fpr", PredictedFpr(sizing.geometry, num_keys)},
         {"predicted_undecided_share", PredictedUndecidedShare(sizing.geometry, num_keys)}});
  }
  return rows;
}

Json MeasuredJson(const bench::SideSpeed& speed) {
  return {{"insert", speed.insert_ns},         {"erase", speed.erase_ns},
          {"query_miss", speed.query_miss_ns}, {"query_hit", speed.query_hit_ns},
          {"num_keys", speed.side.num_keys},   {"num_bytes", speed.side.geometry.num_bytes()}};
}

std::vector<JsonField> FieldsOf(const Sizing& sizing) {
  const Geometry& geometry = sizing.geometry;
  const ExpectedSpeed speed = ExpectedSpeedOf(geometry);
  return {{"capacity", sizing.capacity},
          {"num_bytes", geometry.num_bytes()},
          {"presence_bytes", geometry.presence_bytes()},
          {"predicted_side_table_bytes", sizing.predicted_side_table_bytes},
          {"bits_per_key", sizing.bits_per_key},
          {"predicted_fpr", sizing.predicted_fpr},
          {"target_fpr", sizing.target_fpr > 0 ? Json(sizing.target_fpr) : Json()},
          {"predicted_undecided_share", sizing.predicted_undecided_share},
          {"past_capacity", PastCapacityJson(sizing)},
          {"predicted_promoted_share", sizing.predicted_promoted_share},
          {"num_blocks", geometry.num_blocks},
          {"num_slices", geometry.num_slices},
          {"slice_positions", geometry.num_slices > 0 ? geometry.slice_positions() : 0},
          {"shard_bits", geometry.shard_bits},
          {"encoding", EncodingName(geometry.encoding)},
          {"fingerprint_bits", geometry.fingerprint_bits},
          {"lines_per_query", LinesOfQuery(geometry)},
          {"lines_per_update", LinesOfUpdate(geometry)},
          {"expected_ns", Json{{"insert", NsField(speed.insert_ns)},
                               {"erase", NsField(speed.erase_ns)},
                               {"query", NsField(speed.query_ns)},
                               {"in_cache", IsInCache(geometry)}}}};
}

// Which encoding has the lowest rate beside writers, past capacity.
void AddBesideWritersNote(std::span<const Sizing> sizings, Report& report) {
  const auto has_fingerprints = [](const Sizing& s) {
    return HasFingerprints(s.geometry.encoding);
  };
  if (std::ranges::none_of(sizings, has_fingerprints)) return;
  const double times = kPastCapacity.back();
  const auto rate = [times](const Sizing& s) {
    return RateBesideWriters(s.geometry, KeysPastCapacity(s, times));
  };
  const Sizing& lowest = *std::ranges::min_element(sizings, {}, rate);
  report.AddLine(
      fmt::format("Queries beside writers do not read the side table: past capacity fingerprints "
                  "answer \"maybe\n"
                  "present\" more often there. With {} x the keys {} have the lowest rate.",
                  times, EncodingName(lowest.geometry.encoding)));
}

void AddMeasuredNote(Report& report) {
  const std::string cpu = bench::ReadMachineCard().cpu_model;
  report.AddLine(fmt::format(
      "Measured ns: this machine now ({}, {}), one thread, batches of {} keys hashed in advance;\n"
      "medians of {} rounds. Filters that would take more than {} were measured in less, as full.",
      cpu.empty() ? "unknown CPU" : cpu, ActiveTarget(), FormatCount(bench::kSpeedBatch),
      bench::kSpeedRounds, FormatBytes(bench::kMostSpeedBytes)));
}

}  // namespace

bool IsInCache(const Geometry& geometry) noexcept {
  return geometry.num_bytes() <= kMaxBytesInCache;
}

ExpectedSpeed ExpectedSpeedOf(const Geometry& geometry) noexcept {
  const auto* speed = std::ranges::find_if(kSpeeds, [&geometry](const ShapeSpeed& shape) {
    return shape.encoding == geometry.encoding && shape.num_slices == geometry.num_slices;
  });
  if (speed == kSpeeds.end()) return {};
  return IsInCache(geometry) ? speed->in_cache : speed->beyond_cache;
}

uint64_t LinesOfQuery(const Geometry& geometry) {
  if (HasFingerprints(geometry.encoding)) return 1;  // overflow lines only of promoted blocks
  return LinesIn(geometry.query_bytes(), geometry.num_blocks);
}

uint64_t LinesOfUpdate(const Geometry& geometry) {
  return LinesOfQuery(geometry) +
         LinesIn(geometry.num_bytes() - geometry.query_bytes(), geometry.num_blocks);
}

void DescribeSizing(const Sizing& sizing, const Speeds& speeds, Report& report) {
  const Geometry& geometry = sizing.geometry;
  const auto add = [&report](std::string_view label, std::string_view text) {
    report.AddLine(fmt::format("{:<15}  {}", label, text));
  };
  add("capacity", FormatCount(sizing.capacity, "distinct key"));
  add("memory", MemoryText(geometry));
  add("side table",
      fmt::format("{} more predicted", FormatBytes(sizing.predicted_side_table_bytes)));
  add("bits per key", fmt::format("{:.1f}", sizing.bits_per_key));
  add("false positives",
      fmt::format(
          "{} predicted at capacity{}", PredictedFprText(sizing),
          sizing.target_fpr > 0
              ? fmt::format(", {} asked for", FormatRate(sizing.target_fpr, sizing.predicted_fpr))
              : ""));
  add("beside writers",
      fmt::format("{}; {} with 1.25 times the keys, {} with 1.9 times",
                  RateBesideWritersText(sizing, sizing.capacity),
                  RateBesideWritersText(sizing, KeysPastCapacity(sizing, kPastCapacity[0])),
                  RateBesideWritersText(sizing, KeysPastCapacity(sizing, kPastCapacity[1]))));
  add("promoted blocks",
      fmt::format("{} predicted at capacity", FormatRate(sizing.predicted_promoted_share)));
  add("geometry", fmt::format("{} of {}, {}", FormatCount(geometry.num_blocks, "block"),
                              ShapeText(geometry), EncodingName(geometry.encoding)));
  if (speeds.empty()) return;
  const bench::SideSpeed& speed = speeds.front();
  add("measured ns", fmt::format("insert {}, erase {}, query miss {}, query hit {} per key",
                                 NsText(speed.insert_ns), NsText(speed.erase_ns),
                                 NsText(speed.query_miss_ns), NsText(speed.query_hit_ns)));
  add("measured in", FormatBytesPer(speed.side.geometry.num_bytes(), speed.side.num_keys, "key"));
  AddMeasuredNote(report);
}

void DescribeSideBySide(std::span<const Sizing> sizings, const Speeds& speeds, Report& report) {
  const auto add = [&](std::string_view label, const auto& text_of) {
    std::string line = fmt::format("{:<24}", label);
    for (const Sizing& sizing : sizings) line += fmt::format("{:>16}", text_of(sizing));
    report.AddLine(std::move(line));
  };
  using Text = std::string;
  add("", [](const Sizing& s) { return Text(EncodingName(s.geometry.encoding)); });
  add("distinct keys", [](const Sizing& s) { return FormatCount(s.capacity); });
  add("memory", [](const Sizing& s) { return FormatBytes(BytesInAll(s)); });
  add("  of it side table",
      [](const Sizing& s) { return FormatBytes(s.predicted_side_table_bytes); });
  add("bits per key", [](const Sizing& s) { return fmt::format("{:.1f}", s.bits_per_key); });
  add("false positives", PredictedFprText);
  add("  beside writers", [](const Sizing& s) { return RateBesideWritersText(s, s.capacity); });
  for (const double times : kPastCapacity) {
    add(fmt::format("  with {} x the keys", times),
        [times](const Sizing& s) { return RateBesideWritersText(s, KeysPastCapacity(s, times)); });
  }
  add("promoted blocks", [](const Sizing& s) { return FormatRate(s.predicted_promoted_share); });
  add("blocks", [](const Sizing& s) { return FormatCount(s.geometry.num_blocks); });
  add("slices x positions", [](const Sizing& s) {
    if (HasFingerprints(s.geometry.encoding)) return ShapeText(s.geometry);
    return fmt::format("{} x {}", s.geometry.num_slices, s.geometry.slice_positions());
  });
  add("cache lines per query",
      [](const Sizing& s) { return FormatCount(LinesOfQuery(s.geometry)); });
  add("cache lines per update",
      [](const Sizing& s) { return FormatCount(LinesOfUpdate(s.geometry)); });
  if (speeds.empty()) {
    const auto add_ns = [&add](std::string_view label, double ExpectedSpeed::*ns) {
      add(label, [ns](const Sizing& s) { return NsText(ExpectedSpeedOf(s.geometry).*ns); });
    };
    add("expected ns per key",
        [](const Sizing& s) { return Text(IsInCache(s.geometry) ? "in cache" : "beyond cache"); });
    add_ns("  insert", &ExpectedSpeed::insert_ns);
    add_ns("  erase", &ExpectedSpeed::erase_ns);
    add_ns("  query", &ExpectedSpeed::query_ns);
  } else {
    const auto add_speed = [&](std::string_view label, const auto& text_of) {
      add(label, [&](const Sizing& s) {
        return text_of(speeds[static_cast<size_t>(&s - sizings.data())]);
      });
    };
    const auto add_ns = [&add_speed](std::string_view label, double bench::SideSpeed::*ns) {
      add_speed(label, [ns](const bench::SideSpeed& speed) { return NsText(speed.*ns); });
    };
    add_speed("measured ns per key, in", [](const bench::SideSpeed& speed) {
      return FormatBytes(speed.side.geometry.num_bytes());
    });
    add_ns("  insert", &bench::SideSpeed::insert_ns);
    add_ns("  erase", &bench::SideSpeed::erase_ns);
    add_ns("  query miss", &bench::SideSpeed::query_miss_ns);
    add_ns("  query hit", &bench::SideSpeed::query_hit_ns);
  }

  report.AddLine("\nFalse positives, promoted blocks and side table are predicted at capacity.");
  if (const double target_fpr = sizings.front().target_fpr; target_fpr > 0) {
    report.AddLine(fmt::format("Asked for: {} false positives.", FormatRate(target_fpr)));
  }
  AddBesideWritersNote(sizings, report);
  if (speeds.empty()) {
    report.AddLine(
        fmt::format("Expected ns: {}, keys hashed in advance; -: not measured.", kSpeedMachine));
    report.AddLine("With --measure they are measured on this machine.");
  } else {
    AddMeasuredNote(report);
  }
}

void AddSizingFields(const Sizing& chosen, std::span<const Sizing> sizings, const Speeds& speeds,
                     Report& report) {
  Json encodings = Json::Array();
  for (size_t i = 0; i < sizings.size(); ++i) {
    std::vector<JsonField> fields = FieldsOf(sizings[i]);
    if (!speeds.empty()) fields.push_back({"measured_ns", MeasuredJson(speeds[i])});
    Json encoding = Json::Object();
    for (const JsonField& field : fields) {
      encoding.Add(field.name, field.value);
      if (&sizings[i] == &chosen) report.AddField(field.name, field.value);
    }
    encodings.Append(encoding);
  }
  report.AddField("encodings", std::move(encodings));
  if (speeds.empty()) return;
  report.AddField("measured_on", Json{{"cpu_model", bench::ReadMachineCard().cpu_model},
                                      {"target", ActiveTarget()}});
}

}  // namespace trommel::tool
