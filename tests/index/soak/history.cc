#include "index/soak/history.h"

#include <algorithm>
#include <cstddef>

namespace trommel::index::soak {
namespace {

// Of several changes of one row in a write, the last one counts: a region's changes are atomic.
bool IsLastOfRow(const std::vector<Change>& changes, size_t i) {
  return std::none_of(changes.begin() + static_cast<ptrdiff_t>(i) + 1, changes.end(),
                      [&](const Change& later) { return later.slot == changes[i].slot; });
}

}  // namespace

void History::Begin(uint32_t writer, const std::vector<Change>& changes) {
  const Time now = Now();
  for (size_t i = 0; i < changes.size(); ++i) {
    if (!IsLastOfRow(changes, i)) continue;
    Log& log = LogOf({writer, changes[i].slot});
    const std::lock_guard<std::mutex> lock(log.mutex);
    log.events.push_back({now, kNever, changes[i].content, false});
  }
}

void History::End(uint32_t writer, const std::vector<Change>& changes, bool is_done) {
  const Time now = Now();
  for (size_t i = 0; i < changes.size(); ++i) {
    if (!IsLastOfRow(changes, i)) continue;
    Log& log = LogOf({writer, changes[i].slot});
    const std::lock_guard<std::mutex> lock(log.mutex);
    log.events.back().end = now;
    log.events.back().is_done = is_done;
  }
}

void History::ContentsBetween(RowName name, Time begin, Time end,
                              std::vector<Content>* contents) const {
  contents->clear();
  const auto add = [&](Content content) {
    if (std::find(contents->begin(), contents->end(), content) == contents->end()) {
      contents->push_back(content);
    }
  };
  const Log& log = LogOf(name);
  const std::lock_guard<std::mutex> lock(log.mutex);
  const auto first = std::partition_point(log.events.begin(), log.events.end(),
                                          [&](const Event& event) { return event.end < begin; });
  // What it had at `begin`: the last write that was done before, and those after it that failed.
  auto before = first;
  while (true) {
    if (before == log.events.begin()) {
      add(log.first);
      break;
    }
    --before;
    add(before->content);
    if (before->is_done) break;
  }
  for (auto event = first; event != log.events.end() && event->begin <= end; ++event) {
    add(event->content);
  }
}

bool History::Resolve(RowName name, Content content) {
  std::vector<Content> possible;
  const Time now = Now();
  ContentsBetween(name, now, now, &possible);
  Log& log = LogOf(name);
  const std::lock_guard<std::mutex> lock(log.mutex);
  log.events.clear();
  log.first = content;
  return std::find(possible.begin(), possible.end(), content) != possible.end();
}

Content History::At(RowName name) const {
  const Log& log = LogOf(name);
  const std::lock_guard<std::mutex> lock(log.mutex);
  return log.first;
}

}  // namespace trommel::index::soak
