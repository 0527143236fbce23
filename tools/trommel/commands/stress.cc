// trommel stress: does the concurrency contract hold on this machine?
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/sweep/machine_card.h"
#include "tools/stress/round.h"
#include "tools/stress/subjects/subject.h"
#include "tools/trommel/commands/bench_print.h"
#include "tools/trommel/commands/commands.h"
#include "tools/trommel/commands/stress_print.h"
#include "tools/trommel/options/file_options.h"
#include "tools/trommel/output/interrupt.h"
#include "tools/trommel/output/number_text.h"
#include "tools/trommel/output/progress.h"
#include "tools/trommel/output/report.h"
#include "trommel/targets.h"

namespace trommel::tool {
namespace {

constexpr uint32_t kMaxThreads = 256;  // of each kind
constexpr uint64_t kDefaultSeconds = 10;
constexpr std::string_view kAllTypes = "all";

struct StressOptions {
  bool list = false;
  std::string type = std::string(FilterTypeName(FilterType::kConcurrent));
  std::vector<std::string> mixes;
  std::optional<uint64_t> seed;
  std::optional<uint64_t> round;
  uint64_t seconds = 0;  // 0: not given
  uint64_t num_rounds = 0;
  uint32_t num_writers = 0;
  uint32_t num_readers = 0;
  Encoding encoding = CountingConfig{}.encoding;
};

// As many threads as the machine has, half of each kind, but at least two of each: they interleave
// on one core, too.
uint32_t DefaultThreads() {
  return std::clamp(std::thread::hardware_concurrency() / 2, 2u, kMaxThreads);
}

uint64_t RandomSeed() {
  std::random_device device;
  return uint64_t{device()};  // 32 bits: short enough to be typed
}

stress::CampaignOptions ToCampaign(const StressOptions& options) {
  stress::CampaignOptions campaign;
  for (const std::string& name : options.mixes) campaign.mixes.push_back(*stress::FindMix(name));
  if (options.mixes.empty()) {
    campaign.mixes.assign(stress::AllMixes().begin(), stress::AllMixes().end());
  }
  campaign.types.assign(stress::kFilterTypes.begin(), stress::kFilterTypes.end());
  if (options.type != kAllTypes) {
    std::erase_if(campaign.types,
                  [&](FilterType type) { return FilterTypeName(type) != options.type; });
  }
  campaign.seed = options.seed ? *options.seed : RandomSeed();
  campaign.only_round = options.round;
  campaign.num_rounds = options.num_rounds;
  campaign.num_writers = options.num_writers;
  campaign.num_readers = options.num_readers;
  campaign.encoding = options.encoding;
  return campaign;
}

int RunStress(const StressOptions& options, const Settings& settings) {
  using Clock = std::chrono::steady_clock;
  if (options.list) {
    Report report;
    DescribeMixes(report);
    return Finish(report, settings.json, kDone);
  }
  const stress::CampaignOptions campaign = ToCampaign(options);
  const bool is_timed = options.seconds > 0 || options.num_rounds == 0;
  const uint64_t limit = options.seconds > 0 ? options.seconds : kDefaultSeconds;
  NoteInterrupts();
  const bench::MachineCard card = bench::ReadMachineCard();
  if (!settings.json) {  // at once: with the seed, even a crash can be replayed
    Report report;
    report.AddLine(CardText(card));
    report.AddLine(fmt::format("seed {}, {}, {}{}, {}, {}{}\n", campaign.seed, options.type,
                               EncodingText(campaign), FormatCount(campaign.num_writers, "writer"),
                               FormatCount(campaign.num_readers, "reader"), ActiveTarget(),
                               is_timed ? fmt::format(", {} s", limit) : ""));
    if (const int code = Finish(report, false, kDone); code != kDone) return code;
  }

  const Clock::time_point start = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  stress::CampaignWatch watch;
  watch.should_stop = [&] {
    return NotedInterrupt() != 0 || (is_timed && elapsed() >= static_cast<double>(limit));
  };
  Result<stress::CampaignResult> result = [&] {
    Progress progress("stress", settings.quiet, std::nullopt);
    watch.on_working = [&](const stress::RoundPlan& plan, uint64_t num_keys) {
      if (!progress.IsDue()) return;
      const double seconds = elapsed();
      std::string text = fmt::format("round {} ({}): {} keys, {:.1f} M/s, {:.0f} s", plan.round,
                                     plan.mix.name, FormatCount(num_keys),
                                     static_cast<double>(num_keys) / seconds / 1e6, seconds);
      if (is_timed)
        text += fmt::format(" of {} s", limit);
      else if (campaign.num_rounds > 0 && plan.round > 0) {
        const double left = seconds / static_cast<double>(plan.round) *
                            static_cast<double>(campaign.num_rounds - plan.round);
        text += fmt::format(", about {:.0f} s left", left);
      }
      progress.Draw(text);
    };
    return RunCampaign(campaign, stress::RoundsWith(stress::MakeTypedSubject), watch);
  }();
  if (!result.ok()) return FailOnRequest(result.error());

  Report report;
  DescribeCampaign(campaign, *result, elapsed(), report);
  report.AddField("target", std::string(ActiveTarget()));
  DescribeMachine(card, report);
  const bool was_interrupted = NotedInterrupt() != 0;
  report.AddField("interrupted", was_interrupted);
  DescribeViolation(campaign, *result, settings.program, report);
  const bool has_checked = result->totals.num_checked > 0;  // or else nothing is known to hold
  if (!result->violation) {
    report.AddLine("\n" + Outcome(campaign, *result, elapsed(), was_interrupted));
  }
  const bool is_good = has_checked && !result->violation;
  return Finish(report, settings.json, is_good ? kDone : kNegativeAnswer);
}

std::vector<std::string> TypeNames() {
  std::vector<std::string> names = {std::string(kAllTypes)};
  for (const FilterType type : stress::kFilterTypes) {
    names.emplace_back(FilterTypeName(type));
  }
  return names;
}

std::vector<std::string> MixNames() {
  std::vector<std::string> names;
  for (const stress::Mix& mix : stress::AllMixes()) names.emplace_back(mix.name);
  return names;
}

}  // namespace

void AddStressCommand(Command& parent, const Settings& settings) {
  Command command = parent.AddSubcommand(
      "stress",
      "Check the promises to concurrent threads on this machine, beside an exact model.\n"
      "Many threads insert, erase and query at the same time. Every promise is checked while they\n"
      "run and afterwards: those of the concurrent filter, of the scalable one, or of the window.\n"
      "Exits 1 if one is broken, and shows the last calls that concern the key.");
  auto options = std::make_shared<StressOptions>();
  options->num_writers = options->num_readers = DefaultThreads();
  const Option list = command.Flag("--list", options->list, "List the mixes, and do nothing");
  AddCount(command, "--seconds", options->seconds,
           fmt::format("Stop after so many seconds (default {}, no limit with --rounds)",
                       kDefaultSeconds));
  AddCount(command, "--rounds", options->num_rounds, "Stop after so many rounds");
  command
      .Text("--type", options->type, "TYPE",
            "Type of filter: concurrent (default), scalable, window, or all: each mix with each of "
            "them in turn")
      .OneOf(TypeNames());
  const Option mix = command
                         .Repeatable("--mix", options->mixes, "NAME",
                                     "Only rounds of this mix, see --list; may be repeated")
                         .OneOf(MixNames());
  const auto add_threads = [&](const char* name, uint32_t least, uint32_t& value,
                               const char* help) {
    AddNumber(command, name, least, kMaxThreads, "COUNT",
              fmt::format("{}, from {} to {} (default: half of the machine's, at least 2)", help,
                          least, kMaxThreads),
              [&value](uint64_t number) { value = static_cast<uint32_t>(number); });
  };
  add_threads("--writers", 1, options->num_writers, "Threads that insert and erase");
  add_threads("--readers", 0, options->num_readers, "Threads that only query");
  AddEncoding(command, options->encoding, FixedEncodingNames());
  const auto add_u64 = [&](const char* name, std::optional<uint64_t>& value, const char* help) {
    return AddNumber(command, name, 0, UINT64_MAX, "NUMBER", help,
                     [&value](uint64_t number) { value = number; });
  };
  const Option seed = add_u64("--seed", options->seed,
                              "What the rounds are drawn from (default: random). The same seed and "
                              "threads give the same rounds");
  add_u64("--round", options->round,
          "Repeat this one round, as a violation names it: with its --seed and its one --mix")
      .Needs(seed)
      .Needs(mix);
  list.Excludes(mix).Excludes(seed);
  command.SetAction([&settings, options] {
    if (options->encoding != CountingConfig{}.encoding &&
        options->type != FilterTypeName(FilterType::kConcurrent)) {
      throw UsageError{"--encoding", "only filters of --type concurrent have one"};
    }
    if (options->round && options->mixes.size() != 1) {
      throw UsageError{"--round", "is a round of one --mix"};
    }
    return RunStress(*options, settings);
  });
}

}  // namespace trommel::tool
