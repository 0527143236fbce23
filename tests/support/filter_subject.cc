// FilterSubject: filters as subjects, with batches whole, split at random or key by key.
#include <algorithm>
#include <memory>
#include <utility>

#include "engine/src/counting/forced_route.h"
#include "support/catch.h"
#include "support/subject.h"
#include "trommel/concurrent_filter.h"
#include "trommel/executor.h"

namespace trommel::tests {
namespace {

std::shared_ptr<Executor> ThreeThreads() {
  static const std::shared_ptr<Executor> executor = Executor::Create(3).value();
  return executor;
}

}  // namespace

template <class Use>
auto FilterSubject::With(size_t which, const Use& use) {
  if (split_ != Split::kLocked && split_ != Split::kLockedPoints) return use(filters_[which]);
  ConcurrentFilter shared(std::move(filters_[which]));
  auto result = use(shared);
  filters_[which] = std::move(shared).TakeExclusive();
  return result;
}

FilterSubject::FilterSubject(const Program& program, Split split, uint64_t seed)
    : split_(split), random_(seed) {
  for (int i = 0; i < 2; ++i) {
    auto filter = CountingFilter::CreateWithGeometry(program.geometry(), DigestPolicy());
    REQUIRE(filter.ok());
    const bool is_split = split == Split::kShards || split == Split::kThreads;
    if (is_split) ForcedRoute::Use(*filter, Route::kSplit);
    if (split == Split::kThreads) filter->UseExecutor(ThreeThreads());
    filters_.push_back(*std::move(filter));
  }
}
void FilterSubject::ForEachTask(Digests digests, const std::function<void(Digests)>& use) {
  while (!digests.empty()) {
    const size_t size = split_ == Split::kRandom ? 1 + random_() % digests.size() : digests.size();
    use(digests.first(size));
    digests = digests.subspan(size);
  }
}
template <class One, class Many>
Answers FilterSubject::Answer(size_t which, Digests digests, const One& one, const Many& many) {
  Answers answers;
  if (IsByPoints()) {
    return With(which, [&](auto& filter) {
      for (const uint64_t digest : digests) answers.push_back(one(filter, Key::Digest(digest)));
      return answers;
    });
  }
  ForEachTask(digests, [&](Digests task) {
    std::vector<uint64_t> bitmap(BitmapWords(task.size()), ~uint64_t{0});
    const size_t num_set =
        With(which, [&](auto& filter) { return many(filter, Keys::Digests(task), bitmap); });
    const auto before = static_cast<std::ptrdiff_t>(answers.size());
    Append(answers, bitmap, task.size());
    REQUIRE(num_set == static_cast<size_t>(std::count(answers.begin() + before, answers.end(), 1)));
  });
  return answers;
}
void FilterSubject::Insert(size_t which, Digests digests) {
  With(which, [&](auto& filter) {
    if (IsByPoints()) {
      for (const uint64_t digest : digests) filter.Insert(Key::Digest(digest));
    } else {
      ForEachTask(digests, [&](Digests task) { filter.Insert(Keys::Digests(task)); });
    }
    return 0;
  });
}
Answers FilterSubject::InsertIfAbsent(size_t which, Digests digests) {
  return Answer(
      which, digests, [](auto& filter, Key key) { return filter.InsertIfAbsent(key); },
      [](auto& filter, Keys keys, auto& bitmap) { return filter.InsertIfAbsent(keys, bitmap); });
}
Answers FilterSubject::Erase(size_t which, Digests digests) {
  return Answer(
      which, digests, [](auto& filter, Key key) { return filter.Erase(key); },
      [](auto& filter, Keys keys, auto& bitmap) {
        const EraseOutcome outcome = filter.Erase(keys, bitmap);
        REQUIRE(outcome.num_erased + outcome.num_refused == keys.size());
        return outcome.num_erased;
      });
}
void FilterSubject::Merge(size_t which) {
  REQUIRE(filters_[which].Merge(filters_[1 - which]).ok());
}
bool FilterSubject::Subtract(size_t which) {
  return filters_[which].Subtract(filters_[1 - which]).ok();
}
void FilterSubject::Fold() {
  const bool can = filters_[0].geometry().num_blocks % 2 == 0;
  for (CountingFilter& filter : filters_) REQUIRE(filter.Fold().ok() == can);
}
void FilterSubject::Clear(size_t which) { filters_[which].Clear(); }
Answers FilterSubject::Query(size_t which, Digests digests) {
  Answers answers;
  if (IsByPoints()) {
    for (const uint64_t digest : digests) {
      answers.push_back(filters_[which].MayContain(Key::Digest(digest)));
    }
    return answers;
  }
  std::vector<uint64_t> bitmap(BitmapWords(digests.size()), ~uint64_t{0});
  filters_[which].Query(Keys::Digests(digests), bitmap);
  Append(answers, bitmap, digests.size());
  return answers;
}
std::vector<uint64_t> FilterSubject::Counts(size_t which, Digests digests) {
  std::vector<uint64_t> counts(digests.size());
  With(which, [&](auto& filter) {
    filter.CountEstimates(Keys::Digests(digests), counts);
    return 0;
  });
  return counts;
}

}  // namespace trommel::tests
