// What `trommel bench` prints for people.
#include "tools/trommel/commands/bench_print.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bench/sweep/sweep_row.h"
#include "bench/sweep/sweep_tables.h"
#include "tools/trommel/output/number_text.h"

namespace trommel::tool {
namespace {

constexpr double kCacheLineBytes = 64;

std::string NsText(double ns) { return fmt::format("{:.{}f}", ns, ns < 99.995 ? 2 : 0); }

std::string RangeText(const bench::FigureRange& range) {
  return fmt::format("[{}..{}]", NsText(range.low), NsText(range.high));
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

}  // namespace

std::string FormatPerSecond(double rate) {
  constexpr std::array<const char*, 5> kNames = {"", " k", " M", " G", " T"};
  return FormatScaled(rate, kNames);
}

std::string CardText(const bench::MachineCard& card) {
  std::vector<std::string> caches;
  for (const bench::CacheInfo& cache : card.caches) {
    caches.push_back(fmt::format("L{} {}", cache.level, FormatBytes(cache.num_bytes)));
  }
  return fmt::format(
      "{}: {} cores, {} threads; {}; {} of memory\n"
      "trommel {}, target {}, {} {}\n"
      "Linux {}, huge pages: {}, load {:.2f}, {}\n",
      card.cpu_model.empty() ? "unknown CPU" : card.cpu_model, card.num_physical_cpus,
      card.num_logical_cpus,
      caches.empty() ? "caches unknown" : fmt::format("{}", fmt::join(caches, ", ")),
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
  const bench::FigureRange ns = bench::NsOf(figure);
  const bool is_ceiling = bench::IsCeiling(row.operation);
  std::string where = row.target;
  std::string remark;
  if (is_ceiling) {
    where = row.num_keys == 0 ? fmt::format("{} {}", row.place, FormatBytes(figure.footprint_bytes))
                              : "ceiling";
    if (row.operation == bench::Operation::kStreamCeiling) {
      remark = fmt::format("{:.1f} GB/s read and written", kCacheLineBytes / ns.middle);
    }
  } else if (figure.bound) {
    remark = fmt::format("{} {} ns", BoundText(figure.bound->ceiling), NsText(figure.bound->ns));
  }
  const std::string share =
      figure.bound ? fmt::format("{:.0f} %", 100 * figure.bound->ns / ns.middle) : "";
  std::string line = fmt::format("{:<17} {:<15} {:>7} {:>5}  {:>10} {:<18} {:>7}  {:>5}  {}",
                                 bench::OperationName(row.operation), where, row.num_threads,
                                 is_ceiling ? "" : bench::BatchName(row.batch), NsText(ns.middle),
                                 RangeText(ns), FormatPerSecond(1e9 / ns.middle), share, remark);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string PagesText(uint64_t filter_bytes, uint64_t huge_page_bytes) {
  if (filter_bytes == 0) return "";
  return fmt::format(
      "\nOf the largest filter, {}, {:.0f} % lay on huge pages.\n", FormatBytes(filter_bytes),
      100 * static_cast<double>(huge_page_bytes) / static_cast<double>(filter_bytes));
}

}  // namespace trommel::tool
