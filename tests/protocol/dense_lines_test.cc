// The protocol by which queries find entries of dense blocks beside writers, restated in the
// atomics of Relacy and searched for a lost key (fingerprints/dense_lines.h, dense_range.h,
// docs/FINGERPRINTS.md; versions of groups by themselves: group_versions_model.h).
//
//   writer of X's block, under the lock     group odd; fence; line, block; group even
//   whatever stores to a line               line version odd; fence; entry; even
//   growth                                  new lines, complete; publish (release); old ones stay
//   reader of key X, N tries                (1) group (acquire)  (2) block: X? "maybe"  cut?
//                                           (3) which lines (acquire)  (4) line version (acquire)
//                                           both lines: X? "maybe"  fence  line version, group:
//                                           even, unchanged? "absent"; after N tries "maybe"
//
// X is in all the time: a reader that answers "absent" has lost it. With all rules, no scenario may
// lose it, in all executions with few context switches and in random ones; without a rule, some
// must. Exit status: 0 done, 1 otherwise.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ostream>
#include <string>

#include "relacy/relacy.hpp"

namespace trommel {
namespace {

enum class Rule : uint8_t {
  kNone,
  kGroupVersion,       // of a writer
  kGroupValidation,    // of a reader
  kLineVersion,        // of a writer
  kLineValidation,     // of a reader
  kNewPlaceFirst,      // an entry is in its new line before it leaves the old one
  kComplete,           // lines are published with all entries
  kPublishRelease,     // by a release store
  kAddressAcquire,     // read by an acquire load
  kAddressAfterGroup,  // (3) behind (1)
  kOldLinesStay,       // replaced lines are changed no more
};

enum class Action : uint8_t { kEnd, kEvict, kPull, kMove, kGrow, kErasesOther, kFind };

struct Scenario {
  const char* name;
  bool is_cut;  // at first: X is an entry of the first line
  std::array<std::array<Action, 4>, 2> threads;
};

constexpr std::array kScenarios = {
    Scenario{"evict", false, {{{Action::kEvict}, {Action::kFind}}}},
    Scenario{"pull", true, {{{Action::kPull}, {Action::kFind}}}},
    Scenario{"evict, pull", false, {{{Action::kEvict, Action::kPull}, {Action::kFind}}}},
    Scenario{"move", true, {{{Action::kMove}, {Action::kFind}}}},
    Scenario{"hole", true, {{{Action::kErasesOther}, {Action::kFind}}}},
    Scenario{"grow", true, {{{Action::kGrow}, {Action::kFind}}}},
    Scenario{"grow, evict", false, {{{Action::kGrow, Action::kEvict}, {Action::kFind}}}},
    Scenario{"grow, move", true, {{{Action::kGrow, Action::kMove}, {Action::kFind}}}},
    Scenario{"grow, pull", true, {{{Action::kGrow, Action::kPull}, {Action::kFind}}}},
};

struct Plan {
  const Scenario* scenario = nullptr;
  Rule left_out = Rule::kNone;
  size_t num_tries = 1;
};
Plan plan;

bool Keeps(Rule rule) { return rule != plan.left_out; }

// Nothing if the rule that asks for it is left out.
class Change {
 public:
  Change(rl::atomic<uint32_t>& version, Rule rule) : version_(version), is_kept_(Keeps(rule)) {
    if (!is_kept_) return;
    before_ = version_.load(rl::mo_relaxed, RL_INFO);
    version_.store(before_ + 1, rl::mo_relaxed, RL_INFO);
    rl::atomic_thread_fence(rl::mo_release, RL_INFO);
  }
  ~Change() {
    if (is_kept_) version_.store(before_ + 2, rl::mo_release, RL_INFO);
  }

