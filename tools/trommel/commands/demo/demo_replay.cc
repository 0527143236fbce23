// The demo's replay. The exact set is the truth; the filter must agree.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "tools/trommel/commands/demo/demo.h"
#include "tools/trommel/input/key_pipeline.h"

namespace trommel::tool {
namespace {

using Clock = std::chrono::steady_clock;
using ExactSet = std::unordered_set<std::string>;

constexpr uint64_t kNumRows = 12;

struct Event {
  uint64_t version;
  int64_t unix_time;
  bool is_insert;
  std::string key;
};

template <class Each>
Status ForEachLine(const std::string& path, Each each) {
  uint64_t line = 1;
  const auto visit = [&](const KeyBatch& batch) -> Status {
    for (const std::string_view record : batch.records()) {
      if (Status done = each(record, line++); !done.ok()) return done;
    }
    return Ok();
  };
  return RunKeyPipeline({path}, {}, {}, nullptr, {{}, visit});
}

template <class T>
bool ParseWhole(std::string_view text, T& value) {
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && stop == text.data() + text.size();
}

Result<std::vector<Event>> ReadEvents(const std::string& path) {
  std::vector<Event> events;
  const Status read = ForEachLine(path, [&](std::string_view record, uint64_t line) -> Status {
    if (line == 1) return Ok();
    const auto version = Column(record, 0);
    const auto unix_time = Column(record, 1);
    const auto op = Column(record, 2);
    const auto key = Column(record, 3);
    Event event = {};
    if (!key || !ParseWhole(*version, event.version) || !ParseWhole(*unix_time, event.unix_time) ||
        (*op != "+" && *op != "-")) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("{}:{}: not version, unix_time, + or -, key: {}", path, line,
                               Quoted(record))};
    }
    event.is_insert = *op == "+";
    event.key = *key;
    events.push_back(std::move(event));
    return Ok();
  });
  if (!read.ok()) return read.error();
  return events;
}

// One replay: the filter, the truth, and the row being filled.
class Replayer {
 public:
  Replayer(CountingFilter filter, ExactSet exact, std::vector<std::string> negatives)
      : filter_(std::move(filter)), exact_(std::move(exact)), negatives_(std::move(negatives)) {
    const std::vector<std::string> base(exact_.begin(), exact_.end());
    filter_.Insert(base);
  }

  // Applies one version's events: runs of equal operations, each a batch.
  Status Apply(std::span<const Event> events, Replay& replay) {
    std::vector<std::string_view> batch;
    std::vector<std::string_view> added;
    for (size_t i = 0; i < events.size(); ++i) {
      const Event& event = events[i];
      const bool is_news =
          event.is_insert ? exact_.insert(event.key).second : exact_.erase(event.key) == 1;
      if (!is_news) {
        return Error{ErrorCode::kInvalidArgument,
                     fmt::format("version {} {} {}, which {} there", event.version,
                                 event.is_insert ? "adds" : "removes", Quoted(event.key),
                                 event.is_insert ? "is already" : "is not")};
      }
      batch.push_back(event.key);
      if (i + 1 < events.size() && events[i + 1].is_insert == event.is_insert) continue;
      const auto start = Clock::now();
      if (event.is_insert) {
        filter_.Insert(batch);
      } else {
        row_.num_refused += filter_.Erase(batch).num_refused;
      }
      replay.seconds += std::chrono::duration<double>(Clock::now() - start).count();
      (event.is_insert ? row_.num_added : row_.num_removed) += batch.size();
      batch.clear();
    }
    for (const Event& event : events) {
      // A key may be added and removed within one version.
      if (event.is_insert && exact_.contains(event.key)) added.push_back(event.key);
    }
    row_.num_missing += added.size() - Ask(filter_, added, 1).num_maybe_present;
    return Ok();
  }

