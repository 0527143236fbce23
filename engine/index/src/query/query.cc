// Query: from conditions to candidates, from candidates to ranges of servers, from answers to rows.
#include "trommel/index/query.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/index/src/query/key_ranges.h"
#include "engine/index/src/query/lookups.h"

namespace trommel::index {
namespace {

using Clock = std::chrono::steady_clock;

// A bit per region, by position in the table.
using RegionSet = std::vector<uint64_t>;

// A year: longer timeouts might not fit the clock.
constexpr std::chrono::milliseconds kLongestTimeout = std::chrono::hours(24 * 365);

Status ValidateRequest(const QueryRequest& request, size_t num_attributes) {
  const auto refuse = [](std::string message) -> Status {
    return Error{.code = ErrorCode::kInvalidArgument, .message = std::move(message)};
  };
  if (request.conditions.empty()) {
    return refuse("the query has 0 conditions; it must have at least 1");
  }
  for (size_t i = 0; i < request.conditions.size(); ++i) {
    const Condition& condition = request.conditions[i];
    const std::string name = "condition " + std::to_string(i);
    if (condition.attribute >= num_attributes) {
      return refuse(name + " is of attribute " + std::to_string(condition.attribute) +
                    "; it must be between 0 and " + std::to_string(num_attributes - 1));
    }
    if (condition.value.size() > kMaxValueBytes) {
      return refuse(name + " has a value of " + std::to_string(condition.value.size()) +
                    " bytes; it must have at most " + std::to_string(kMaxValueBytes));
    }
  }
  return Ok();
}

// Returns the conditions in their order, each once.
std::vector<Condition> Distinct(std::span<const Condition> conditions) {
  std::vector<Condition> distinct;
  for (const Condition& condition : conditions) {
    if (std::ranges::find(distinct, condition) == distinct.end()) distinct.push_back(condition);
  }
  return distinct;
}

template <class Visit>
void ForEachRegion(const RegionSet& regions, const Visit& visit) {
  for (size_t w = 0; w < regions.size(); ++w) {
    for (uint64_t bits = regions[w]; bits != 0; bits &= bits - 1) {
      visit(w * 64 + static_cast<size_t>(std::countr_zero(bits)));
    }
  }
}

void Add(RegionSet& regions, size_t position) {
  regions[position / 64] |= uint64_t{1} << position % 64;
}

uint32_t Count(const RegionSet& regions) {
  uint32_t count = 0;
  ForEachRegion(regions, [&](size_t) { ++count; });
  return count;
}

// Fills in what the plan says of the conditions, and returns the positions of those with an index.
std::vector<uint32_t> DivideConditions(const ServerIndex::Pin& pin,
                                       std::span<const Condition> conditions, QueryPlan& plan) {
  std::vector<uint32_t> indexed;
  for (uint32_t i = 0; i < conditions.size(); ++i) {
    const uint32_t attribute = conditions[i].attribute;
    if (pin.state(attribute) == AttributeState::kIndexed) {
      indexed.push_back(i);
    } else if (std::ranges::find(plan.not_indexed, attribute) == plan.not_indexed.end()) {
      plan.not_indexed.push_back(attribute);
    }
  }
  return indexed;
}

// Returns the regions that are candidates of all these conditions.
RegionSet CandidatesOf(const ServerIndex::Pin& pin, std::span<const Condition> conditions,
                       std::span<const uint32_t> indexed) {
  RegionSet candidates(pin.num_words());
  RegionSet of_one(pin.num_words());
  for (size_t i = 0; i < indexed.size(); ++i) {
    const Condition& condition = conditions[indexed[i]];
    pin.Candidates(condition.attribute, condition.value, i == 0 ? candidates : of_one);
    if (i == 0) continue;
    for (size_t w = 0; w < candidates.size(); ++w) candidates[w] &= of_one[w];
  }
  return candidates;
}

RegionSet AllRegions(const ServerIndex::Pin& pin) {
  RegionSet all(pin.num_words());
  for (size_t i = 0; i < pin.table().size(); ++i) Add(all, i);
  return all;
}

// Returns how many of the candidates have a column that is not built, of any of the attributes.
uint32_t CountUnbuilt(const ServerIndex::Pin& pin, std::span<const Condition> conditions,
                      std::span<const uint32_t> indexed, const RegionSet& candidates) {
  uint32_t num_unbuilt = 0;
  ForEachRegion(candidates, [&](size_t position) {
    num_unbuilt += std::ranges::any_of(indexed, [&](uint32_t condition) {
      return !pin.IsBuilt(conditions[condition].attribute, position);
    });
  });
  return num_unbuilt;
}

// Returns the ranges of each server: one for candidates of it that are neighbours.
RangesOfServers RangesOf(const RegionTable& table, const RegionSet& candidates) {
  RangesOfServers routes;
  ForEachRegion(candidates, [&](size_t position) {
    Append(routes[table[position].server], table[position].range);
  });
  return routes;
}

// A row that was found twice, because its region moved between two lookups, is kept once.
void SortRows(std::vector<Row>& rows) {
  std::ranges::sort(rows, {}, &Row::key);
  const auto repeated = std::unique(rows.begin(), rows.end(),
                                    [](const Row& a, const Row& b) { return a.key == b.key; });
  rows.erase(repeated, rows.end());
}

}  // namespace

Result<QueryOutcome> Query(const ServerIndex& index, RegionStore& store,
                           const QueryRequest& request) {
  const Clock::time_point start = Clock::now();
  // Held until the last answer: what the version says of attributes holds as long as it is pinned,
  // so the servers have the entries that the lookups rely on.
  std::optional<ServerIndex::Pin> pin(index.PinVersion());
  if (Status status = ValidateRequest(request, pin->num_attributes()); !status) {
    return status.error();
  }

  const std::chrono::milliseconds timeout =
      std::clamp(request.timeout, std::chrono::milliseconds(0), kLongestTimeout);
  LookupTerms terms{.conditions = Distinct(request.conditions),
                    .indexed_conditions = {},
                    .timeout = timeout,
                    .deadline = start + timeout};
  QueryOutcome outcome;
  QueryPlan& plan = outcome.plan;
  plan.version = pin->version();
  plan.num_regions = static_cast<uint32_t>(pin->table().size());
  plan.num_servers = pin->table().num_servers();
  terms.indexed_conditions = DivideConditions(*pin, terms.conditions, plan);
  plan.is_broadcast = request.routing == Routing::kBroadcast || terms.indexed_conditions.empty();

  const RegionSet candidates = plan.is_broadcast
                                   ? AllRegions(*pin)
                                   : CandidatesOf(*pin, terms.conditions, terms.indexed_conditions);
  plan.directory_time = Clock::now() - start;
  plan.num_candidates = Count(candidates);
  if (!plan.is_broadcast) {
    plan.num_unbuilt = CountUnbuilt(*pin, terms.conditions, terms.indexed_conditions, candidates);
  }

  LookupsOutcome lookups = AskServers(index, store, terms, RangesOf(pin->table(), candidates));
  plan.total_time = Clock::now() - start;

  RegionSet regions_with_rows(pin->num_words());
  for (const Row& row : lookups.rows) Add(regions_with_rows, pin->table().Find(row.key));
  pin.reset();
  plan.num_regions_with_rows = Count(regions_with_rows);
  plan.num_servers_asked = static_cast<uint32_t>(lookups.servers_asked.size());
  plan.num_servers_with_rows = static_cast<uint32_t>(lookups.servers_with_rows.size());
  plan.num_lookups = lookups.num_lookups;
  plan.num_retries = lookups.num_retries;
  plan.num_entries_read = lookups.num_entries_read;
  plan.num_rows_read = lookups.num_rows_read;
  outcome.rows = std::move(lookups.rows);
  SortRows(outcome.rows);
  outcome.unanswered = std::move(lookups.unanswered);
  return outcome;
}

}  // namespace trommel::index
