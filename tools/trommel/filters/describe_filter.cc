// Reports of a filter: a table of the figures that people read, and how. All are fields of JSON.
#include "tools/trommel/filters/describe_filter.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tools/trommel/input/column_names.h"
#include "tools/trommel/output/number_text.h"

namespace trommel::tool {
namespace {

Json JsonOf(const FigureValue& value) {
  return std::visit([](const auto& figure) { return Json(figure); }, value);
}

std::string NameIn(const Figures& figures, std::string_view name) {
  return FigureOr(figures, name, std::string());
}

bool Has(const Figures& figures, std::string_view name) {
  return std::ranges::find(figures, name, &Figures::value_type::first) != figures.end();
}

// The line of a figure; without a label there is none.
struct Line {
  std::string_view label = "";
  std::string text = {};
};

Line MemoryLine(const Figures& figures) {
  return {"memory", FormatBytesPer(CountIn(figures, "num_bytes"),
                                   CountIn(figures, "num_distinct_keys"), "distinct key")};
}

Line RatesLine(const Figures& figures) {
  const double current = RateIn(figures, "current_fpr");
  const double predicted = RateIn(figures, "predicted_fpr");
  return {"false positives",
          fmt::format("{} now; {} predicted for this many distinct keys",
                      FormatRate(current, predicted), FormatRate(predicted, current))};
}

Line PromotedLine(const Figures& figures) {
  if (!Has(figures, "encoding")) return {};
  const uint64_t num_promoted = CountIn(figures, "num_promoted");
  const uint64_t num_blocks = CountIn(figures, "num_blocks");
  return {
      "promoted blocks",
      fmt::format("{} of {} ({})", FormatCount(num_promoted), FormatCount(num_blocks),
                  FormatRate(static_cast<double>(num_promoted) / static_cast<double>(num_blocks)))};
}

Line RefusedInsertsLine(const Figures& figures) {
  const uint64_t num_refused = CountIn(figures, "num_refused_inserts");
  if (num_refused == 0 && !Has(figures, "load")) return {};
  return {"refused inserts", FormatCount(num_refused)};
}

// Of a filter that grows, of a window's blocks, and of a counting filter's.
Line BlocksLine(const Figures& figures) {
  const uint64_t num_blocks = CountIn(figures, "num_blocks");
  if (Has(figures, "load")) {
    const uint64_t num_small = CountIn(figures, "num_small_parts");
    return {
        "blocks",
        fmt::format(
            "{} of {} each, {:.1f} entries per block{}", FormatCount(num_blocks), FormatBytes(64),
            RateIn(figures, "load"),
            num_small == 0 ? "" : fmt::format("; {} of 64 parts keep whole digests", num_small))};
  }
  const uint64_t bits = CountIn(figures, "fingerprint_bits");
  if (const uint64_t num_slots = CountIn(figures, "num_slots"); num_slots != 0) {
    return {"geometry", fmt::format("{} of {} slots, fingerprints of {} bits",
                                    FormatCount(num_blocks, "block"), num_slots, bits)};
  }
  if (!Has(figures, "encoding")) return {};
  const uint64_t num_slices = CountIn(figures, "num_slices");
  const uint64_t slots = std::max<uint64_t>(32, CountIn(figures, "slots"));
  return {"geometry", fmt::format("{} of {}, {}{}", FormatCount(num_blocks, "block"),
                                  num_slices != 0 ? fmt::format("{} slices", num_slices)
                                                  : fmt::format("{} slots", slots),
                                  NameIn(figures, "encoding"),
                                  num_slices != 0 ? "" : fmt::format(" of {} bits", bits))};
}

Line NextStepLine(const Figures& figures) {
  const uint64_t num_bytes = CountIn(figures, "next_step_bytes");
  return {"next step", num_bytes == 0 ? "none: it cannot grow further"
                                      : fmt::format("will take {}", FormatBytes(num_bytes))};
}

Line DoublingsLine(const Figures& figures) {
  const uint64_t least = CountIn(figures, "least_doublings");
  const uint64_t most = CountIn(figures, "most_doublings");
  return {"doublings",
          least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most)};
}

Line SideTableLine(const Figures& figures) {
  if (!Has(figures, "load")) return {};
  return {"side tables", fmt::format("{}; {} of non-members undecided",
                                     FormatBytes(CountIn(figures, "side_table_bytes")),
                                     FormatRate(RateIn(figures, "undecided_share")))};
}

Line UndecidedLine(const Figures& figures) {
  if (!Has(figures, "window")) return {};
  return {"undecided",
          fmt::format("{} of non-members", FormatRate(RateIn(figures, "undecided_share")))};
}

Line WindowLine(const Figures& figures) {
  return {"window", fmt::format("{} in {} of up to {}", FormatDuration(CountIn(figures, "window")),
                                FormatCount(CountIn(figures, "num_buckets"), "bucket"),
                                FormatDuration(CountIn(figures, "bucket_ticks")))};
}

struct FigureLine {
  std::string_view name;
  Line (*line)(const Figures& figures);
};

constexpr auto kLines = std::to_array<FigureLine>({
    {"num_keys",
     [](const Figures& figures) -> Line {
       return {"keys", KeysText(figures, CountIn(figures, "capacity"))};
     }},
    {"current_fpr", RatesLine},
    {"fill_ratio",
     [](const Figures& figures) -> Line {
       return {"fill", FormatRate(RateIn(figures, "fill_ratio"))};
     }},
    {"num_bytes", MemoryLine},
    {"num_promoted", PromotedLine},
    {"num_refused_erases",
     [](const Figures& figures) -> Line {
       return {"refused erases", FormatCount(CountIn(figures, "num_refused_erases"))};
     }},
    {"num_refused_inserts", RefusedInsertsLine},
    {"first_capacity",
     [](const Figures& figures) -> Line {
       return {"growth",
               fmt::format("from {}", FormatCount(CountIn(figures, "first_capacity"), "key"))};
     }},
    {"next_step_bytes", NextStepLine},
    {"num_blocks", BlocksLine},
    {"most_doublings", DoublingsLine},
    {"side_table_bytes", SideTableLine},
    {"window", WindowLine},
    {"now",
     [](const Figures& figures) -> Line {
       return {"time", fmt::format("{} ms", CountIn(figures, "now"))};
     }},
    {"is_erasable",
     [](const Figures& figures) -> Line {
       return {"erasable", FigureOr(figures, "is_erasable", true) ? "yes" : "no"};
     }},
    {"undecided_share", UndecidedLine},
});

// A line per bucket of a window, "oldest first".
void DescribeParts(const AnyFilter& filter, Report& report) {
  const auto [name, parts] = filter.GetParts(/*measured=*/true);
  if (parts.empty()) return;
  Json all = Json::Array();
  std::string text = FormatCount(parts.size(), "live bucket");
  for (const Figures& part : parts) {
    Json fields = Json::Object();
    for (const auto& [its_name, value] : part) fields.Add(its_name, JsonOf(value));
    all.Append(fields);
    text += fmt::format("\n  from {:>14}: {:>14} keys", CountIn(part, "first_tick"),
                        FormatCount(CountIn(part, "num_keys")));
  }
  report.Add(name, std::move(all), "oldest first", std::move(text));
}

void DescribeFigure(const Figures& figures, std::string_view name, const FigureValue& value,
                    Report& report) {
  const auto* shown = std::ranges::find(kLines, name, &FigureLine::name);
  Line line = shown == kLines.end() ? Line() : shown->line(figures);
  report.Add(name, JsonOf(value), line.label, std::move(line.text));
}

}  // namespace

