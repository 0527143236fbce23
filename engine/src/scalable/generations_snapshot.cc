// Generations on disk: their numbers as params and words of a multi-store snapshot, and how a
// reader checks them.
#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/base/memory_limit.h"
#include "engine/src/scalable/generation_store.h"
#include "engine/src/scalable/generations_engine.h"
#include "engine/src/scalable/scalable_filter_impl.h"
#include "engine/src/scalable/scalable_parts.h"
#include "engine/src/snapshots/multi_store_snapshot.h"
#include "engine/src/snapshots/snapshot_format.h"

namespace trommel {
namespace {

// What the numbers of a snapshot mean. Changing an order here changes the format.
enum Param : size_t {
  kModeParam,
  kFirstCapacityParam,
  kTargetFprParam,  // the bits of a double
  kMaxCapacityParam,
  kGrowthParam,
  kGenerationsParam,  // the bits of a double
  kSlicesParam,
  kEncodingParam,
  kNumParams,
};
enum Word : size_t { kSlotWord, kLoadWord, kNumWords };

// That of identical generations, which are gone. Not to be used again.
constexpr uint64_t kRetiredMode = 1;

// The version where generations may have fingerprints is another one.
uint32_t VersionOf(const ScalableConfig& config) {
  const bool has_slices =
      config.encoding == Encoding::kPlanes || config.encoding == Encoding::kRuns;
  return has_slices ? kSnapshotVersion : kThirdVersion;
}

// `num_slices` is what all generations of slices have, whatever was asked for: sizing may choose
// otherwise one day.
MultiStoreFacts FactsOf(const ScalableConfig& config, uint32_t num_slices) {
  MultiStoreFacts facts{.version = VersionOf(config), .policy = config.digest, .params = {}};
  facts.params[kModeParam] = static_cast<uint64_t>(config.mode);
  facts.params[kFirstCapacityParam] = config.first_capacity;
  facts.params[kTargetFprParam] = std::bit_cast<uint64_t>(config.target_fpr);
  facts.params[kMaxCapacityParam] = config.max_capacity;
  facts.params[kGrowthParam] = config.growth;
  facts.params[kGenerationsParam] = std::bit_cast<uint64_t>(config.tightening);
  facts.params[kSlicesParam] = num_slices;
  facts.params[kEncodingParam] = static_cast<uint64_t>(config.encoding);
  return facts;
}

// The enumerations fit a byte and the numbers 32 bits, or the file is none of ours.
Result<ScalableConfig> ConfigOf(const MultiStoreFacts& facts, uint64_t limit_bytes) {
  const MultiStoreParams& params = facts.params;
  if (Status unused = CheckUnusedParams(params, kNumParams); !unused.ok()) return unused.error();
  if (params[kModeParam] == kRetiredMode) {
    return Error{ErrorCode::kVersion,
                 "at byte 32 the mode is 1 (identical generations), which this library reads no "
                 "longer"};
  }
  if (params[kModeParam] != static_cast<uint64_t>(GrowthMode::kGenerations)) {
    return CorruptParam(kModeParam, "a mode that a filter of generations does not have");
  }
  if (params[kEncodingParam] > UINT8_MAX) {
    return CorruptParam(kEncodingParam, "an encoding there is not");
  }
  for (const Param param : {kGrowthParam, kSlicesParam}) {
    if (params[param] > UINT32_MAX) return CorruptParam(param, "a number out of range");
  }
  const auto encoding = static_cast<Encoding>(params[kEncodingParam]);
  if ((params[kSlicesParam] == 0) != HasFingerprints(encoding)) {
    return CorruptParam(kSlicesParam, "num_slices is " + std::to_string(params[kSlicesParam]) +
                                          "; it must be that of the generations");
  }
  ScalableConfig config{.first_capacity = params[kFirstCapacityParam],
                        .target_fpr = std::bit_cast<double>(params[kTargetFprParam]),
                        .mode = GrowthMode::kGenerations,
                        .max_capacity = params[kMaxCapacityParam],
                        .growth = static_cast<uint32_t>(params[kGrowthParam]),
                        .tightening = std::bit_cast<double>(params[kGenerationsParam]),
                        .digest = facts.policy,
                        .num_slices = static_cast<uint32_t>(params[kSlicesParam]),
                        .encoding = encoding,
                        .memory_limit_bytes = limit_bytes};
  if (facts.version != VersionOf(config)) {
    return CorruptParam(kEncodingParam, "an encoding that files of version " +
                                            std::to_string(facts.version) + " do not have");
  }
  return config;
}

// Could a generation of the filter have it? Where the encoding is chosen: runs of its shape, or
// fingerprints.
bool IsOfShape(const Geometry& geometry, const ScalableConfig& config) {
  if (config.encoding != Encoding::kAutomatic) {
    return geometry.encoding == config.encoding && geometry.num_slices == config.num_slices;
  }
  return HasFingerprints(geometry.encoding) ||
         (geometry.encoding == Encoding::kRuns && geometry.num_slices == config.num_slices);
}

// Is the generation one that could be in this slot? Its size was computed elsewhere: another
// processor or library may round otherwise, another version of sizing take some blocks more. What
// counts is that it keeps its budget.
bool FitsSlot(const MemberStoreContents& member, const SlotBudget& slot,
              const ScalableConfig& config) {
  constexpr double kRounding = 1 + 1e-6;
  const Geometry& geometry = member.store->geometry();
  const FilterFacts& facts = member.facts;
  return IsOfShape(geometry, config) && geometry.shard_bits >= GrowthPlan::kLockBits &&
         facts.capacity == slot.capacity && facts.target_fpr <= slot.budget_fpr * kRounding &&
         facts.target_fpr >= slot.budget_fpr / kRounding &&
         PredictedFpr(geometry, facts.capacity) <= facts.target_fpr * kRounding;
}

// A member must fit its slot, and be there for a reason.
Status CheckMember(const GrowthPlan& plan, const ScalableConfig& config,
                   std::span<const MemberStoreContents> members, size_t idx) {
  const MemberStoreContents& member = members[idx];
  const MemberWords& words = member.words;
  if (Status unused = CheckUnusedWords(idx, words, kNumWords); !unused.ok()) return unused;
  const std::optional<SlotBudget> slot = plan.BudgetOf(words[kSlotWord]);
  if (!slot) {
    return CorruptMemberWord(idx, kSlotWord, "a slot that the filter does not have");
  }
  for (size_t other = 0; other < idx; ++other) {
    if (members[other].words[kSlotWord] == words[kSlotWord]) {
      return CorruptMemberWord(idx, kSlotWord, "a slot that another generation has");
    }
  }
  if (!FitsSlot(member, *slot, config)) {
    return CorruptMemberWord(idx, kSlotWord, "the generation is not what its slot says");
  }
  const bool is_newest = idx + 1 == members.size();
  const bool is_empty = member.facts.num_keys == 0;
  if (is_empty && !is_newest) {
    return CorruptMemberWord(idx, kSlotWord, "an empty generation that is not the newest");
  }
  if (words[kLoadWord] > member.facts.num_keys || words[kLoadWord] < LeastLoad(*member.store)) {
    return CorruptMemberWord(idx, kLoadWord, "a load that cannot be");
  }
  return Ok();
}

Result<std::unique_ptr<GenerationsEngine>> MakeEngine(MultiStoreContents contents,
                                                      uint64_t limit_bytes, GrowthPlans& plans) {
  const Result<ScalableConfig> config = ConfigOf(contents.facts, limit_bytes);
  if (!config.ok()) return config.error();
  Result<GrowthPlan> plan = plans.OfFilter(*config);
  if (!plan.ok()) return CorruptParam(kModeParam, plan.error().message);
  if (contents.members.empty() || contents.members.size() > ScalableFilter::kMaxGenerations) {
    return CorruptParam(kModeParam,
                        "a filter of " + std::to_string(contents.members.size()) + " generations");
  }
  GenerationList::Members members;
  uint64_t num_keys = 0;
  for (size_t i = 0; i < contents.members.size(); ++i) {
    if (Status checked = CheckMember(*plan, *config, contents.members, i); !checked.ok()) {
      return checked.error();
    }
    num_keys += contents.members[i].facts.num_keys;
    if (num_keys > kMaxSnapshotKeys) return CorruptParam(kModeParam, "more than 2^63 keys in all");
  }
  for (MemberStoreContents& member : contents.members) {
    const size_t slot_idx = member.words[kSlotWord];
    const FilterFacts& facts = member.facts;
    if (Status serves = ServeQueries(*member.store, limit_bytes); !serves.ok()) {
      return serves.error();
    }
    members.push_back(std::make_shared<Generation>(std::move(member.store), slot_idx,
                                                   facts.capacity, facts.target_fpr));
    members.back()->AddKeys(facts.num_keys);
    members.back()->SetLoad(member.words[kLoadWord]);
  }
  return std::make_unique<GenerationsEngine>(
      *config, std::make_unique<Generations>(*std::move(plan), limit_bytes, std::move(members)));
}

}  // namespace

Result<GenerationsEngine::Copies> GenerationsEngine::Copy() const {
  const auto list = generations_->LockList();
  Copies copies;
  for (const auto& member : list->members()) {
    Result<std::unique_ptr<Store>> store =
        MakeGenerationStore(member->store().geometry(), config_.memory_limit_bytes);
    if (!store.ok()) return store.error();
    copies.push_back({.store = *std::move(store),
                      .slot = member->slot,
                      .capacity = member->capacity,
                      .budget_fpr = member->budget_fpr});
  }
  VisitOwnedRanges(list->members(), [&](size_t g, size_t o) {
    copies[g].store->CopyOwnedRange(list->at(g).store(), o);
  });
  for (size_t g = 0; g < copies.size(); ++g) {
    copies[g].num_keys = KeysIn(*copies[g].store);
    // Keys that came while it was copied may not be in its load yet.
    copies[g].load =
        std::min(std::max(list->at(g).load(), LeastLoad(*copies[g].store)), copies[g].num_keys);
  }
  // What others emptied meanwhile is dropped in a moment.
  const auto closed_end = copies.end() - 1;
  copies.erase(std::remove_if(copies.begin(), closed_end,
                              [](const GenerationCopy& copy) { return copy.num_keys == 0; }),
               closed_end);
  return copies;
}

namespace {

Result<ScalableParts::Written> WriteGenerations(const GenerationsEngine& engine, ByteSink& sink) {
  const Result<GenerationsEngine::Copies> copies = engine.Copy();
  if (!copies.ok()) return copies.error();
  const ScalableConfig& config = engine.config();
  std::vector<MemberStore> members;
  ScalableParts::Written written;
  for (const auto& copy : *copies) {
    members.push_back({.words = {copy.slot, copy.load},
                       .store = copy.store.get(),
                       .facts = {.policy = config.digest,
                                 .capacity = copy.capacity,
                                 .target_fpr = copy.budget_fpr,
                                 .num_keys = copy.num_keys}});
    written.num_keys += copy.num_keys;
  }
  written.num_bytes = MultiStoreSnapshotBytes(members);
  const uint32_t num_slices = config.encoding == Encoding::kAutomatic
                                  ? engine.generations().plan().num_slices()
                                  : copies->front().store->geometry().num_slices;
  const MultiStoreFacts facts = FactsOf(config, num_slices);
  if (Status done = WriteMultiStore(facts, members, sink); !done.ok()) return done.error();
  return written;
}

}  // namespace

Status GenerationsEngine::WriteTo(ByteSink& sink) const {
  const auto written = WriteGenerations(*this, sink);
  return written.ok() ? Ok() : Status(written.error());
}

Result<ScalableParts::Written> ScalableParts::Write(const ScalableFilter& filter, ByteSink& sink) {
  [[maybe_unused]] const auto access = filter.impl_->access_check.Enter();
  return WriteGenerations(filter.impl_->generations(), sink);
}

Result<ScalableFilter> ScalableParts::Read(const ByteSource& source,
                                           const MultiStoreOutline& outline, uint64_t limit_bytes,
                                           GrowthPlans& plans,
                                           std::shared_ptr<MemoryBudget> budget) {
  // What the budget leaves out of the limit is used, too.
  const uint64_t limit = MemoryLimit(limit_bytes);
  const uint64_t used_bytes = limit - std::min(limit, budget->limit_bytes()) + budget->num_bytes();
  Result<MultiStoreContents> contents = ReadMembers(source, outline, limit_bytes, {}, used_bytes);
  if (!contents.ok()) return contents.error();
  Result<std::unique_ptr<GenerationsEngine>> engine =
      MakeEngine(*std::move(contents), limit_bytes, plans);
  if (!engine.ok()) return engine.error();
  if (!(*engine)->generations().Join(std::move(budget))) {
    return Error{ErrorCode::kOutOfMemory, "the memory limit that several filters share is used up"};
  }
  const ScalableConfig config = (*engine)->config();
  return ScalableFilter(std::make_unique<ScalableFilter::Impl>(config, *std::move(engine),
                                                               "its file has generations"));
}

Result<std::unique_ptr<GenerationsEngine>> GenerationsEngine::Read(const OpenedSnapshot& snapshot,
                                                                   uint64_t limit_bytes,
                                                                   const DigestKey& digest_key) {
  Result<MultiStoreContents> contents = ReadMultiStore(snapshot, limit_bytes, digest_key);
  if (!contents.ok()) return contents.error();
  GrowthPlans plans;
  return MakeEngine(*std::move(contents), limit_bytes, plans);
}

}  // namespace trommel
