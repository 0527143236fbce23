// What `trommel size` says.
#include "tools/trommel/size_print.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tools/trommel/expected_speed.h"
#include "tools/trommel/number_text.h"

namespace trommel::tool {
namespace {

constexpr uint64_t kLine = 64;

uint64_t LinesIn(uint64_t num_bytes, uint64_t num_blocks) {
  return (num_bytes / num_blocks + kLine - 1) / kLine;
}

uint64_t BytesInAll(const Sizing& sizing) {
  return sizing.geometry.num_bytes() + sizing.predicted_side_table_bytes;
}

std::string PredictedFprText(const Sizing& sizing) {
  return FormatRate(sizing.predicted_fpr, sizing.target_fpr);
}

Json FieldsOf(const Sizing& sizing) {
  const Geometry& geometry = sizing.geometry;
  const ExpectedSpeed speed = ExpectedSpeedOf(geometry);
  return {{"capacity", sizing.capacity},
          {"num_bytes", geometry.num_bytes()},
          {"presence_bytes", geometry.presence_bytes()},
          {"predicted_side_table_bytes", sizing.predicted_side_table_bytes},
          {"bits_per_key", sizing.bits_per_key},
          {"predicted_fpr", sizing.predicted_fpr},
          {"target_fpr", sizing.target_fpr > 0 ? Json(sizing.target_fpr) : Json()},
          {"predicted_promoted_share", sizing.predicted_promoted_share},
          {"num_blocks", geometry.num_blocks},
          {"num_slices", geometry.num_slices},
          {"slice_positions", geometry.slice_positions()},
          {"shard_bits", geometry.shard_bits},
          {"encoding", EncodingName(geometry.encoding)},
          {"lines_per_query", LinesOfQuery(geometry)},
          {"lines_per_update", LinesOfUpdate(geometry)},
          {"expected_ns",
           {{"insert", speed.insert_ns},
            {"erase", speed.erase_ns},
            {"query", speed.query_ns},
            {"in_cache", IsInCache(geometry)}}}};
}

}  // namespace

uint64_t LinesOfQuery(const Geometry& geometry) {
  return LinesIn(geometry.query_bytes(), geometry.num_blocks);
}

uint64_t LinesOfUpdate(const Geometry& geometry) {
  return LinesOfQuery(geometry) +
         LinesIn(geometry.num_bytes() - geometry.query_bytes(), geometry.num_blocks);
}

void DescribeSizing(const Sizing& sizing, Report& report) {
  const Geometry& geometry = sizing.geometry;
  const auto add = [&report](std::string_view label, std::string_view text) {
    report.AddLine(fmt::format("{:<15}  {}", label, text));
  };
  add("capacity", FormatCount(sizing.capacity, "distinct key"));
  add("memory",
      geometry.encoding == Encoding::kPlanes
          ? fmt::format("{} ({} of presence bits: all a query reads)",
                        FormatBytes(geometry.num_bytes()), FormatBytes(geometry.presence_bytes()))
          : fmt::format("{} (counts beside presence bits: a query reads a whole block)",
                        FormatBytes(geometry.num_bytes())));
  add("side table",
      fmt::format("{} more predicted", FormatBytes(sizing.predicted_side_table_bytes)));
  add("bits a key", fmt::format("{:.1f}", sizing.bits_per_key));
  add("false positives",
      fmt::format(
          "{} predicted at capacity{}", PredictedFprText(sizing),
          sizing.target_fpr > 0
              ? fmt::format(", {} asked for", FormatRate(sizing.target_fpr, sizing.predicted_fpr))
              : ""));
  add("promoted blocks",
      fmt::format("{} predicted at capacity", FormatRate(sizing.predicted_promoted_share)));
  add("geometry", fmt::format("{} of {} slices, {}", FormatCount(geometry.num_blocks, "block"),
                              geometry.num_slices, EncodingName(geometry.encoding)));
}

void DescribeSideBySide(std::span<const Sizing> sizings, Report& report) {
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
  add("bits a key", [](const Sizing& s) { return fmt::format("{:.1f}", s.bits_per_key); });
  add("false positives", PredictedFprText);
  add("promoted blocks", [](const Sizing& s) { return FormatRate(s.predicted_promoted_share); });
  add("blocks", [](const Sizing& s) { return FormatCount(s.geometry.num_blocks); });
  add("slices x positions", [](const Sizing& s) {
    return fmt::format("{} x {}", s.geometry.num_slices, s.geometry.slice_positions());
  });
  add("cache lines a query", [](const Sizing& s) { return FormatCount(LinesOfQuery(s.geometry)); });
  add("cache lines an update",
      [](const Sizing& s) { return FormatCount(LinesOfUpdate(s.geometry)); });
  const auto add_ns = [&add](std::string_view label, double ExpectedSpeed::*ns) {
    add(label,
        [ns](const Sizing& s) { return fmt::format("{:.1f}", ExpectedSpeedOf(s.geometry).*ns); });
  };
  add("expected ns a key",
      [](const Sizing& s) { return Text(IsInCache(s.geometry) ? "in cache" : "beyond cache"); });
  add_ns("  insert", &ExpectedSpeed::insert_ns);
  add_ns("  erase", &ExpectedSpeed::erase_ns);
  add_ns("  query", &ExpectedSpeed::query_ns);

  report.AddLine("\nFalse positives, promoted blocks and side table are predicted at capacity.");
  if (const double target_fpr = sizings.front().target_fpr; target_fpr > 0) {
    report.AddLine(fmt::format("Asked for: {} false positives.", FormatRate(target_fpr)));
  }
  report.AddLine(fmt::format("Expected ns: {}, keys hashed before.", kSpeedMachine));
  report.AddLine("`trommel bench` measures yours.");
}

void AddSizingFields(const Sizing& chosen, std::span<const Sizing> sizings, Report& report) {
  const Json fields = FieldsOf(chosen);
  for (const auto& [name, value] : fields.items()) report.AddField(name, value);
  Json encodings = Json::array();
  for (const Sizing& sizing : sizings) encodings.push_back(FieldsOf(sizing));
  report.AddField("encodings", std::move(encodings));
}

}  // namespace trommel::tool
