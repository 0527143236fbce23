// What `trommel bench` prints for people.
#include "tools/trommel/commands/bench_print.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "bench/sweep/sweep_row.h"
#include "tools/trommel/output/number_text.h"

namespace trommel::tool {
namespace {

constexpr double kCacheLineBytes = 64;
constexpr size_t kMaxFieldWidth = 40;

std::string NsText(double ns) { return fmt::format("{:.{}f}", ns, ns < 99.995 ? 2 : 0); }

bench::TimeRange SweepRange(std::vector<double> ns) {
  std::ranges::sort(ns);
  return {ns[ns.size() / 2], ns.front(), ns.back()};
}

std::string RangeText(const bench::TimeRange& range) {
  return fmt::format("[{}..{}]", NsText(range.min), NsText(range.max));
}

std::string_view BoundText(bench::Operation ceiling) {
  switch (ceiling) {
    case bench::Operation::kReadCeiling:
      return "reads";
    case bench::Operation::kUpdateCeiling:
      return "updates";
    case bench::Operation::kShardCeiling:
      return "shard";
    default:
      return "stream";
  }
}

std::string Shortened(const std::string& text) {
  if (text.size() <= kMaxFieldWidth) return text.empty() ? "-" : text;
  return text.substr(0, kMaxFieldWidth - 3) + "...";
}

}  // namespace

std::string FormatPerSecond(double rate) {
  constexpr std::array<const char*, 5> kNames = {"", " k", " M", " G", " T"};
  size_t name_idx = 0;
  for (; rate >= 999.5 && name_idx + 1 < kNames.size(); ++name_idx) rate /= 1000;
  const int decimals = rate >= 99.95 ? 0 : rate >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}{}", rate, decimals, kNames[name_idx]);
}

std::string CardText(const bench::MachineCard& card) {
  std::string caches;
  for (const bench::CacheInfo& cache : card.caches) {
    caches += fmt::format("{}L{} {}", caches.empty() ? "" : ", ", cache.level,
                          FormatBytes(cache.num_bytes));
  }
  return fmt::format(
      "{}: {} cores, {} threads; {}; {} of memory\n"
      "trommel {}, target {}, {} {}\n"
      "Linux {}, huge pages: {}, load {:.2f}, {}\n",
      card.cpu_model.empty() ? "unknown CPU" : card.cpu_model, card.num_physical_cpus,
      card.num_logical_cpus, caches.empty() ? "caches unknown" : caches,
      FormatBytes(card.memory_bytes), card.version, card.target, card.compiler, card.compiler_flags,
      card.kernel, card.huge_pages.empty() ? "unknown" : card.huge_pages, card.load_average[0],
      card.date);
}

std::string BusyText(const bench::MachineCard& card) {
  if (card.load_average[0] <= 0.5 * card.num_logical_cpus) return "";
  return "Other programs are busy: rows of several threads, on the wall's clock, suffer most.\n";
}

std::string TableHead() {
  return fmt::format("\n{:<17} {:<15} {:>7} {:>5}  {:>10} {:<18} {:>7}  {:>5}  {}\n", "operation",
                     "target", "threads", "batch", "ns per key", "[min..max]", "keys/s", "share",
                     "of what memory allows");
}

std::string GroupTitle(const bench::SweepFigure& figure) {
  if (figure.row.num_keys == 0) return "\none cache line, at random or in order (stream)\n";
  std::string encoding;
  if (figure.row.encoding != Encoding::kPlanes) {
    encoding = fmt::format(", {}", EncodingName(figure.row.encoding));
  }
  if (figure.row.encoding == Encoding::kRuns) {
    encoding += fmt::format(" of {} slices", bench::kSweepRunSlices);
  }
  return fmt::format("\n{} keys{}\n", FormatCount(figure.row.num_keys), encoding);
}

std::string FigureLine(const bench::SweepFigure& figure) {
  const bench::SweepRow& row = figure.row;
  const bench::TimeRange ns = SweepRange(figure.ns);
  const bool is_ceiling = bench::IsCeiling(row.operation);
  std::string where = row.target;
  std::string remark;
  if (is_ceiling) {
    where = row.num_keys == 0 ? fmt::format("{} {}", row.place, FormatBytes(figure.footprint_bytes))
                              : "ceiling";
    if (row.operation == bench::Operation::kStreamCeiling) {
      remark = fmt::format("{:.1f} GB/s read and written", kCacheLineBytes / ns.median);
    }
  } else if (figure.bound) {
    remark = fmt::format("{} {} ns", BoundText(figure.bound->ceiling), NsText(figure.bound->ns));
  }
  const std::string share =
      figure.bound ? fmt::format("{:.0f} %", 100 * figure.bound->ns / ns.median) : "";
  std::string line = fmt::format("{:<17} {:<15} {:>7} {:>5}  {:>10} {:<18} {:>7}  {:>5}  {}",
                                 bench::OperationName(row.operation), where, row.num_threads,
                                 is_ceiling ? "" : bench::BatchName(row.batch), NsText(ns.median),
                                 RangeText(ns), FormatPerSecond(1e9 / ns.median), share, remark);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string PagesText(uint64_t filter_bytes, uint64_t huge_page_bytes) {
  if (filter_bytes == 0) return "";
  return fmt::format(
      "\nOf the largest filter, {}, {:.0f} % lay on huge pages.\n", FormatBytes(filter_bytes),
      100 * static_cast<double>(huge_page_bytes) / static_cast<double>(filter_bytes));
}

std::string ComparisonText(const bench::Comparison& comparison, const std::string& a,
                           const std::string& b) {
  std::string text = fmt::format("A: {}\nB: {}\n", a, b);
  size_t width = 3;
  for (const auto& row : comparison.rows) width = std::max(width, row.name.size());
  if (!comparison.card.empty()) text += "\nThe machine cards differ:\n";
  for (const auto& [field, in_a, in_b] : comparison.card) {
    text += fmt::format("  {:<26} {:<{}}  {}\n", field, Shortened(in_a), kMaxFieldWidth,
                        Shortened(in_b));
  }
  text += fmt::format("\n{:<{}} {:>10} {:>10}  {:>5} {}\n", "row", width, "A ns", "B ns", "B/A",
                      "[min..max]; below 1 B is faster");
  for (const auto& row : comparison.rows) {
    text += fmt::format("{:<{}} {:>10} {:>10}  {:>5} {}\n", row.name, width, NsText(row.a.median),
                        NsText(row.b.median), NsText(row.ratio.median), RangeText(row.ratio));
  }
  const auto list = [&text](const char* where, const std::vector<std::string>& names) {
    if (!names.empty()) text += fmt::format("\nOnly in {}:\n", where);
    for (const std::string& name : names) text += fmt::format("  {}\n", name);
  };
  list("A", comparison.only_a);
  list("B", comparison.only_b);
  return text;
}

}  // namespace trommel::tool