uint64_t CountIn(const Figures& figures, std::string_view name) {
  return FigureOr<uint64_t>(figures, name, 0);
}

double RateIn(const Figures& figures, std::string_view name) {
  return FigureOr<double>(figures, name, 0);
}

std::string KeysText(const Figures& figures, uint64_t capacity) {
  const uint64_t num_keys = CountIn(figures, "num_keys");
  const uint64_t num_distinct = CountIn(figures, "num_distinct_keys");
  std::string more;
  if (num_distinct != num_keys) {
    more = fmt::format("about {} distinct", FormatCount(num_distinct));
  }
  if (capacity != 0) {
    more += fmt::format("{}sized for {}", more.empty() ? "" : "; ", FormatCount(capacity));
  }
  return FormatCount(num_keys) + (more.empty() ? "" : fmt::format(" ({})", more));
}

std::string ShapeText(const Geometry& geometry) {
  if (geometry.encoding == Encoding::kFingerprints16) return "32 slots";
  if (geometry.encoding == Encoding::kDense) return fmt::format("{} slots", geometry.slots);
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

void DescribeFigures(const Figures& figures, std::initializer_list<std::string_view> names,
                     Report& report) {
  for (const auto& [name, value] : figures) {
    if (std::ranges::find(names, name) != names.end()) DescribeFigure(figures, name, value, report);
  }
}

void DescribeFilter(const AnyFilter& filter, Report& report) {
  const std::string type(FilterTypeName(filter.type()));
  report.Add("type", type, "type", type);
  if (const auto* attributes = filter.As<AttributeFilter>()) {
    DescribeAttributes(*attributes, report);
  } else {
    const Figures figures = filter.GetFigures(/*measured=*/true);
    for (const auto& [name, value] : figures) DescribeFigure(figures, name, value, report);
    DescribeParts(filter, report);
    if (filter.expires() && RateIn(figures, "least_fpr") > RateIn(figures, "target_fpr")) {
      report.AddLine(fmt::format(
          "It holds {} and was sized for {}: until some expire, the false-positive rate is higher.",
          FormatCount(CountIn(figures, "num_distinct_keys"), "distinct key"),
          FormatCount(CountIn(figures, "capacity"))));
    }
  }
  DescribeDigest(filter.digest_policy(), report);
}

namespace {

constexpr size_t kMostLines = 8;  // of sets: with the other lines a screen

// The indices of the sets that are shown to people: single columns first, then pairs.
std::vector<size_t> FirstShown(std::span<const SetStats> sets) {
  std::vector<size_t> order(sets.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return std::popcount(sets[i].set); });
  order.resize(std::min(order.size(), kMostLines));
  return order;
}

}  // namespace

