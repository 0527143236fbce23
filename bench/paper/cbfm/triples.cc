// Figures 8a and 8b: triples of two addresses and a domain, from a file or made.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "bench/paper/cbfm/cbfm.h"
#include "bench/paper/report/random.h"
#include "bench/text/tsv.h"
#include "trommel/attribute_plan.h"
#include "trommel/keys.h"

namespace trommel::paper {
namespace {

constexpr AttributeMask kSourceAndDomain = 0b101;
constexpr AttributeMask kRecordedQueries[] = {kWhole, kSourceAndDomain};
constexpr uint64_t kFewestBytes = 1024;
constexpr int kMostDoublings = 9;

// The triples of the first half, and the new ones of the second.
struct Recorded {
  TripleLog log;
  std::vector<Triple> known;
  TupleDigests known_digests{3};
  std::vector<Triple> non_members[2];  // to the sets of kRecordedQueries
  std::vector<uint64_t> num_values;
  bool is_made = false;
};

Recorded Split(TripleLog log) {
  Recorded recorded;
  recorded.log = std::move(log);
  const std::vector<Triple>& rows = recorded.log.triples;
  const auto middle = rows.begin() + static_cast<ptrdiff_t>(rows.size() / 2);
  recorded.known = NewTriples(kWhole, {rows.begin(), middle}, {});
  recorded.known_digests = recorded.log.Digests(recorded.known);
  for (size_t i = 0; i < 2; ++i) {
    recorded.non_members[i] = NewTriples(kRecordedQueries[i], {middle, rows.end()}, recorded.known);
  }
  for (size_t i = 0; i < 3; ++i) {
    recorded.num_values.push_back(TripleSet(1U << i, recorded.known).size());
  }
  return recorded;
}

// The answers of one structure of one size to non-members.
struct RecordedPoint {
  double rate = std::numeric_limits<double>::quiet_NaN();
  double combination = 0;
};

RecordedPoint AnswersOf(const Structure& structure, const Recorded& recorded, size_t queried_idx) {
  RecordedPoint point;
  const AttributeMask queried = kRecordedQueries[queried_idx];
  const std::vector<Triple>& non_members = recorded.non_members[queried_idx];
  if (!structure.index->CanAnswer(queried) || non_members.empty()) return point;
  const TupleDigests digests = recorded.log.Digests(non_members);
  std::vector<uint64_t> maybe(TupleIndex::BitmapWords(non_members.size()));
  const auto count = static_cast<double>(non_members.size());
  point.rate = static_cast<double>(structure.index->Query(queried, digests.view(), maybe)) / count;
  std::vector<uint8_t> all_in(non_members.size(), 1);
  for (const AttributeMask part : structure.PartsOf(queried)) {
    const TripleSet known(part, recorded.known);
    for (size_t i = 0; i < non_members.size(); ++i) all_in[i] &= known.Has(non_members[i]);
  }
  point.combination = static_cast<double>(std::ranges::count(all_in, 1)) / count;
  return point;
}

AttributeSets RecordedCuts(std::initializer_list<AttributeMask> cuts) {
  return AttributeSets::Create(3, {cuts.begin(), cuts.size()}).value();
}

// With the planner's division of this memory, for as many queries of either kind; nothing where it
// is too small.
std::optional<Structure> PlannedFilter(const std::string& name, const AttributeSets& sets,
                                       const Recorded& recorded, uint64_t num_bytes) {
  AttributePlanRequest request;
  request.sets = sets;
  request.capacity = recorded.known.size();
  request.max_capacity = request.capacity;
  request.num_values = recorded.num_values;
  for (const AttributeMask queried : kRecordedQueries) request.mix.push_back({queried, 1});
  request.memory_bytes = num_bytes;
  const Result<AttributePlan> plan = PlanAttributes(request);
  if (!plan.ok()) return std::nullopt;
  AttributeConfig config;
  config.sets = sets;
  config.capacity = request.capacity;
  config.max_capacity = request.capacity;
  config.num_values = request.num_values;
  config.budgets = plan.value().budgets();
  return MakeAttributeFilter(name, config);
}

std::vector<Structure> StructuresOf(const Recorded& recorded, uint64_t num_bytes) {
  std::vector<Structure> made;
  const AttributeSets one = RecordedCuts({0b011});
  const AttributeSets two = RecordedCuts({0b011, 0b110});
  for (NamedRequest& named : PublishedRequests(8 * num_bytes)) {
    if (named.name == "CBFM, one cut") named.request.sets = one;
    if (named.name == "CBFM, two cuts") named.request.sets = two;
    made.push_back(MakeMatrix(named.name, named.request));
  }
  for (const auto& [name, sets] : {std::pair("AttributeFilter, two cuts", two),
                                   std::pair("AttributeFilter, no cuts", RecordedCuts({}))}) {
    std::optional<Structure> filter = PlannedFilter(name, sets, recorded, num_bytes);
    made.push_back(filter ? *std::move(filter) : Structure{name, sets, std::nullopt, nullptr});
  }
  return made;
}

struct Memory {
  int num_doublings = 0;              // of kFewestBytes
  std::vector<RecordedPoint> points;  // [structure], for one kind of query
};
using Points = std::vector<Memory>;

void AddFigure(const Recorded& recorded, size_t queried_idx, const std::vector<std::string>& names,
               const Points& points, Report& report) {
  const bool is_whole = queried_idx == 0;
  Chart chart{.title = is_whole ? "Fig. 8a: triples, whole" : "Fig. 8b: triples, {source, domain}",
              .x_name = "KB",
              .y_name = "rate"};
  chart.unit = Unit::kShare;
  chart.log_x = true;
  chart.least_y = 1e-4;
  Table table{.title = chart.title};
  table.text =
      FigureText(static_cast<double>(recorded.log.triples.size()), Unit::kCount) +
      (recorded.is_made ? " made-up rows (--triples=FILE reads recorded ones);"
                        : " recorded rows in the order of time;") +
      " the first half was inserted (" +
      FigureText(static_cast<double>(recorded.known.size()), Unit::kCount) +
      " different triples), and the new ones of the second half were queried: " +
      FigureText(static_cast<double>(recorded.non_members[queried_idx].size()), Unit::kCount) +
      ". The cuts keep {source, domain}: {source, destination} is cut, and {destination, domain} "
      "by two cuts. The planner divides AttributeFilter's memory, within the same bytes. The chart "
      "has all sizes.";
  table.axis = Axis::kLinear;
  table.instead = "AttributeFilter";
  for (size_t side = 0; side < names.size(); ++side) chart.lines.push_back({.name = names[side]});
  size_t num_worse =
      0;  // sizes at which another structure of cells has a lower rate than CBFM of two cuts
  const auto cbfm = static_cast<size_t>(std::ranges::find(names, "CBFM, two cuts") - names.begin());
  const auto bfm = static_cast<size_t>(std::ranges::find(names, "BFM") - names.begin());
  const auto filter = names.size() - 2;
  for (const Memory& memory : points) {
    const double kilobytes = std::ldexp(1.0, memory.num_doublings);
    chart.x.push_back(kilobytes);
    bool is_beaten = false;
    for (size_t side = 0; side < names.size(); ++side) {
      const RecordedPoint& point = memory.points[side];
      chart.lines[side].y.push_back(point.rate);
      const bool competes = is_whole ? side == bfm : side < cbfm - 1;
      is_beaten |= competes && point.rate < memory.points[cbfm].rate;
      if (memory.num_doublings % 4 != 2 || std::isnan(point.rate)) continue;
      Row row{.what = names[side] + ", " + FigureText(kilobytes, Unit::kNumber) + " KB"};
      row.unit = Unit::kShare;
      row.measured = point.rate;
      if (!std::isnan(memory.points[filter].rate)) row.instead = memory.points[filter].rate;
      row.note =
          "By hashes " +
          FigureText((point.rate - point.combination) / (1 - point.combination), Unit::kShare) +
          " of those that are not a combination (" + FigureText(point.combination, Unit::kShare) +
          ").";
      table.rows.push_back(row);
    }
    num_worse += is_beaten;
  }
  Row claim{.what = is_whole ? "sizes at which BFM has a lower rate than CBFM of two cuts"
                             : "sizes at which CBFM's is not the lowest rate of all published",
            .unit = Unit::kCount};
  claim.measured = static_cast<double>(num_worse);
  const std::string of_sizes = "Of " + std::to_string(points.size()) + " sizes.";
  if (is_whole) {
    claim.note = of_sizes +
                 " The text says that SBF and CBFM keep relatively low rates, and that BFM's rise "
                 "for lack of space; it compares no two of them. With enough memory for all, the "
                 "false positives of CBFM are parts of different triples, as triples share values.";
  } else {
    claim.paper = 0;
    claim.given = num_worse == 0 ? Verdict::kAgrees : Verdict::kDoesNotReproduce;
    claim.note = of_sizes;
  }
  table.rows.push_back(claim);
  report.tables.push_back(std::move(table));
  report.charts.push_back(std::move(chart));
}

}  // namespace

void CbfmTriples(const Options& options, Report& report) {
  const bool is_made = options.triples.empty();
  Result<TripleLog> log = is_made ? MakeTriples(options.quick ? 4'000 : 60'000, options.seed)
                                  : ReadTriples(options.triples);
  if (!log.ok()) {
    std::fprintf(stderr, "%s\n", log.error().message.c_str());
    std::exit(3);
  }
  Recorded recorded = Split(*std::move(log));
  recorded.is_made = is_made;
  std::vector<std::string> names;
  Points points[2];
  for (int doublings = 0; doublings <= kMostDoublings; doublings += options.quick ? 6 : 1) {
    const std::vector<Structure> made = StructuresOf(recorded, kFewestBytes << doublings);
    names.clear();
    for (auto& kind : points) kind.push_back({doublings, std::vector<RecordedPoint>(made.size())});
    for (size_t side = 0; side < made.size(); ++side) {
      names.push_back(made[side].name);
      if (!made[side].index) continue;
      made[side].index->Insert(recorded.known_digests.view());
      for (size_t i = 0; i < 2; ++i)
        points[i].back().points[side] = AnswersOf(made[side], recorded, i);
    }
  }
  for (size_t i = 0; i < 2; ++i) AddFigure(recorded, i, names, points[i], report);
}

namespace {

Triple Projected(AttributeMask set, const Triple& triple) {
  Triple projected{};
  for (size_t i = 0; i < 3; ++i) {
    if ((set >> i & 1) != 0) projected[i] = triple[i];
  }
  return projected;
}

}  // namespace

TripleLog MakeTriples(size_t num_rows, uint64_t seed) {
  constexpr uint32_t kSources = 300;
  constexpr uint32_t kDomains = 4'000;
  constexpr uint32_t kServers = 1'500;
  TripleLog log;
  for (uint32_t i = 0; i < kSources; ++i) log.values[0].push_back("10.0." + std::to_string(i));
  for (uint32_t i = 0; i < kServers; ++i) log.values[1].push_back("192.0." + std::to_string(i));
  for (uint32_t i = 0; i < kDomains; ++i) {
    log.values[2].push_back("d" + std::to_string(i) + ".example");
  }
  RandomStream random(seed, 140);
  // Of n values the first ones are the most frequent: value u^3 n.
  const auto skewed = [&](uint32_t n) {
    const double u = static_cast<double>(random.Next() >> 11) * 0x1p-53;
    return static_cast<uint32_t>(u * u * u * n);
  };
  for (size_t row = 0; row < num_rows; ++row) {
    const uint32_t source = skewed(kSources);
    // A source has a taste of its own; a domain has up to three servers.
    const uint32_t domain = (skewed(kDomains) + 37 * source) % kDomains;
    const uint32_t server = (domain * 7 + random.Below(1 + domain % 3)) % kServers;
    log.triples.push_back({source, server, domain});
  }
  return log;
}

TupleDigests TripleLog::Digests(const std::vector<Triple>& some) const {
  TupleDigests digests(3);
  std::vector<std::string_view> column;
  for (uint32_t attribute = 0; attribute < 3; ++attribute) {
    column.clear();
    for (const Triple& triple : some) column.emplace_back(values[attribute][triple[attribute]]);
    digests.Set(attribute, column);
  }
  return digests;
}

Result<TripleLog> ReadTriples(const std::string& path) {
  std::ifstream file(path);
  if (!file) return Error{ErrorCode::kIo, path + ": cannot be read"};
  Result<bench::Tsv> tsv = bench::Tsv::Open(file, path);
  if (!tsv.ok()) return tsv.error();
  const Result<std::vector<size_t>> places = tsv->PlacesOf("src_ip,dst_ip,domain");
  if (!places.ok()) return places.error();
  TripleLog log;
  std::array<std::unordered_map<std::string, uint32_t>, 3> numbers;
  const Status read = tsv->ForEachLine([&](const auto& cells, const std::string&) {
    Triple triple{};
    for (size_t i = 0; i < 3; ++i) {
      const auto [found, is_new] = numbers[i].try_emplace(
          std::string(cells[(*places)[i]]), static_cast<uint32_t>(log.values[i].size()));
      if (is_new) log.values[i].push_back(found->first);
      triple[i] = found->second;
    }
    log.triples.push_back(triple);
    return Ok();
  });
  if (!read.ok()) return read.error();
  return log;
}

TripleSet::TripleSet(AttributeMask set, const std::vector<Triple>& triples) : set_(set) {
  for (const Triple& triple : triples) projections_.push_back(Projected(set, triple));
  std::ranges::sort(projections_);
  projections_.erase(std::unique(projections_.begin(), projections_.end()), projections_.end());
}

bool TripleSet::Has(const Triple& triple) const {
  return std::ranges::binary_search(projections_, Projected(set_, triple));
}

std::vector<Triple> NewTriples(AttributeMask set, const std::vector<Triple>& triples,
                               const std::vector<Triple>& known) {
  const TripleSet before(set, known);
  std::vector<Triple> found;
  std::vector<Triple> sorted = triples;
  std::ranges::sort(sorted, {}, [set](const Triple& triple) { return Projected(set, triple); });
  for (const Triple& triple : sorted) {
    const bool repeats = !found.empty() && Projected(set, found.back()) == Projected(set, triple);
    if (!repeats && !before.Has(triple)) found.push_back(triple);
  }
  return found;
}

}  // namespace trommel::paper
