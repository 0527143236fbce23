// Each range of the query is at any time in exactly one place: in a lookup under way, in a part
// that waits for its next attempt, or answered.
//
//   routes --> Send --> lookup under way --+--> answered: rows
//                 ^                        +--> not mine, or failed: part --- pause ---+
//                 |                                                                    |
//                 +----------------- routed by the latest table ----------------------+
#include "engine/index/src/query/lookups.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "engine/index/src/query/inbox.h"

namespace trommel::index {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kFirstPause{1};
constexpr std::chrono::milliseconds kLongestPause{100};

bool Meets(const Row& row, std::span<const Condition> conditions) {
  return std::ranges::all_of(conditions, [&](const Condition& condition) {
    if (condition.attribute >= row.attributes.size()) return false;
    const Values& values = row.attributes[condition.attribute];
    return std::ranges::find(values, condition.value) != values.end();
  });
}

class Lookups {
 public:
  Lookups(const ServerIndex& index, RegionStore& store, const LookupTerms& terms)
      : index_(index), store_(store), terms_(terms), inbox_(std::make_shared<Inbox>()) {}
  Lookups(const Lookups&) = delete;
  Lookups& operator=(const Lookups&) = delete;
  ~Lookups() { inbox_->Close(); }

  LookupsOutcome Run(const RangesOfServers& routes) {
    Send(routes, kFirstPause);
    while (!under_way_.empty() || !parts_.empty()) {
      const Clock::time_point next = NextAttempt();
      if (under_way_.empty() && next >= terms_.deadline) break;
      auto answered = inbox_->Take(std::min(next, terms_.deadline));
      for (auto& [lookup, answer] : answered) Receive(lookup, std::move(answer));
      if (Clock::now() < terms_.deadline) {
        SendAgain();
      } else if (answered.empty()) {
        break;  // the deadline has come, and what arrived before it has been received
      }
    }
    ReportUnanswered();
    return std::move(outcome_);
  }

 private:
  struct Lookup {
    uint32_t server;
    KeyRanges ranges;
    Clock::duration pause;  // before the next attempt, if this one fails
  };
  struct Part {
    Unanswered what;
    Clock::duration pause;
    Clock::time_point due;
  };

  void Send(const RangesOfServers& routes, Clock::duration pause) {
    for (const auto& [server, ranges] : routes) {
      const size_t lookup = inbox_->Expect();
      under_way_.emplace(lookup, Lookup{server, ranges, pause});
      outcome_.servers_asked.insert(server);
      ++outcome_.num_lookups;
      store_.Lookup({.server = server,
                     .ranges = ranges,
                     .conditions = terms_.conditions,
                     .indexed_conditions = terms_.indexed_conditions,
                     .deadline = terms_.deadline},
                    [inbox = inbox_, lookup](LookupAnswer answer) noexcept {
                      inbox->Deliver(lookup, std::move(answer));
                    });
    }
  }

  Clock::time_point NextAttempt() const {
    Clock::time_point next = Clock::time_point::max();
    for (const Part& part : parts_) next = std::min(next, part.due);
    return next;
  }

  // Sends all parts that are due, one lookup per server.
  void SendAgain() {
    const auto due =
        std::partition(parts_.begin(), parts_.end(),
                       [now = Clock::now()](const Part& part) { return part.due > now; });
    if (due == parts_.end()) return;
    std::vector<KeyRange> ranges;
    Clock::duration pause = kFirstPause;
    for (auto part = due; part != parts_.end(); ++part) {
      ranges.push_back(std::move(part->what.range));
      pause = std::max(pause, part->pause);
    }
    parts_.erase(due, parts_.end());
    const RangesOfServers routes =
        Route(Normalized(std::move(ranges)), index_.PinVersion().table());
    outcome_.num_retries += static_cast<uint32_t>(routes.size());
    Send(routes, pause);
  }

  void Receive(size_t number, LookupAnswer answer) {
    auto node = under_way_.extract(number);
    const Lookup& lookup = node.mapped();
    if (!answer.status) {
      for (const KeyRange& range : lookup.ranges) AddPart(lookup, range, answer.status.error());
      return;
    }
    const KeyRanges not_mine = InBoth(lookup.ranges, Normalized(std::move(answer.not_mine)));
    for (const KeyRange& range : not_mine) {
      AddPart(lookup, range,
              {.code = ErrorCode::kMismatch,
               .message = "server " + std::to_string(lookup.server) +
                          " does not hold the range, which the region table says it does"});
    }
    outcome_.num_entries_read += answer.num_entries_read;
    outcome_.num_rows_read += answer.num_rows_read;
    for (Row& row : answer.rows) {
      const bool is_answered = Contains(lookup.ranges, row.key) && !Contains(not_mine, row.key);
      if (!is_answered || !Meets(row, terms_.conditions)) continue;
      outcome_.servers_with_rows.insert(lookup.server);
      outcome_.rows.push_back(std::move(row));
    }
  }

  void AddPart(const Lookup& lookup, const KeyRange& range, Error reason) {
    parts_.push_back(
        {.what = {.range = range, .server = lookup.server, .reason = std::move(reason)},
         .pause = std::min<Clock::duration>(2 * lookup.pause, kLongestPause),
         .due = Clock::now() + lookup.pause});
  }

  void ReportUnanswered() {
    for (Part& part : parts_) outcome_.unanswered.push_back(std::move(part.what));
    for (const auto& [number, lookup] : under_way_) {
      for (const KeyRange& range : lookup.ranges) {
        outcome_.unanswered.push_back(
            {.range = range,
             .server = lookup.server,
             .reason = {.code = ErrorCode::kIo,
                        .message = "server " + std::to_string(lookup.server) +
                                   " did not answer within the timeout of " +
                                   std::to_string(terms_.timeout.count()) + " ms"}});
      }
    }
    std::ranges::sort(outcome_.unanswered, {}, [](const Unanswered& what) -> const std::string& {
      return what.range.begin;
    });
  }

  const ServerIndex& index_;
  RegionStore& store_;
  const LookupTerms& terms_;
  std::shared_ptr<Inbox> inbox_;
  std::unordered_map<size_t, Lookup> under_way_;  // by number
  std::vector<Part> parts_;
  LookupsOutcome outcome_;
};

}  // namespace

LookupsOutcome AskServers(const ServerIndex& index, RegionStore& store, const LookupTerms& terms,
                          const RangesOfServers& routes) {
  return Lookups(index, store, terms).Run(routes);
}

}  // namespace trommel::index
