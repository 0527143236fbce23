#include "engine/index/src/rocks/region_server.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "engine/index/src/rocks/held_ranges.h"
#include "engine/index/src/rocks/holdings.h"
#include "engine/index/src/rocks/local_lookup.h"
#include "engine/index/src/rocks/stoppable_database.h"
#include "engine/index/src/rows/out_of_memory.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/region_store.h"
#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

LookupAnswer Failed(Error error) {
  LookupAnswer answer;
  answer.status = std::move(error);
  return answer;
}

// Both ascend.
void KeepRowsOf(std::span<const KeyRange> ranges, std::vector<Row>& rows) {
  auto range = ranges.begin();
  std::erase_if(rows, [&](const Row& row) {
    while (range != ranges.end() && !range->end.empty() && range->end <= row.key) ++range;
    return range == ranges.end() || row.key < range->begin;
  });
}

}  // namespace

RegionServer::~RegionServer() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

Status RegionServer::Start(uint32_t num_threads) {
  try {
    for (uint32_t i = 0; i < num_threads; ++i) threads_.emplace_back([this] { AnswerLookups(); });
  } catch (const std::system_error& error) {
    return Error{ErrorCode::kIo, store_.folder().string() + ": cannot start thread " +
                                     std::to_string(threads_.size() + 1) + " of " +
                                     std::to_string(num_threads) + ": " + error.what()};
  }
  return Ok();
}

void RegionServer::SetOutage(Outage outage) {
  {
    const std::lock_guard lock(mutex_);
    outage_ = outage;
  }
  changed_.notify_all();
}

void RegionServer::Lookup(LookupRequest request, RegionStore::Completion completion) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({std::move(request), std::move(completion)});
  }
  changed_.notify_one();
}

void RegionServer::AnswerLookups() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return is_stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    LookupAnswer answer = Answer(next.request);
    num_lookups_.fetch_add(1, std::memory_order_relaxed);  // before the query can see its answer
    next.completion(std::move(answer));
    lock.lock();
  }
}

Status RegionServer::WaitThroughOutage(const LookupRequest& request) {
  const auto failure = [this](std::string_view reason) {
    return Error{ErrorCode::kIo, store_.folder().string() + ": " + std::string(reason)};
  };
  std::unique_lock lock(mutex_);
  if (outage_ == Outage::kSilent) {
    changed_.wait_until(lock, request.deadline,
                        [this] { return is_stopping_ || outage_ != Outage::kSilent; });
  }
  if (is_stopping_) return failure("the server is closing");
  if (outage_ == Outage::kFails) return failure("the server is stopped");
  if (std::chrono::steady_clock::now() >= request.deadline) {
    return failure("the lookup's deadline passed before its turn came");
  }
  return Ok();
}

LookupAnswer RegionServer::Answer(const LookupRequest& request) try {
  if (const Status status = Verify(request); !status) return Failed(status.error());
  if (const Status status = WaitThroughOutage(request); !status) return Failed(status.error());
  // First, so that a server that is stopped says so, whatever else it is.
  const Result<DatabaseShare> share = store_.database().Use();
  if (!share) return Failed(share.error());
  const Holdings::Reading reading(holdings_, request.ranges);
  const Result<RangeParts> before = reading.Parts();
  if (!before) return Failed(before.error());
  LookupAnswer answer;
  LocalLookup lookup(store_, *share, request, answer);
  for (const KeyRange& range : before->held) {
    if (const Status status = lookup.FindIn(range); !status) return Failed(status.error());
  }
  Result<RangeParts> after = reading.Parts();
  if (!after) return Failed(after.error());
  if (after->held != before->held) KeepRowsOf(after->held, answer.rows);
  answer.not_mine = std::move(after->not_held);
  return answer;
} catch (const std::bad_alloc&) {
  return Failed(OutOfMemory());
}

Result<std::optional<Versions>> RegionServer::Read(std::string_view key) {
  const Result<DatabaseShare> share = store_.database().Use();
  if (!share) return share.error();
  const std::string row_key(key);
  const KeyRange only{.begin = row_key, .end = row_key + '\0'};
  const Holdings::Reading reading(holdings_, {&only, 1});
  Result<std::vector<Versions>> rows = store_.ReadRows(*share, {&row_key, 1});
  const Result<RangeParts> parts = reading.Parts();
  if (!parts) return parts.error();
  if (parts->held.empty()) return std::optional<Versions>();
  if (!rows) return rows.error();
  return std::optional(std::move(rows->front()));
}

Status RegionServer::Verify(const LookupRequest& request) const {
  const auto failure = [](const std::string& reason) {
    return Error{ErrorCode::kInvalidArgument, "lookup: " + reason};
  };
  if (request.conditions.empty()) return failure("has no condition");
  for (const Condition& condition : request.conditions) {
    if (condition.attribute >= num_attributes_) {
      return failure("attribute must be below " + std::to_string(num_attributes_) + "; got " +
                     std::to_string(condition.attribute));
    }
  }
  for (const uint32_t i : request.indexed_conditions) {
    if (i >= request.conditions.size()) {
      return failure("indexed condition must be below " +
                     std::to_string(request.conditions.size()) + "; got " + std::to_string(i));
    }
  }
  for (size_t i = 1; i < request.ranges.size(); ++i) {
    const std::string& end = request.ranges[i - 1].end;
    if (end.empty() || end > request.ranges[i].begin) {
      return failure("ranges must ascend; range " + std::to_string(i) + " begins too early");
    }
  }
  return Ok();
}

}  // namespace trommel::index