  // Queries all members and all non-members, and finishes the row.
  void EndRow(uint64_t version, int64_t unix_time, Replay& replay) {
    row_.version = version;
    row_.unix_time = unix_time;
    row_.num_keys = exact_.size();
    const std::vector<std::string_view> members(exact_.begin(), exact_.end());
    row_.num_missing += members.size() - Ask(filter_, members, 1).num_maybe_present;
    std::vector<std::string_view> non_members;
    for (const std::string& key : negatives_) {
      if (!exact_.contains(key)) non_members.push_back(key);
    }
    row_.negatives = Ask(filter_, non_members, filter_.MeasureFill().current_fpr);
    replay.num_added += row_.num_added;
    replay.num_removed += row_.num_removed;
    replay.rows.push_back(std::exchange(row_, {}));
  }

  // True if a filter that only ever saw the current members has the same bytes.
  Result<bool> IsSameAsBuilt(const CountingConfig& config) const {
    Result<CountingFilter> built = CountingFilter::Create(config);
    if (!built.ok()) return built.error();
    const std::vector<std::string_view> members(exact_.begin(), exact_.end());
    built->Insert(members);
    return built->Serialize() == filter_.Serialize();
  }

  uint64_t num_bytes() const { return filter_.GetStats().num_bytes; }

 private:
  CountingFilter filter_;
  ExactSet exact_;
  const std::vector<std::string> negatives_;
  ReplayRow row_;
};

// Where the version of events[begin] ends.
size_t VersionEnd(const std::vector<Event>& events, size_t begin) {
  size_t end = begin;
  while (end < events.size() && events[end].version == events[begin].version) ++end;
  return end;
}

}  // namespace

bool Replay::ok() const {
  return is_same_as_built && std::all_of(rows.begin(), rows.end(), [](const ReplayRow& row) {
           return row.num_refused == 0 && row.num_missing == 0 && row.negatives.as_expected();
         });
}

Result<Replay> RunReplay(const ReplayOptions& options) {
  ExactSet exact;
  std::vector<std::string> negatives;
  const auto add_base = [&exact](std::string_view line, uint64_t) {
    exact.emplace(line);
    return Ok();
  };
  const auto add_negative = [&negatives](std::string_view line, uint64_t) {
    negatives.emplace_back(line);
    return Ok();
  };
  if (Status read = ForEachLine(options.base, add_base); !read.ok()) return read.error();
  if (!options.negatives.empty()) {
    if (Status read = ForEachLine(options.negatives, add_negative); !read.ok()) {
      return read.error();
    }
  }
  Result<std::vector<Event>> events = ReadEvents(options.events);
  if (!events.ok()) return events.error();

  Replay replay;
  uint64_t num_keys = exact.size();
  replay.capacity = num_keys;
  for (size_t begin = 0; begin < events->size(); begin = VersionEnd(*events, begin)) {
    ++replay.num_versions;
  }
  for (const Event& event : *events) {
    num_keys += event.is_insert ? uint64_t{1} : ~uint64_t{0};  // wraps only if the files lie
    replay.capacity = std::max(replay.capacity, num_keys);
  }
  CountingConfig config;
  config.capacity = std::min<uint64_t>(replay.capacity, exact.size() + events->size());
  config.target_fpr = kDemoTargetFpr;
  config.encoding = options.encoding;
  Result<CountingFilter> filter = CountingFilter::Create(config);
  if (!filter.ok()) return filter.error();

  Replayer replayer(std::move(filter).value(), std::move(exact), std::move(negatives));
  replayer.EndRow(0, 0, replay);
  uint64_t version_idx = 0;
  for (size_t begin = 0; begin < events->size();) {
    const size_t end = VersionEnd(*events, begin);
    const Event& first = (*events)[begin];
    Status applied = replayer.Apply(std::span(*events).subspan(begin, end - begin), replay);
    if (!applied.ok()) {
      return Error{applied.error().code, options.events + ": " + applied.error().message};
    }
    ++version_idx;
    const bool is_row = version_idx * kNumRows / replay.num_versions !=
                        (version_idx - 1) * kNumRows / replay.num_versions;
    if (is_row) replayer.EndRow(first.version, first.unix_time, replay);
    begin = end;
  }
  replay.num_bytes = replayer.num_bytes();
  const Result<bool> is_same = replayer.IsSameAsBuilt(config);
  if (!is_same.ok()) return is_same.error();
  replay.is_same_as_built = *is_same;
  return replay;
}

}  // namespace trommel::tool