 private:
  rl::atomic<uint32_t>& version_;
  bool is_kept_;
  uint32_t before_ = 0;
};

// Two lines, each with two places of the entries that matter.
struct Lines {
  std::array<rl::atomic<uint32_t>, 4> entries;
  rl::atomic<uint32_t> version;
};

constexpr uint32_t kX = 7;
constexpr uint32_t kOther = 8;  // of another block

class Run : public rl::test_suite<Run, 2> {
 public:
  Run() {
    is_cut_.store(plan.scenario->is_cut ? 1 : 0, rl::mo_relaxed, RL_INFO);
    group_.store(0, rl::mo_relaxed, RL_INFO);
    current_.store(0, rl::mo_relaxed, RL_INFO);
    for (Lines& lines : lines_) {
      lines.version.store(0, rl::mo_relaxed, RL_INFO);
      for (auto& entry : lines.entries) entry.store(0, rl::mo_relaxed, RL_INFO);
    }
    // | other, X | . . |
    lines_[0].entries[0].store(kOther, rl::mo_relaxed, RL_INFO);
    if (plan.scenario->is_cut) lines_[0].entries[1].store(kX, rl::mo_relaxed, RL_INFO);
  }

  void thread(unsigned thread_idx) {
    for (const Action action : plan.scenario->threads[thread_idx]) Do(action);
  }

 private:
  void Do(Action action) {
    Lines& lines = lines_[used_];
    switch (action) {
      case Action::kEnd:
        return;
      case Action::kEvict: {
        const Change change(group_, Rule::kGroupVersion);
        is_cut_.store(1, rl::mo_relaxed, RL_INFO);
        Put(lines, 1, kX);
        return;
      }
      case Action::kPull: {
        const Change change(group_, Rule::kGroupVersion);
        Put(lines, 1, 0);
        is_cut_.store(0, rl::mo_relaxed, RL_INFO);
        return;
      }
      case Action::kMove:  // by an update of another group
        if (Keeps(Rule::kNewPlaceFirst)) Put(lines, 2, kX);
        Put(lines, 1, kOther + 1);
        if (!Keeps(Rule::kNewPlaceFirst)) Put(lines, 2, kX);
        return;
      case Action::kErasesOther: {  // the line's last entry takes its place
        const Change change(lines.version, Rule::kLineVersion);
        lines.entries[1].store(0, rl::mo_relaxed, RL_INFO);
        lines.entries[0].store(kX, rl::mo_relaxed, RL_INFO);
        return;
      }
      case Action::kGrow:
        Grow();
        return;
      case Action::kFind:
        RL_ASSERT(MayContain());
        return;
    }
  }

  void Put(Lines& lines, size_t place, uint32_t entry) {
    const Change change(lines.version, Rule::kLineVersion);
    lines.entries[place].store(entry, rl::mo_relaxed, RL_INFO);
  }

  void Grow() {
    const auto publish = [&] {
      current_.store(1, Keeps(Rule::kPublishRelease) ? rl::mo_release : rl::mo_relaxed, RL_INFO);
    };
    if (!Keeps(Rule::kComplete)) publish();
    for (size_t i = 0; i < lines_[0].entries.size(); ++i) {
      const uint32_t entry = lines_[0].entries[i].load(rl::mo_relaxed, RL_INFO);
      lines_[1].entries[i].store(entry, rl::mo_relaxed, RL_INFO);
      if (!Keeps(Rule::kOldLinesStay)) lines_[0].entries[i].store(0, rl::mo_relaxed, RL_INFO);
    }
    if (Keeps(Rule::kComplete)) publish();
    used_ = 1;
  }

