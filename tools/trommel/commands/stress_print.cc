// What `trommel stress` says at its end.
#include "tools/trommel/commands/stress_print.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tools/trommel/output/number_text.h"

namespace trommel::tool {
namespace {

Json OperationsJson(const stress::Totals& totals) {
  Json json = Json::Object();
  for (size_t op = 0; op < stress::kNumOps; ++op) {
    json.Add(OpName(static_cast<stress::Op>(op)), totals.num_keys[op]);
  }
  return json;
}

Json ViolationJson(const stress::Violation& violation, const stress::RoundPlan& plan) {
  Json json = {{"law", InvariantName(violation.invariant)},
               {"type", FilterTypeName(plan.type)},
               {"sentence", InvariantSentence(violation.invariant)},
               {"mix", plan.mix.name},
               {"round", plan.round},
               {"seed", plan.seed},
               {"found_by", stress::ThreadName(violation.thread, plan.num_writers)},
               {"time", violation.time},
               {"detail", violation.detail}};
  if (violation.id) {
    json.Add("key_id", *violation.id);
    json.Add("key", violation.key);
  }
  Json events = Json::Array();
  for (const stress::Event& event : violation.events) {
    events.Append({{"begin", event.begin},
                   {"end", event.end},
                   {"thread", stress::ThreadName(event.thread, plan.num_writers)},
                   {"operation", OpName(event.op)},
                   {"answer", event.answer},
                   {"position", event.position},
                   {"batch", event.batch}});
  }
  json.Add("events", events);
  return json;
}

void AddGrowth(const stress::GrowthSeen& growth, Report& report) {
  report.AddField("most_sizes", growth.most_sizes);
  report.AddField("num_grown", growth.num_grown);
  report.Add("num_shrunk", growth.num_shrunk, "growth",
             fmt::format("{} sizes at most; seen {} times to grow and {} times to shrink",
                         FormatCount(growth.most_sizes), FormatCount(growth.num_grown),
                         FormatCount(growth.num_shrunk)));
}

// What its blocks are, and ", " behind it; nothing where the type of filter says that.
std::string BlocksText(const stress::RoundPlan& plan) {
  if (plan.type != FilterType::kConcurrent) return "";
  const std::string_view encoding = EncodingName(plan.config.encoding);
  if (!HasFingerprints(plan.config.encoding)) {
    return fmt::format("{} slices of {}, ", plan.config.num_slices, encoding);
  }
  std::string text(encoding);
  if (plan.geometry) {
    text +=
        fmt::format(", {} blocks, {} shard bits, {} fingerprint bits", plan.geometry->num_blocks,
                    plan.geometry->shard_bits, plan.geometry->fingerprint_bits);
  }
  if (plan.side_records > 0) {
    text += fmt::format(", side memory for {} per part",
                        FormatCount(plan.side_records, "promoted block"));
  }
  return text + ", ";
}

std::string PlanText(const stress::RoundPlan& plan) {
  std::string text = fmt::format(
      "{}, mix {}, round {}, seed {}: {}, {}{}", FilterTypeName(plan.type), plan.mix.name,
      plan.round, plan.seed, stress::KindName(plan.kind), BlocksText(plan),
      plan.executor_threads == 0 ? "no executor"
                                 : fmt::format("executor of {}", plan.executor_threads));
  if (plan.yield_one_in > 0) text += fmt::format(", a yield in {} calls", plan.yield_one_in);
  if (plan.preempt_us > 0) text += fmt::format(", a signal per {} us", plan.preempt_us);
  return text;
}

// The command that repeats the round.
std::string RepeatCommand(const stress::CampaignOptions& options, const stress::RoundPlan& plan,
                          std::string_view program) {
  return fmt::format(
      "{} stress --type {} --seed {} --mix {} --round {} --writers {} --readers {} --encoding {}",
      program, FilterTypeName(plan.type), plan.seed, plan.mix.name, plan.round, options.num_writers,
      options.num_readers, EncodingName(plan.config.encoding));
}

}  // namespace

void DescribeMixes(Report& report) {
  Json names = Json::Array();
  for (const stress::Mix& mix : stress::AllMixes()) {
    report.AddLine(fmt::format("{:<14} {}", mix.name, mix.what));
    names.Append({{"name", mix.name}, {"what", mix.what}});
  }
  report.AddField("mixes", std::move(names));
}

std::string EncodingText(const stress::CampaignOptions& options) {
  const bool has_encoding =
      std::ranges::find(options.types, FilterType::kConcurrent) != options.types.end();
  return has_encoding ? fmt::format("{}, ", EncodingName(options.encoding)) : "";
}

void DescribeCampaign(const stress::CampaignOptions& options, const stress::CampaignResult& result,
                      double seconds, Report& report) {
  report.AddField("seed", options.seed);
  report.AddField("num_writers", options.num_writers);
  report.AddField("num_readers", options.num_readers);
  if (!EncodingText(options).empty()) {
    report.AddField("encoding", std::string(EncodingName(options.encoding)));
  }
  Json types = Json::Array();
  for (const FilterType type : options.types) types.Append(FilterTypeName(type));
  report.AddField("types", std::move(types));
  Json mixes = Json::Array();
  report.AddLine(fmt::format("{:<14} {:>7} {:>16} {:>16} {:>16}", "mix", "rounds", "keys",
                             "answers checked", "blocks promoted"));
  for (size_t i = 0; i < result.mixes.size(); ++i) {
    const stress::MixTotals& mix = result.mixes[i];
    if (mix.num_rounds == 0) continue;
    const uint64_t num_keys = mix.totals.num_all_keys();
    report.AddLine(fmt::format("{:<14} {:>7} {:>16} {:>16} {:>16}", options.mixes[i].name,
                               FormatCount(mix.num_rounds), FormatCount(num_keys),
                               FormatCount(mix.totals.num_checked), FormatCount(mix.max_promoted)));
    mixes.Append({{"name", options.mixes[i].name},
                  {"num_rounds", mix.num_rounds},
                  {"num_keys", num_keys},
                  {"num_checked", mix.totals.num_checked},
                  {"max_promoted", mix.max_promoted},
                  {"most_sizes", mix.growth.most_sizes},
                  {"operations", OperationsJson(mix.totals)}});
  }
  report.AddLine("");
  const stress::Totals& totals = result.totals;
  const uint64_t num_keys = totals.num_all_keys();
  const double rate = seconds > 0 ? static_cast<double>(num_keys) / seconds : 0;
  report.Add("num_rounds", result.num_rounds, "rounds", FormatCount(result.num_rounds));
  report.Add("num_keys", num_keys, "operations",
             fmt::format("{} keys in {}, {:.3g} M keys/s", FormatCount(num_keys),
                         FormatCount(totals.num_calls, "call"), rate / 1e6));
  report.AddField("num_calls", totals.num_calls);
  report.AddField("keys_per_second", rate);
  report.AddField("operations", OperationsJson(totals));
  report.Add(
      "num_checked", totals.num_checked, "checked",
      fmt::format("{} answers that the model was sure about", FormatCount(totals.num_checked)));
  report.Add("num_races", totals.num_races, "races",
             fmt::format("{} for one \"new\"", FormatCount(totals.num_races)));
  if (HasFingerprints(options.encoding)) {
    report.Add(
        "num_refused", totals.num_refused, "refused",
        fmt::format("{} insertions by limits of side memory, {} erasures of absent keys",
                    FormatCount(totals.num_refused), FormatCount(totals.num_refused_erases)));
    report.AddField("num_refused_erases", totals.num_refused_erases);
  }
  report.Add("num_audits", totals.num_audits, "snapshots",
             fmt::format("{} taken while writers wrote", FormatCount(totals.num_audits)));
  if (result.growth.most_sizes > 0) AddGrowth(result.growth, report);
  report.Add("seconds", seconds, "time", fmt::format("{:.1f} s", seconds));
  report.AddField("mixes", std::move(mixes));
}

std::string Outcome(const stress::CampaignOptions& options, const stress::CampaignResult& result,
                    double seconds, bool was_interrupted) {
  if (result.violation) return "An invariant was violated.";
  if (result.totals.num_checked == 0) return "Nothing was checked: give it more time.";
  const uint64_t num_all = options.only_round ? 1 : options.mixes.size() * options.types.size();
  std::string text =
      was_interrupted ? "Interrupted. Every invariant held so far" : "Every invariant held";
  if (result.num_rounds >= num_all) return text + ".";
  const char* const what = options.types.size() > 1 ? "pairs of mix and type" : "mixes";
  text += fmt::format(", in {} of {} {}; ", result.num_rounds, num_all, what);
  if (options.num_rounds > 0) return text + fmt::format("--rounds {} tries all.", num_all);
  const double all = seconds * static_cast<double>(num_all) /
                     static_cast<double>(std::max<uint64_t>(1, result.num_rounds));
  return text + fmt::format("--seconds {:.0f} reaches all.", std::ceil(1.2 * all));
}

void DescribeMachine(const bench::MachineCard& card, Report& report) {
  Json load = Json::Array();
  for (const double each : card.load_average) load.Append(each);
  report.AddField("machine", Json{{"date", card.date},
                                  {"cpu_model", card.cpu_model},
                                  {"num_cpus", card.num_logical_cpus},
                                  {"num_physical_cpus", card.num_physical_cpus},
                                  {"memory_bytes", card.memory_bytes},
                                  {"load_avg", load},
                                  {"kernel", card.kernel},
                                  {"compiler", card.compiler},
                                  {"trommel_version", card.version},
                                  {"target", card.target}});
}

void DescribeViolation(const stress::CampaignOptions& options, const stress::CampaignResult& result,
                       std::string_view program, Report& report) {
  report.AddField("ok", !result.violation.has_value());
  if (!result.violation || !result.broken_round) return;
  const stress::Violation& violation = *result.violation;
  const stress::RoundPlan& plan = *result.broken_round;
  report.AddField("violation", ViolationJson(violation, plan));
  report.AddLine(fmt::format("\nVIOLATED INVARIANT: {}.", InvariantSentence(violation.invariant)));
  report.AddLine(fmt::format("  {}", PlanText(plan)));
  report.AddLine(fmt::format("  found by {} at {}: {}",
                             stress::ThreadName(violation.thread, plan.num_writers), violation.time,
                             violation.detail));
  if (violation.id) {
    report.AddLine(fmt::format("  key {}: {}", *violation.id, violation.key));
    report.AddLine("  The last calls with this key; times are of a clock that counts calls:");
    for (const stress::Event& event : violation.events) {
      report.AddLine(fmt::format("  {}", EventText(event, plan.num_writers)));
    }
  }
  report.AddLine("  Again: " + RepeatCommand(options, plan, program));
}

}  // namespace trommel::tool