Json SetJson(AttributeMask set, std::span<const std::string> names) {
  Json json = Json::Array();
  for (; set != 0; set &= set - 1) {
    json.Append(names[static_cast<size_t>(std::countr_zero(set))]);
  }
  return json;
}

void DescribeAttributes(const AttributeFilter& filter, Report& report) {
  const AttributeStats stats = filter.GetStats();
  const std::vector<ScalableFill> fill = filter.MeasureFill();
  const std::span<const std::string> names = filter.names();
  report.Add("num_tuples", stats.num_tuples, "rows", FormatCount(stats.num_tuples));
  report.Add("attributes", SetJson(filter.sets().full(), names), "attributes",
             SetText(filter.sets().full(), names));
  Json cuts = Json::Array();
  std::vector<std::string> cuts_text;
  for (const AttributeMask cut : filter.sets().cuts()) {
    cuts.Append(SetJson(cut, names));
    cuts_text.push_back(SetText(cut, names));
  }
  report.Add("cuts", std::move(cuts), cuts_text.empty() ? "" : "cuts",
             fmt::format("{}", fmt::join(cuts_text, " and ")));
  if (!filter.sets().is_by_cuts()) {
    const uint32_t most = filter.sets().max_together();
    report.Add("max_together", most, "together",
               (filter.sets().is_list() ? "only the sets below, of up to " : "at most ") +
                   FormatCount(most, "attribute"));
  }
  report.Add("num_bytes", stats.num_bytes, "memory",
             FormatBytesPer(stats.num_bytes, stats.num_tuples, "row"));
  // Zeros are no line: with the sets the report is a screen.
  report.AddUnlessZero("num_refused_erases", stats.num_refused_erases, "refused erases");
  report.AddUnlessZero("num_refused_inserts", stats.num_refused_inserts, "refused inserts");

  size_t width = 4;
  for (const size_t i : FirstShown(stats.sets)) {
    width = std::max(width, SetText(stats.sets[i].set, names).size());
  }
  std::string text = FormatCount(stats.sets.size(), "set");
  text += fmt::format("\n  {:<{}} {:>14} {:>12} {:>11} {:>10} {:>11}", "", width, "sized for",
                      "false now", "asked for", "memory", "doublings");
  Json sets = Json::Array();
  for (size_t i = 0; i < stats.sets.size(); ++i) {
    const SetStats& set = stats.sets[i];
    sets.Append({{"set", SetJson(set.set, names)},
                 {"capacity", set.capacity},
                 {"target_fpr", set.target_fpr},
                 {"current_fpr", fill[i].current_fpr},
                 {"predicted_fpr", set.stats.predicted_fpr},
                 {"num_bytes", set.stats.num_bytes},
                 {"doublings", set.stats.most_doublings}});
  }
  for (const size_t i : FirstShown(stats.sets)) {
    const SetStats& set = stats.sets[i];
    text += fmt::format("\n  {:<{}} {:>14} {:>12} {:>11} {:>10} {:>11}", SetText(set.set, names),
                        width, FormatCount(set.capacity), FormatRate(fill[i].current_fpr),
                        FormatRate(set.target_fpr), FormatBytes(set.stats.num_bytes),
                        set.stats.most_doublings);
  }
  if (stats.sets.size() > kMostLines) {
    text += fmt::format("\n  ... and {} more (--json has all)", stats.sets.size() - kMostLines);
  }
  report.Add("sets", std::move(sets), "filters", std::move(text));
}

}  // namespace trommel::tool
