// Searches executions of the model (group_versions_model.h) for a broken promise:
//
//   trommel_protocol_test [RANDOM [SWITCHES]]
//
// With all rules, no scenario may break one: in all executions, or, where those are too many, in
// all with at most SWITCHES context switches; in those with few switches when readers try twice;
// and in so many RANDOM ones. Without a rule, a scenario must. A search lets each load return the
// newest value or the one before it, as far as memory orders allow; random executions go back two
// values.
//
// Exit status: 0 done, 1 a promise was broken, or kept without a rule; 2 wrong usage.
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "protocol/group_versions_model.h"
#include "protocol/model_blocks.h"
#include "protocol/scenarios.h"
#include "relacy/relacy.hpp"

namespace trommel {
namespace {

// What a Run does; Relacy constructs one for each execution.
struct Plan {
  const Scenario* scenario = nullptr;
  Rule left_out = Rule::kNone;
  size_t num_tries = 0;
};
Plan plan;

using Blocks = std::variant<WideGroup, BinBlock>;

Blocks StartBlocks(const Scenario& scenario) {
  if (scenario.shape == Shape::kBins) {
    return Blocks(std::in_place_type<BinBlock>, scenario.words);
  }
  return Blocks(std::in_place_type<WideGroup>, scenario.words);
}

template <int kNumThreads>
class Run : public rl::test_suite<Run<kNumThreads>, kNumThreads> {
 public:
  Run() : versions_(plan.left_out, plan.num_tries), blocks_(StartBlocks(*plan.scenario)) {
    is_published_.store(false, rl::mo_relaxed, RL_INFO);
  }

  void thread(unsigned thread_idx) {
    for (const Step& step : plan.scenario->threads[thread_idx]) {
      if (!Do(step)) return;
    }
  }

  void after() {
    if (plan.scenario->absent_at_end.fingerprint != 0) ExpectAbsent(plan.scenario->absent_at_end);
  }

 private:
  // Returns false if the thread ends.
  bool Do(const Step& step) {
    switch (step.action) {
      case Action::kEnd:
        return false;
      case Action::kInsert:
        Update([&](const auto& blocks) { return blocks.InsertsSlowly(step.key); },
               [&](auto& blocks) { blocks.Insert(step.key); });
        return true;
      case Action::kErase:
        Update([&](const auto& blocks) { return blocks.ErasesSlowly(step.key); },
               [&](auto& blocks) { blocks.Erase(step.key); });
        return true;
      case Action::kFind:
        RL_ASSERT(MayContain(step.key));
        return true;
      case Action::kMiss:
        ExpectAbsent(step.key);
        return true;
      case Action::kPublish:
        is_published_.store(true, rl::mo_release, RL_INFO);
        return true;
      case Action::kAwait:
        return is_published_.load(rl::mo_acquire, RL_INFO);
    }
    return false;
  }

  template <class IsSlow, class Change>
  void Update(const IsSlow& is_slow, const Change& change) {
    versions_.Update([&] { return std::visit(is_slow, blocks_); },
                     [&] { std::visit(change, blocks_); });
  }

  bool MayContain(ModelKey key) const {
    return versions_.MayContain(
        [&] { return std::visit([&](const auto& blocks) { return blocks.Find(key); }, blocks_); },
        [&] {
          return std::visit([&](const auto& blocks) { return blocks.LineHolds(key); }, blocks_);
        });
  }

  // Where another rule is left out, only a lost key counts.
  void ExpectAbsent(ModelKey key) const {
    const bool may_contain = MayContain(key);
    if (plan.left_out == Rule::kNone || plan.left_out == Rule::kAbsent) RL_ASSERT(!may_contain);
  }

  GroupVersions versions_;
  Blocks blocks_;
  rl::atomic<bool> is_published_;
};

// A stream buffer of fixed size. While an execution is under way, Relacy takes allocations for the
// model's.
class Trace : public std::streambuf {
 public:
  Trace() { setp(text_.data(), text_.data() + text_.size()); }
  std::string Text() const { return {pbase(), pptr()}; }

