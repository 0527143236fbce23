// Queries and reads of rows, compared with the model.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "index/soak/soak.h"

namespace trommel::index::soak {
namespace {

using std::chrono::milliseconds;

// On a busy machine, servers that run may not answer within a timeout below this.
constexpr milliseconds kLongEnough{10'000};

std::string Text(const std::vector<Content>& contents) {
  std::string text;
  for (const Content content : contents) {
    text += (text.empty() ? "" : " ") + std::to_string(content);
    if (text.size() > 100) return text + " ...";
  }
  return text;
}

class Asker {
 public:
  Asker(Soak& soak, uint32_t thread)
      : soak_(soak), thread_(thread), random_(soak.plan.seed + 500 + thread) {}

  void Step() {
    random_.Pause(std::chrono::microseconds(500));
    const RowName name{random_.Below(kNumWriters), random_.Below(soak_.plan.writes.num_slots)};
    if (random_.OneIn(6)) return Read(name);
    const History::Time now = soak_.history.Now();
    soak_.history.ContentsBetween(name, now, now, &contents_);
    const Content content = contents_.front();
    std::vector<Wanted> wanted;
    const uint32_t num_conditions = random_.OneIn(4) ? 2 + random_.Below(2) : 1;
    for (uint32_t i = 0; i < num_conditions; ++i) {
      // Queries of the last attribute are mostly broadcast.
      const uint32_t attribute = random_.Below(random_.OneIn(8) ? 5 : 4);
      const std::vector<Wanted> values = ValuesOf(name, content, attribute);
      if (!values.empty()) wanted.push_back(values[random_.Below(values.size())]);
    }
    if (wanted.empty()) wanted.push_back({1, random_.Below(300)});  // of a row that was deleted
    Find(wanted);
  }

 private:
  milliseconds ChooseTimeout() {
    if (random_.OneIn(12)) return milliseconds(random_.Below(6));
    // Long enough to outlast a stop, or not.
    return soak_.outages.AnySince(soak_.outages.Now()) && random_.OneIn(2)
               ? milliseconds(30 + random_.Below(300))
               : milliseconds(60'000);  // more than board.cc allows
  }

  void Read(RowName name) {
    const std::string key = KeyOf(name);
    const Outages::Mark mark = soak_.outages.Now();
    const History::Time begin = soak_.history.Now();
    Result<std::optional<Row>> row = Error{};
    {
      const Call call(soak_.board, thread_, "Get");
      row = soak_.cluster.Get(key);
    }
    const History::Time end = soak_.history.Now();
    ++soak_.board.num_gets;
    if (!row) {
      if (!soak_.IsOutage(row.error(), mark)) {
        soak_.board.Fail(FailureText("Get of " + key, row.error()));
      }
      return;
    }
    soak_.history.ContentsBetween(name, begin, end, &contents_);
    CheckRow(name, row->has_value() ? &**row : nullptr, "Get of " + key);
  }

  // Requires that contents_ has what the row may have been.
  void CheckRow(RowName name, const Row* row, const std::string& what) {
    const Content content = row == nullptr ? 0 : ContentOf(*row);
    if (std::find(contents_.begin(), contents_.end(), content) == contents_.end()) {
      soak_.board.Fail(what + ": " + KeyOf(name) + " has content " + std::to_string(content) +
                       ", and had: " + Text(contents_));
    } else if (row != nullptr && row->attributes != AttributesOf(name, content)) {
      soak_.board.Fail(what + ": " + KeyOf(name) + " has values that were never put");
    }
  }

  void Find(const std::vector<Wanted>& wanted) {
    QueryRequest request;
    request.timeout = ChooseTimeout();
    std::string what = "query of";
    for (const Wanted& one : wanted) {
      request.conditions.push_back(ConditionOf(one));
      what += " " + std::to_string(one.attribute) + "=" + std::to_string(one.number);
    }
    if (random_.OneIn(20)) {
      request.routing = Routing::kBroadcast;
      what += " (broadcast)";
    }
    const Outages::Mark mark = soak_.outages.Now();
    const History::Time begin = soak_.history.Now();
    Result<QueryOutcome> outcome = Error{};
    {
      const Call call(soak_.board, thread_, "Find");
      outcome = soak_.cluster.Find(request);
    }
    const History::Time end = soak_.history.Now();
    if (!outcome) return soak_.board.Fail(FailureText(what, outcome.error()));
    ++soak_.board.num_queries;
    soak_.board.num_rows_found += outcome->rows.size();
    soak_.board.num_incomplete += !outcome->unanswered.empty();
    soak_.board.num_unanswered += outcome->unanswered.size();
    what += ", version " + std::to_string(outcome->plan.version) + ", times " +
            std::to_string(begin) + " to " + std::to_string(end);
    if (request.timeout >= kLongEnough) CheckUnanswered(outcome->unanswered, mark, what);
    CheckRows(*outcome, wanted, begin, end, what);
  }

  void CheckUnanswered(const std::vector<Unanswered>& unanswered, const Outages::Mark& mark,
                       const std::string& what) {
    for (const Unanswered& part : unanswered) {
      if (soak_.outages.AnySince(mark, part.server)) continue;
      soak_.board.Fail(what + ": server " + std::to_string(part.server) +
                       " ran and did not answer for [" + part.range.begin + ", " + part.range.end +
                       "): " + part.reason.message);
    }
  }

  void CheckRows(const QueryOutcome& outcome, const std::vector<Wanted>& wanted,
                 History::Time begin, History::Time end, const std::string& what) {
    std::map<std::string, const Row*> found;
    for (const Row& row : outcome.rows) {
      if (!found.emplace(row.key, &row).second) soak_.board.Fail(what + ": twice " + row.key);
      if (!NameOf(row.key)) soak_.board.Fail(what + ": a row that was never put: " + row.key);
    }
    const auto is_wanted = [&](RowName name, Content content) {
      return std::all_of(wanted.begin(), wanted.end(),
                         [&](const Wanted& one) { return HasValue(name, content, one); });
    };
    for (uint32_t writer = 0; writer < kNumWriters; ++writer) {
      for (uint32_t slot = 0; slot < kRowsPerWriter; ++slot) {
        const RowName name{writer, slot};
        soak_.history.ContentsBetween(name, begin, end, &contents_);
        if (contents_.size() == 1 && contents_[0] == 0 && found.empty()) continue;
        const bool must_be = std::all_of(contents_.begin(), contents_.end(),
                                         [&](Content content) { return is_wanted(name, content); });
        if (!must_be && found.empty()) continue;
        const std::string key = KeyOf(name);
        const auto at = found.find(key);
        if (at == found.end()) {
          if (must_be && !IsUnanswered(outcome.unanswered, key)) {
            soak_.board.Fail(what + ": " + key + " was not found, and had contents " +
                             Text(contents_));
          }
          continue;
        }
        CheckRow(name, at->second, what);
        if (!is_wanted(name, ContentOf(*at->second))) {
          soak_.board.Fail(what + ": " + key + " was returned and does not meet the conditions");
        }
      }
    }
  }

  static bool IsUnanswered(const std::vector<Unanswered>& unanswered, const std::string& key) {
    return std::any_of(unanswered.begin(), unanswered.end(),
                       [&](const Unanswered& part) { return part.range.Contains(key); });
  }

  Soak& soak_;
  const uint32_t thread_;
  Random random_;
  std::vector<Content> contents_;
};

}  // namespace

void Ask(Soak& soak, uint32_t thread) {
  Asker asker(soak, thread);
  while (soak.MayGoOn()) asker.Step();
}

}  // namespace trommel::index::soak
