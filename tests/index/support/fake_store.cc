#include "index/support/fake_store.h"

#include <algorithm>
#include <chrono>

namespace trommel::index::tests {
namespace {

bool MeetsAll(const Row& row, const std::vector<Condition>& conditions) {
  return std::ranges::all_of(conditions, [&](const Condition& condition) {
    const Values& values = row.attributes[condition.attribute];
    return std::ranges::count(values, condition.value) > 0;
  });
}

}  // namespace

FakeStore::~FakeStore() {
  ReleaseSilent();
  for (std::thread& thread : threads_) thread.join();
}

void FakeStore::Lookup(LookupRequest request, Completion completion) {
  if (hook_) hook_(request);
  std::unique_lock<std::mutex> lock(mutex_);
  lookups_.push_back(request);
  LookupAnswer answer;
  switch (Next(request.server)) {
    case Behaviour::kSilent:
      silent_.emplace_back(std::move(request), std::move(completion));
      return;
    case Behaviour::kOnThread:
      threads_.emplace_back([this, request = std::move(request), done = std::move(completion)] {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        std::unique_lock<std::mutex> held(mutex_);
        LookupAnswer late = Answer(request, false);
        held.unlock();
        done(std::move(late));
      });
      return;
    case Behaviour::kFails:
      answer.status = Error{.code = ErrorCode::kIo,
                            .message = "disk " + std::to_string(request.server) + " failed"};
      break;
    case Behaviour::kDisowns:
      answer = Answer(request, true);
      break;
    case Behaviour::kInline:
      answer = Answer(request, false);
      break;
  }
  lock.unlock();
  completion(std::move(answer));
}

void FakeStore::Put(Row row) {
  const std::lock_guard<std::mutex> lock(mutex_);
  rows_[row.key] = std::move(row);
}

void FakeStore::Move(const RegionTable& table) {
  const std::lock_guard<std::mutex> lock(mutex_);
  table_ = table;
}

void FakeStore::AddStray(uint32_t server, Row row) {
  const std::lock_guard<std::mutex> lock(mutex_);
  strays_[server].push_back(std::move(row));
}

void FakeStore::SetNext(uint32_t server, Behaviour behaviour, size_t times) {
  const std::lock_guard<std::mutex> lock(mutex_);
  next_[server].insert(next_[server].end(), times, behaviour);
}

void FakeStore::SetAlways(uint32_t server, Behaviour behaviour) {
  const std::lock_guard<std::mutex> lock(mutex_);
  always_[server] = behaviour;
}

size_t FakeStore::ReleaseSilent() {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto silent = std::exchange(silent_, {});
  for (const auto& [request, completion] : silent) {
    LookupAnswer answer = Answer(request, false);
    lock.unlock();
    completion(std::move(answer));
    lock.lock();
  }
  return silent.size();
}

std::vector<LookupRequest> FakeStore::lookups() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return lookups_;
}

size_t FakeStore::CountLookups(uint32_t server) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<size_t>(std::ranges::count(lookups_, server, &LookupRequest::server));
}

Behaviour FakeStore::Next(uint32_t server) {
  std::vector<Behaviour>& next = next_[server];
  if (next.empty()) return always_.try_emplace(server, Behaviour::kInline).first->second;
  const Behaviour behaviour = next.front();
  next.erase(next.begin());
  return behaviour;
}

LookupAnswer FakeStore::Answer(const LookupRequest& request, bool disowns) const {
  LookupAnswer answer;
  for (const KeyRange& range : request.ranges) {
    if (disowns) answer.not_mine.push_back(range);
    for (const Region& region : table_.regions()) {
      const KeyRange part = Intersection(range, region.range);
      if (part.empty()) continue;
      if (region.server != request.server) {
        if (!disowns) answer.not_mine.push_back(part);
        continue;
      }
      for (const auto& [key, row] : rows_) {
        if (!part.Contains(key)) continue;
        ++answer.num_rows_read;
        if (!MeetsAll(row, request.conditions)) continue;
        ++answer.num_entries_read;
        answer.rows.push_back(row);
      }
    }
  }
  const auto strays = strays_.find(request.server);
  if (strays != strays_.end()) {
    answer.rows.insert(answer.rows.end(), strays->second.begin(), strays->second.end());
  }
  return answer;
}

}  // namespace trommel::index::tests
