// Window filters as subjects, and programs on subjects.
#include "support/window_subject.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "support/catch.h"
#include "support/exact_model.h"

namespace trommel::tests {
namespace {

Answers AnswersOf(std::span<const uint64_t> bitmap, size_t num_keys) {
  Answers answers;
  Append(answers, bitmap, num_keys);
  return answers;
}

std::vector<uint64_t> BitmapFor(size_t num_keys) {
  return std::vector<uint64_t>(BitmapWords(num_keys), ~uint64_t{0});
}

std::string BitsOf(const Answers& answers) {
  std::string text;
  for (const uint8_t answer : answers) text += answer != 0 ? '1' : '0';
  return text;
}

}  // namespace

WindowFilterSubject::WindowFilterSubject(const WindowProgram& program, WindowWay way) : way_(way) {
  if (way == WindowWay::kThreads) executor_ = Executor::Create(3).value();
  WindowConfig config = program.config;
  config.executor = executor_;
  for (int i = 0; i < 2; ++i) {
    Result<WindowFilter> filter = WindowFilter::Create(config);
    REQUIRE(filter.ok());
    filters_.push_back(*std::move(filter));
    REQUIRE(filters_.back().Advance(program.start));
  }
}

uint64_t WindowFilterSubject::Insert(size_t which, Digests digests) {
  if (way_ != WindowWay::kPoints) return filters_[which].Insert(Keys::Digests(digests));
  uint64_t time = 0;
  for (const uint64_t digest : digests) time = filters_[which].Insert(Key::Digest(digest));
  return time;
}

Answers WindowFilterSubject::InsertIfAbsent(size_t which, Digests digests) {
  WindowFilter& filter = filters_[which];
  uint64_t time = 0;
  Answers answers;
  if (way_ == WindowWay::kPoints) {
    for (const uint64_t digest : digests) {
      answers.push_back(filter.InsertIfAbsent(Key::Digest(digest), &time) ? 1 : 0);
    }
  } else {
    std::vector<uint64_t> inserted = BitmapFor(digests.size());
    std::vector<uint64_t> times(WindowFilter::NumChunks(digests.size()));
    const size_t count = filter.InsertIfAbsent(Keys::Digests(digests), inserted, times);
    REQUIRE(std::ranges::count(times, times.front()) == static_cast<std::ptrdiff_t>(times.size()));
    time = times.front();
    answers = AnswersOf(inserted, digests.size());
    REQUIRE(count == static_cast<size_t>(std::ranges::count(answers, 1)));
  }
  REQUIRE(time == filter.now());
  return answers;
}

WindowInsertOutcome WindowFilterSubject::InsertAt(size_t which, Digests digests, uint64_t time) {
  if (way_ != WindowWay::kPoints) return filters_[which].Insert(Keys::Digests(digests), time);
  WindowInsertOutcome outcome;
  for (const uint64_t digest : digests) {
    const bool is_in = filters_[which].Insert(Key::Digest(digest), time);
    outcome.num_inserted += is_in ? 1 : 0;
    outcome.num_refused += is_in ? 0 : 1;
  }
  return outcome;
}

EraseOutcome WindowFilterSubject::Erase(size_t which, Digests digests, uint64_t inserted_at,
                                        Answers& erased) {
  WindowFilter& filter = filters_[which];
  if (way_ != WindowWay::kPoints) {
    std::vector<uint64_t> bitmap = BitmapFor(digests.size());
    const auto outcome = filter.Erase(Keys::Digests(digests), inserted_at, bitmap);
    erased = AnswersOf(bitmap, digests.size());
    return outcome;
  }
  const WindowStats before = filter.GetStats();
  erased.clear();
  for (const uint64_t digest : digests) {
    erased.push_back(filter.Erase(Key::Digest(digest), inserted_at) ? 1 : 0);
  }
  const WindowStats after = filter.GetStats();
  return {.num_erased = before.num_keys - after.num_keys,
          .num_refused = after.num_refused_erases - before.num_refused_erases,
          .num_expired = after.num_expired_erases - before.num_expired_erases};
}

void WindowFilterSubject::Merge(size_t which) {
  const Status merged = filters_[which].Merge(filters_[1 - which]);
  REQUIRE(merged.ok());
}

void WindowFilterSubject::Reload(size_t which) {
  const std::vector<std::byte> bytes = filters_[which].Serialize();
  Result<WindowFilter> loaded = WindowFilter::Deserialize(bytes);
  REQUIRE(loaded.ok());
  filters_[which] = *std::move(loaded);
  filters_[which].UseExecutor(executor_);
  REQUIRE((filters_[which].Serialize() == bytes));
}

Answers WindowFilterSubject::RawQuery(size_t which, Digests digests) {
  if (way_ == WindowWay::kPoints) {
    Answers answers;
    for (const uint64_t digest : digests) {
      answers.push_back(filters_[which].MayContain(Key::Digest(digest)) ? 1 : 0);
    }
    return answers;
  }
  std::vector<uint64_t> bitmap = BitmapFor(digests.size());
  filters_[which].Query(Keys::Digests(digests), bitmap);
  return AnswersOf(bitmap, digests.size());
}

// What is in by the counts, which are exact. A query shows all of that, and more only
// where a block has keys in the side table alone.
Answers WindowFilterSubject::Query(size_t which, Digests digests) {
  Answers answers = RawQuery(which, digests);
  const bool is_decided = filters_[which].GetStats().slots.undecided_share == 0;
  const std::vector<uint64_t> counts = Counts(which, digests);
  for (size_t i = 0; i < digests.size(); ++i) {
    const uint8_t is_in = counts[i] > 0 ? 1 : 0;
    if (answers[i] < is_in || (is_decided && answers[i] > is_in)) {
      answers[i] = 2;  // wrong: what no model says
    } else {
      answers[i] = is_in;
    }
  }
  return answers;
}

std::vector<uint64_t> WindowFilterSubject::Counts(size_t which, Digests digests) {
  std::vector<uint64_t> counts(digests.size());
  if (way_ == WindowWay::kPoints) {
    std::ranges::transform(digests, counts.begin(), [&](uint64_t digest) {
      return filters_[which].CountEstimate(Key::Digest(digest));
    });
  } else {
    filters_[which].CountEstimates(Keys::Digests(digests), counts);
  }
  return counts;
}

std::string DoWindowStep(const WindowStep& step, WindowSubject& subject) {
  const uint64_t now = subject.Now(step.which);
  const auto ticks = static_cast<uint64_t>(step.ticks);
  std::ostringstream said;
  switch (step.op) {
    case WindowOp::kInsert:
      said << subject.Insert(step.which, step.digests);
      break;
    case WindowOp::kInsertIfAbsent:
      said << BitsOf(subject.InsertIfAbsent(step.which, step.digests));
      break;
    case WindowOp::kErase: {
      // Before the beginning of time there is nothing; near its end, nothing to come.
      const uint64_t at = step.ticks > 0 && ticks > now ? 0 : now - ticks;
      Answers erased;
      const EraseOutcome outcome = subject.Erase(step.which, step.digests, at, erased);
      said << outcome.num_erased << ' ' << outcome.num_refused << ' ' << outcome.num_expired << ' '
           << BitsOf(erased);
      break;
    }
    case WindowOp::kInsertAt: {
      const uint64_t at = step.ticks > 0 && ticks > now ? 0 : now - ticks;
      const WindowInsertOutcome outcome = subject.InsertAt(step.which, step.digests, at);
      said << outcome.num_inserted << ' ' << outcome.num_refused;
      break;
    }
    case WindowOp::kAdvance:
      said << subject.Advance(step.which, now + std::min(ticks, ~uint64_t{0} - now));
      break;
    case WindowOp::kMerge: {
      const uint64_t later = std::max(now, subject.Now(1 - step.which));
      said << subject.Advance(step.which, later) << subject.Advance(1 - step.which, later);
      subject.Merge(step.which);
      break;
    }
    case WindowOp::kReload:
      subject.Reload(step.which);
      break;
    case WindowOp::kClear:
      subject.Clear(step.which);
      break;
  }
  return said.str();
}

std::string FirstDisagreement(const WindowProgram& program, WindowSubject& got,
                              WindowSubject& want) {
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const std::string where = " of step " + std::to_string(i);
    if (DoWindowStep(program.steps[i], got) != DoWindowStep(program.steps[i], want)) {
      return "the answer" + where;
    }
    for (size_t which = 0; which < 2; ++which) {
      const std::string at = " after" + where + ", filter " + std::to_string(which);
      if (got.Now(which) != want.Now(which)) return "the time" + at;
      if (got.Query(which, program.pool) != want.Query(which, program.pool)) {
        return "the presence" + at;
      }
      if (got.Counts(which, program.pool) != want.Counts(which, program.pool)) {
        return "the counts" + at;
      }
      if (got.NumKeys(which) != want.NumKeys(which)) return "the number of keys" + at;
    }
  }
  return "";
}

}  // namespace trommel::tests