  bool MayContain() const {
    uint32_t early = current_.load(rl::mo_acquire, RL_INFO);
    for (size_t i = 0; i < plan.num_tries; ++i) {
      const uint32_t group = group_.load(rl::mo_acquire, RL_INFO);
      if (is_cut_.load(rl::mo_relaxed, RL_INFO) == 0) return true;
      if (Keeps(Rule::kAddressAfterGroup)) {
        early =
            current_.load(Keeps(Rule::kAddressAcquire) ? rl::mo_acquire : rl::mo_relaxed, RL_INFO);
      }
      const Lines& lines = lines_[early];
      const uint32_t version = lines.version.load(rl::mo_acquire, RL_INFO);
      for (const auto& entry : lines.entries) {
        if (entry.load(rl::mo_relaxed, RL_INFO) == kX) return true;
      }
      rl::atomic_thread_fence(rl::mo_acquire, RL_INFO);
      const bool is_line_same =
          version % 2 == 0 && lines.version.load(rl::mo_relaxed, RL_INFO) == version;
      const bool is_group_same = group % 2 == 0 && group_.load(rl::mo_relaxed, RL_INFO) == group;
      if ((is_line_same || !Keeps(Rule::kLineValidation)) &&
          (is_group_same || !Keeps(Rule::kGroupValidation))) {
        return false;
      }
    }
    return true;
  }

  rl::atomic<uint32_t> is_cut_;  // the block: shows X, or its bin is cut
  rl::atomic<uint32_t> group_;
  rl::atomic<uint32_t> current_;
  std::array<Lines, 2> lines_;
  size_t used_ = 0;  // of the writer
};

// Returns whether X was found in all executions.
bool IsKept(const Plan& what, rl::test_params params, uint64_t& num_executions) {
  plan = what;
  std::ostream to_nowhere(nullptr);
  params.output_stream = &to_nowhere;
  params.progress_stream = &to_nowhere;
  rl::simulate<Run>(params);
  num_executions = params.stop_iteration;
  return params.test_result == rl::test_result_success;
}

rl::test_params Bounded(unsigned context_bound) {
  rl::test_params params;
  params.search_type = rl::sched_bound;
  params.context_bound = context_bound;
  return params;
}

bool KeepsAll() {
  bool is_right = true;
  for (const Scenario& scenario : kScenarios) {
    rl::test_params random;
    random.search_type = rl::sched_random;
    random.iteration_count = 20'000;
    uint64_t num_bounded = 0;
    uint64_t num_random = 0;
    const bool keeps = IsKept({&scenario, Rule::kNone, 1}, Bounded(5), num_bounded) &&
                       IsKept({&scenario, Rule::kNone, 2}, random, num_random);
    std::printf("%-12s %s in %llu (up to 5 switches), %llu (random) executions\n", scenario.name,
                keeps ? "kept" : "BROKEN", static_cast<unsigned long long>(num_bounded),
                static_cast<unsigned long long>(num_random));
    std::fflush(stdout);
    is_right = is_right && keeps;
  }
  return is_right;
}

bool AreNeeded() {
  struct Omission {
    Rule rule;
    const char* what;
  };
  constexpr std::array kOmissions = {
      Omission{Rule::kGroupVersion, "a group's version"},
      Omission{Rule::kGroupValidation, "its validation"},
      Omission{Rule::kLineVersion, "lines' version"},
      Omission{Rule::kLineValidation, "its validation"},
      Omission{Rule::kNewPlaceFirst, "the new place first"},
      Omission{Rule::kComplete, "lines that are complete"},
      Omission{Rule::kPublishRelease, "publishing by release"},
      Omission{Rule::kAddressAcquire, "loading lines by acquire"},
      Omission{Rule::kAddressAfterGroup, "lines behind the version"},
      Omission{Rule::kOldLinesStay, "old lines unchanged"},
  };
  bool is_right = true;
  for (const Omission& omission : kOmissions) {
    std::string lost;
    for (const Scenario& scenario : kScenarios) {
      uint64_t num_executions = 0;
      if (!IsKept({&scenario, omission.rule, 1}, Bounded(3), num_executions)) {
        lost += std::string(lost.empty() ? "" : "; ") + scenario.name;
      }
    }
    std::printf("without %-26s lost in: %s\n", omission.what,
                lost.empty() ? "NONE: not needed, or a scenario is missing" : lost.c_str());
    std::fflush(stdout);
    is_right = is_right && !lost.empty();
  }
  return is_right;
}

}  // namespace
}  // namespace trommel

int main() {
  const bool is_kept = trommel::KeepsAll();
  return trommel::AreNeeded() && is_kept ? 0 : 1;
}
