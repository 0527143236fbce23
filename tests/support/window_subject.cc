// Window filters as subjects of programs, and programs on subjects.
#include "support/window_subject.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "support/catch.h"
#include "support/exact_model.h"

namespace trommel::tests {
namespace {

WindowAnswers AnswersOf(std::span<const uint64_t> bitmap, size_t num_keys) {
  WindowAnswers answers;
  for (size_t i = 0; i < num_keys; ++i) answers.push_back(BitAt(bitmap, i) ? 1 : 0);
  return answers;
}

std::vector<uint64_t> RoomFor(size_t num_keys) {
  return std::vector<uint64_t>(BitmapWords(num_keys), ~uint64_t{0});
}

std::string TextOf(const WindowAnswers& answers) {
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

WindowAnswers WindowFilterSubject::InsertIfAbsent(size_t which, Digests digests) {
  WindowFilter& filter = filters_[which];
  uint64_t time = 0;
  WindowAnswers answers;
  if (way_ == WindowWay::kPoints) {
    for (const uint64_t digest : digests) {
      answers.push_back(filter.InsertIfAbsent(Key::Digest(digest), &time) ? 1 : 0);
    }
  } else {
    std::vector<uint64_t> inserted = RoomFor(digests.size());
    const size_t count = filter.InsertIfAbsent(Keys::Digests(digests), inserted, &time);
    answers = AnswersOf(inserted, digests.size());
    REQUIRE(count == static_cast<size_t>(std::ranges::count(answers, 1)));
  }
  REQUIRE(time == filter.now());
  return answers;
}

WindowEraseOutcome WindowFilterSubject::Erase(size_t which, Digests digests, uint64_t inserted_at,
                                              WindowAnswers& erased) {
  WindowFilter& filter = filters_[which];
  if (way_ != WindowWay::kPoints) {
    std::vector<uint64_t> bitmap = RoomFor(digests.size());
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

WindowAnswers WindowFilterSubject::Query(size_t which, Digests digests) {
  if (way_ == WindowWay::kPoints) {
    WindowAnswers answers;
    for (const uint64_t digest : digests) {
      answers.push_back(filters_[which].MayContain(Key::Digest(digest)) ? 1 : 0);
    }
    return answers;
  }
  std::vector<uint64_t> bitmap = RoomFor(digests.size());
  filters_[which].Query(Keys::Digests(digests), bitmap);
  return AnswersOf(bitmap, digests.size());
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
      said << TextOf(subject.InsertIfAbsent(step.which, step.digests));
      break;
    case WindowOp::kErase: {
      // Before the beginning of time there is nothing; near its end, nothing to come.
      const uint64_t at = step.ticks > 0 && ticks > now ? 0 : now - ticks;
      WindowAnswers erased;
      const WindowEraseOutcome outcome = subject.Erase(step.which, step.digests, at, erased);
      said << outcome.num_erased << ' ' << outcome.num_refused << ' ' << outcome.num_expired << ' '
           << TextOf(erased);
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
