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

constexpr uint64_t kLine = 64;

// Digits after the point only where there is a figure.
std::string NsText(double ns) { return ns > 0 ? fmt::format("{:.1f}", ns) : "-"; }

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
          {"slots", geometry.slots},
          {"lines_per_query", LinesOfQuery(geometry)},
          {"lines_per_update", LinesOfUpdate(geometry)}};
}

// Which encoding has the lowest rate beside writers, past capacity.
void AddBesideWritersNote(std::span<const Sizing> sizings, Report& report) {
  const auto has_fingerprints = [](const Sizing& s) {
    return HasFingerprints(s.geometry.encoding);
  };
  if (sizings.size() == 1 || std::ranges::none_of(sizings, has_fingerprints)) return;
  const double times = kPastCapacity.back();
  const auto rate = [times](const Sizing& s) {
    return RateBesideWriters(s.geometry, KeysPastCapacity(s, times));
  };
  const Sizing& lowest = *std::ranges::min_element(sizings, {}, rate);
  report.AddLine(
      fmt::format("Queries beside writers do not read side tables: past capacity slots of 16 bits "
                  "answer \"maybe\n"
                  "present\" more often there. With {} x the keys the lowest rate is that of {}.",
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

uint64_t LinesOfQuery(const Geometry& geometry) {
  if (HasFingerprints(geometry.encoding)) return 1;  // overflow lines only of promoted blocks
  return LinesIn(geometry.query_bytes(), geometry.num_blocks);
}

uint64_t LinesOfUpdate(const Geometry& geometry) {
  return LinesOfQuery(geometry) +
         LinesIn(geometry.num_bytes() - geometry.query_bytes(), geometry.num_blocks);
}

void DescribeSizings(std::span<const Sizing> sizings, const Speeds& speeds, Report& report) {
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
  if (!speeds.empty()) {
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
    report.AddLine("With --measure it says how fast each is on this machine.");
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
