#include "engine/src/sync/work_list.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace trommel {
namespace {

thread_local Place place_of_thread;

}  // namespace

const Place& Place::OfThread() noexcept { return place_of_thread; }

AtPlace::AtPlace(const Place& place) noexcept : outer_(std::exchange(place_of_thread, place)) {}
AtPlace::~AtPlace() { place_of_thread = outer_; }

Job::Job(size_t num_tasks, size_t num_parts, const Task& task, bool is_in_pipeline)
    : parts_(num_parts), task_(task), is_in_pipeline_(is_in_pipeline) {
  for (size_t p = 0; p < num_parts; ++p) {
    parts_[p].begin = num_tasks * p / num_parts;
    parts_[p].end = num_tasks * (p + 1) / num_parts;
    parts_[p].next.store(parts_[p].begin, std::memory_order_relaxed);
  }
}

bool Job::has_unclaimed() const noexcept {
  return std::ranges::any_of(parts_, [](const Part& part) {
    return part.next.load(std::memory_order_relaxed) < part.end;
  });
}

void Job::Work(size_t first) noexcept {
  for (size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[(first + i) % parts_.size()];
    // Relaxed: what tasks write reaches the caller when the helper leaves the job.
    while (part.next.load(std::memory_order_relaxed) < part.end) {
      const size_t claimed = part.next.fetch_add(1, std::memory_order_relaxed);
      if (claimed < part.end) task_(claimed);
    }
  }
}

WorkList::WorkList(std::vector<size_t> max_helpers)
    : max_helpers_(std::move(max_helpers)), num_helpers_(max_helpers_.size()) {}

void WorkList::Post(Job& job, const std::function<bool(size_t)>& start) {
  std::vector<size_t> num_wanted(max_helpers_.size());
  const Place& place = Place::OfThread();
  const size_t home = place.list == this ? place.arena : 0;
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(&job);
    for (size_t a = 0; a < num_wanted.size(); ++a) {
      const size_t size = job.SizeOfPart(a);
      const size_t for_helpers = a == home && size > 0 ? size - 1 : size;  // one is the caller's
      num_wanted[a] = std::min(for_helpers, max_helpers_[a] - num_helpers_[a]);
      num_helpers_[a] += num_wanted[a];
    }
  }
  for (size_t a = 0; a < num_wanted.size(); ++a) {
    for (size_t i = 0; i < num_wanted[a]; ++i) {
      if (start(a)) continue;
      const std::lock_guard lock(mutex_);
      num_helpers_[a] -= 1;
    }
  }
}

void WorkList::Withdraw(Job& job) noexcept {
  // Helpers mostly end within a task's time of each other, and sleeping and waking up costs as much
  // as a short task.
  constexpr int kMaxYields = 100;  // about 30 us on an idle processor
  const auto is_alone = [&] { return job.num_helpers_.load(std::memory_order_acquire) == 0; };
  std::unique_lock lock(mutex_);
  std::erase(jobs_, &job);
  if (is_alone()) return;
  lock.unlock();
  for (int i = 0; i < kMaxYields; ++i) {
    if (is_alone()) return;
    std::this_thread::yield();
  }
  lock.lock();
  has_left_.wait(lock, is_alone);
}

void WorkList::Help(size_t arena) noexcept {
  const Place& place = Place::OfThread();
  const bool is_in_pipeline = place.list == this && place.is_in_pipeline;
  std::unique_lock lock(mutex_);
  while (Job* job = FindJob(is_in_pipeline)) {
    job->num_helpers_.fetch_add(1, std::memory_order_relaxed);
    lock.unlock();
    {
      const AtPlace at({this, arena, job->is_in_pipeline_});
      job->Work(arena);
    }
    lock.lock();
    // From here on the job may be destroyed.
    if (job->num_helpers_.fetch_sub(1, std::memory_order_release) == 1) has_left_.notify_all();
  }
  --num_helpers_[arena];
}

Job* WorkList::FindJob(bool is_in_pipeline) const noexcept {
  const auto is_wanted = [&](const Job* job) {
    return (job->is_in_pipeline_ || !is_in_pipeline) && job->has_unclaimed();
  };
  const auto found = std::find_if(jobs_.rbegin(), jobs_.rend(), is_wanted);
  return found == jobs_.rend() ? nullptr : *found;
}

}  // namespace trommel
