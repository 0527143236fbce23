#include "bench/sweep/sweep_hashing.h"

#include <algorithm>
#include <span>

#include "bench/sides/workload.h"
#include "trommel/digest.h"

namespace trommel::bench {

SweepHashing::SweepHashing(size_t num_keys) : digests_(num_keys) {
  std::vector<size_t> ends;
  for (size_t i = 0; i < num_keys; ++i) {
    const uint64_t key = KeyAt(i);
    ints_.push_back(key);
    want_ints_.push_back(DigestPolicy{}(Key(key)));
    characters_ += "user:" + std::to_string(key >> (i % 32));
    ends.push_back(characters_.size());
  }
  size_t begin = 0;
  for (const size_t end : ends) {
    strings_.push_back(std::string_view(characters_).substr(begin, end - begin));
    want_strings_.push_back(DigestPolicy{}(Key(strings_.back())));
    begin = end;
  }
}

StepTime SweepHashing::StepInts(Executor* executor, size_t batch) {
  return Step(ints_, want_ints_, executor, batch);
}

StepTime SweepHashing::StepStrings(Executor* executor, size_t batch) {
  return Step(strings_, want_strings_, executor, batch);
}

template <class T>
StepTime SweepHashing::Step(const std::vector<T>& keys, const std::vector<uint64_t>& want,
                            Executor* executor, size_t batch) {
  std::ranges::fill(digests_, 0);
  const std::span<const T> all(keys);
  const auto hash = [&](size_t first, size_t count) {
    DigestPolicy{}.Digests(all.subspan(first, count), std::span(digests_).subspan(first, count));
  };
  const uint32_t num_threads = executor == nullptr ? 1 : executor->num_threads();
  const StepClock clock(num_threads);
  if (executor == nullptr) {
    for (size_t i = 0; i < keys.size(); i += batch) hash(i, std::min(batch, keys.size() - i));
  } else {
    // More tasks than threads, so that one slow thread does not delay the rest.
    const size_t num_tasks = size_t{4} * num_threads;
    executor->ForEach(num_tasks, [&](size_t task) {
      const size_t first = keys.size() * task / num_tasks;
      hash(first, keys.size() * (task + 1) / num_tasks - first);
    });
  }
  const StepTime time = clock.Stop(keys.size());
  if (digests_ != want) throw WrongAnswer{"the digests of a batch differ from those of its keys"};
  return time;
}

}  // namespace trommel::bench