 private:
  std::array<char, 1 << 16> text_{};
};

struct Outcome {
  rl::test_result_e result;
  uint64_t num_executions;
  std::string trace;
};

Outcome Search(const Plan& what, rl::test_params params) {
  plan = what;
  Trace trace;
  std::ostream to_trace(&trace);
  std::ostream to_nowhere(nullptr);
  params.output_stream = &to_trace;
  params.progress_stream = &to_nowhere;
  if (what.scenario->NumThreads() == 2) {
    rl::simulate<Run<2>>(params);
  } else {
    rl::simulate<Run<3>>(params);
  }
  return {params.test_result, params.stop_iteration, trace.Text()};
}

rl::test_params Bounded(unsigned context_bound) {
  rl::test_params params;
  params.search_type = rl::sched_bound;
  params.context_bound = context_bound;
  return params;
}

rl::test_params Full() {
  rl::test_params params;
  params.search_type = rl::sched_full;
  return params;
}

rl::test_params Random(uint64_t num_iterations) {
  rl::test_params params;
  params.search_type = rl::sched_random;
  params.iteration_count = num_iterations;
  return params;
}

// The bound of searches that are many: all rules but one, and two tries.
constexpr unsigned kFewSwitches = 3;

// Prints how many executions kept the promises, or the trace of the one that did not.
bool Keeps(const Scenario& scenario, size_t num_tries, const rl::test_params& params,
           const char* what) {
  const Outcome outcome = Search({&scenario, Rule::kNone, num_tries}, params);
  if (outcome.result == rl::test_result_success) {
    std::printf("  %llu (%s)", static_cast<unsigned long long>(outcome.num_executions), what);
    return true;
  }
  std::printf("\n%s: all rules, %zu tries, %s: broken\n%s\n", scenario.name, num_tries, what,
              outcome.trace.c_str());
  return false;
}

// What the command line says.
struct Effort {
  uint64_t num_random = 20'000;
  uint64_t num_switches = 0;  // 0: the scenario's
};

bool KeepsAll(const Scenario& scenario, const Effort& effort) {
  std::printf("%-18s kept in", scenario.name);
  bool keeps = false;
  if (scenario.context_bound == 0) {
    keeps = Keeps(scenario, 1, Full(), "full search");
  } else {
    const auto num_switches = static_cast<unsigned>(effort.num_switches);
    const unsigned context_bound = num_switches == 0 ? scenario.context_bound : num_switches;
    const std::string what = "up to " + std::to_string(context_bound) + " switches";
    keeps = Keeps(scenario, 1, Bounded(context_bound), what.c_str());
  }
  keeps = Keeps(scenario, 2, Bounded(kFewSwitches), "two tries") && keeps;
  keeps = Keeps(scenario, 2, Random(effort.num_random), "random") && keeps;
  std::puts(" executions");
  std::fflush(stdout);
  return keeps;
}

struct Omission {
  Rule rule;
  const char* what;
};
constexpr std::array kOmissions = {
    Omission{Rule::kOddDuringChange, "version made odd"},
    Omission{Rule::kReleaseFence, "release fence"},
    Omission{Rule::kReleaseStore, "release store"},
    Omission{Rule::kAcquireLoad, "acquire load"},
    Omission{Rule::kAcquireFence, "acquire fence"},
    Omission{Rule::kSecondLoad, "second load"},
    Omission{Rule::kEvenOnly, "even versions only"},
    Omission{Rule::kValidation, "validation"},
    Omission{Rule::kLineInside, "line before second load"},
    Omission{Rule::kSlowPathToo, "version of slow path"},
    Omission{Rule::kAdvances, "version advances"},
    Omission{Rule::kGivesUpMaybe, "maybe after all tries"},
    Omission{Rule::kOwnGroup, "version of own group"},
    Omission{Rule::kLock, "lock of writers"},
    Omission{Rule::kAbsent, "absent at all"},
};

// Prints which scenarios break a promise without the rule, and after how many executions.
bool IsNeeded(const Omission& omission) {
  std::printf("without %-24s broken in", omission.what);
  bool is_needed = false;
  for (const Scenario& scenario : kScenarios) {
    const Outcome outcome = Search({&scenario, omission.rule, 1}, Bounded(kFewSwitches));
    if (outcome.result == rl::test_result_success) continue;
    if (outcome.result != rl::test_result_user_assert_failed) {
      std::printf("\n%s without %s: not by a promise\n%s\n", scenario.name, omission.what,
                  outcome.trace.c_str());
      return false;
    }
    is_needed = true;
    std::printf("  %s (%llu)", scenario.name,
                static_cast<unsigned long long>(outcome.num_executions));
  }
  std::puts(is_needed ? "" : " no scenario: the rule is not needed, or a scenario is missing");
  std::fflush(stdout);
  return is_needed;
}

bool RunAll(const Effort& effort) {
  bool is_right = true;
  for (const Scenario& scenario : kScenarios) is_right = KeepsAll(scenario, effort) && is_right;
  for (const Omission& omission : kOmissions) is_right = IsNeeded(omission) && is_right;
  return is_right;
}

bool Parse(std::string_view text, uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() && number > 0 &&
         number <= 1'000'000'000;
}

}  // namespace
}  // namespace trommel

int main(int argc, char** argv) {
  trommel::Effort effort;
  if (argc > 3 || (argc > 1 && !trommel::Parse(argv[1], effort.num_random)) ||
      (argc > 2 && !trommel::Parse(argv[2], effort.num_switches))) {
    std::fputs("usage: trommel_protocol_test [RANDOM [SWITCHES]], numbers from 1 to 10^9\n",
               stderr);
    return 2;
  }
  return trommel::RunAll(effort) ? 0 : 1;
}
