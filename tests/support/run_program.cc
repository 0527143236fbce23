// Programs on subjects: step by step, beside another subject, beside the exact model.
#include "support/catch.h"
#include "support/subject.h"

namespace trommel::tests {

Answers DoStep(const Step& step, Subject& subject) {
  switch (step.op) {
    case Op::kInsert:
      subject.Insert(step.which, step.digests);
      break;
    case Op::kInsertIfAbsent:
      return subject.InsertIfAbsent(step.which, step.digests);
    case Op::kErase:
      return subject.Erase(step.which, step.digests);
    case Op::kMerge:
      subject.Merge(step.which);
      break;
    case Op::kSubtract:
      return {subject.Subtract(step.which)};
    case Op::kFold:
      subject.Fold();
      break;
    case Op::kClear:
      subject.Clear(step.which);
      break;
  }
  return {};
}

void RunProgram(const Program& program, Subject& subject) {
  for (const Step& step : program.steps) DoStep(step, subject);
}

std::string FirstDisagreement(const Program& program, Subject& got, Subject& want) {
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const std::string where = " of step " + std::to_string(i);
    if (DoStep(program.steps[i], got) != DoStep(program.steps[i], want))
      return "the answers" + where;
    for (size_t which = 0; which < 2; ++which) {
      const std::string at = where + ", filter " + std::to_string(which);
      if (got.Query(which, program.pool) != want.Query(which, program.pool)) {
        return "the presence after" + at;
      }
      if (got.Counts(which, program.pool) != want.Counts(which, program.pool)) {
        return "the counts after" + at;
      }
    }
  }
  return "";
}

void FollowStep(const Step& step, const Answers& answers,
                std::array<ExactModel<uint64_t>, 2>& models) {
  ExactModel<uint64_t>& model = models[step.which];
  const ExactModel<uint64_t>& other = models[1 - step.which];
  switch (step.op) {
    case Op::kInsert:
      model.Insert(std::span(step.digests));
      break;
    case Op::kInsertIfAbsent:
      for (size_t i = 0; i < answers.size(); ++i) {
        if (answers[i] != 0) model.Insert(step.digests[i]);
      }
      break;
    case Op::kErase:
      for (const uint64_t digest : step.digests) REQUIRE(model.Erase(digest));
      break;
    case Op::kMerge:
    case Op::kSubtract:
      for (const uint64_t digest : other.DistinctKeys()) {
        for (uint64_t i = other.Count(digest); i > 0; --i) {
          if (step.op == Op::kMerge) {
            model.Insert(digest);
          } else {
            REQUIRE(model.Erase(digest));
          }
        }
      }
      break;
    case Op::kFold:
      break;
    case Op::kClear:
      model.Clear();
      break;
  }
}

}  // namespace trommel::tests
