#include "engine/src/scalable/generations_file.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>

#include "engine/src/base/memory_limit.h"
#include "engine/src/scalable/generation_store.h"
#include "engine/src/scalable/scalable_filter_impl.h"

namespace trommel {
namespace {

Error CorruptGrowth(const GrowthOutline& outline, size_t field_at, const std::string& what) {
  return CorruptAt(outline.growth_at + field_at, "section 'growth': " + what);
}

Result<ScalableConfig> ConfigOf(const GrowthOutline& outline, const DigestPolicy& policy,
                                uint64_t limit_bytes) {
  const GrowthNumbers& numbers = outline.growth;
  if (numbers.reserved != 0) {
    return CorruptGrowth(outline, offsetof(GrowthNumbers, reserved), "reserved bytes are not zero");
  }
  if (numbers.encoding > static_cast<uint32_t>(Encoding::kDense) &&
      numbers.encoding != static_cast<uint32_t>(Encoding::kAutomatic)) {
    return UnknownAt(outline.growth_at + offsetof(GrowthNumbers, encoding), "the encoding",
                     numbers.encoding, "0 to 3 and 255 (chosen by size)");
  }
  const auto encoding = static_cast<Encoding>(numbers.encoding);
  if ((numbers.num_slices == 0) != HasFingerprints(encoding)) {
    return CorruptGrowth(outline, offsetof(GrowthNumbers, num_slices),
                         "num_slices is " + std::to_string(numbers.num_slices) +
                             "; it must be that of the generations");
  }
  return ScalableConfig{.first_capacity = numbers.first_capacity,
                        .target_fpr = numbers.target_fpr,
                        .mode = GrowthMode::kGenerations,
                        .max_capacity = numbers.max_capacity,
                        .growth = numbers.growth,
                        .tightening = numbers.tightening,
                        .digest = policy,
                        .num_slices = numbers.num_slices,
                        .encoding = encoding,
                        .memory_limit_bytes = limit_bytes};
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
bool FitsSlot(const StoreNumbers& store, const SlotBudget& slot, const ScalableConfig& config) {
  constexpr double kRounding = 1 + 1e-6;
  const Geometry geometry = GeometryOf(store);
  return IsOfShape(geometry, config) && geometry.shard_bits >= GrowthPlan::kLockBits &&
         store.capacity == slot.capacity && store.target_fpr <= slot.budget_fpr * kRounding &&
         store.target_fpr >= slot.budget_fpr / kRounding &&
         PredictedFpr(geometry, store.capacity) <= store.target_fpr * kRounding;
}

// A generation must fit its slot, which no other one has.
Status CheckSlot(FileReader& file, const GrowthPlan& plan, const ScalableConfig& config,
                 const GrowthOutline& outline, size_t idx) {
  const auto corrupt = [&](const char* what) {
    return file.Take(sections::kGeneration, outline.first_store + static_cast<uint32_t>(idx))
        .CorruptAt(offsetof(GenerationNumbers, slot), what);
  };
  const uint64_t slot_idx = outline.generations[idx].slot;
  const std::optional<SlotBudget> slot = plan.BudgetOf(slot_idx);
  if (!slot) return corrupt("a slot that the filter does not have");
  for (size_t other = 0; other < idx; ++other) {
    if (outline.generations[other].slot == slot_idx) {
      return corrupt("a slot that another generation has");
    }
  }
  if (FitsSlot(outline.stores[idx], *slot, config)) return Ok();
  return corrupt("the generation is not what its slot says");
}

}  // namespace

Result<std::vector<GrowthOutline>> ReadOutlines(FileReader& file) {
  const FileSection section = file.Take(sections::kGrowth);
  const Result<std::vector<GrowthNumbers>> growth = section.ReadAll<GrowthNumbers>();
  if (!growth.ok()) return growth.error();
  if (growth->empty()) return section.CheckBytes(sizeof(GrowthNumbers)).error();
  std::vector<GrowthOutline> outlines;
  outlines.reserve(growth->size());
  uint32_t store_idx = 1;
  for (size_t f = 0; f < growth->size(); ++f) {
    GrowthOutline& outline = outlines.emplace_back(
        GrowthOutline{.growth = (*growth)[f],
                      .growth_at = section.record().offset + f * sizeof(GrowthNumbers),
                      .first_store = store_idx,
                      .generations = {},
                      .stores = {}});
    for (; file.Has(sections::kGeneration, store_idx); ++store_idx) {
      const FileSection generation = file.Take(sections::kGeneration, store_idx);
      const Result<GenerationNumbers> numbers = generation.ReadAs<GenerationNumbers>();
      if (!numbers.ok()) return numbers.error();
      if (numbers->filter_idx != f) break;
      if (numbers->reserved != 0) {
        return generation.CorruptAt(offsetof(GenerationNumbers, reserved),
                                    "reserved bytes are not zero");
      }
      const Result<StoreNumbers> store = ReadNumbers(file, store_idx);
      if (!store.ok()) return store.error();
      outline.generations.push_back(*numbers);
      outline.stores.push_back(*store);
    }
    if (outline.stores.empty() || outline.stores.size() > ScalableFilter::kMaxGenerations) {
      return CorruptGrowth(outline, 0,
                           "a filter of " + std::to_string(outline.stores.size()) + " generations");
    }
  }
  if (file.Has(sections::kGeneration, store_idx)) {
    return file.Take(sections::kGeneration, store_idx)
        .CorruptAt(offsetof(GenerationNumbers, filter_idx), "a generation of no filter");
  }
  return outlines;
}

uint64_t BlockBytes(const std::vector<GrowthOutline>& outlines) {
  uint64_t num_bytes = 0;
  for (const GrowthOutline& outline : outlines) {
    for (const StoreNumbers& store : outline.stores) num_bytes += GeometryOf(store).num_bytes();
  }
  return num_bytes;
}

Result<std::unique_ptr<GenerationsEngine>> ReadGenerations(
    FileReader& file, const GrowthOutline& outline, const DigestPolicy& policy,
    uint64_t limit_bytes, uint64_t used_bytes, GrowthPlans& plans) {
  const Result<ScalableConfig> config = ConfigOf(outline, policy, limit_bytes);
  if (!config.ok()) return config.error();
  Result<GrowthPlan> plan = plans.OfFilter(*config);
  if (!plan.ok()) return CorruptGrowth(outline, 0, plan.error().message);
  for (size_t i = 0; i < outline.stores.size(); ++i) {
    if (Status fits = CheckSlot(file, *plan, *config, outline, i); !fits.ok()) return fits.error();
  }
  GenerationList::Members members;
  uint64_t num_keys = 0;
  for (size_t i = 0; i < outline.stores.size(); ++i) {
    const StoreNumbers& numbers = outline.stores[i];
    const uint64_t load = outline.generations[i].load;
    const uint32_t store_idx = outline.first_store + static_cast<uint32_t>(i);
    Result<StoreContents> contents = ReadStore(file, store_idx, numbers, limit_bytes, used_bytes);
    if (!contents.ok()) return contents.error();
    const FileSection generation = file.Take(sections::kGeneration, store_idx);
    if (contents->num_keys == 0 && i + 1 != outline.stores.size()) {
      return generation.CorruptAt(0, "an empty generation that is not the newest");
    }
    if (load > contents->num_keys || load < LeastLoad(*contents->store)) {
      return generation.CorruptAt(offsetof(GenerationNumbers, load), "a load that cannot be");
    }
    if (contents->num_keys > kMaxFileKeys - num_keys) {
      return generation.CorruptAt(0, "all generations together hold more than 2^63 - 1 keys");
    }
    num_keys += contents->num_keys;
    used_bytes += contents->store->num_bytes();
    if (Status serves = contents->store->ServeQueries(limit_bytes); !serves.ok()) {
      return serves.error();
    }
    members.push_back(std::make_shared<Generation>(std::move(contents->store),
                                                   outline.generations[i].slot, numbers.capacity,
                                                   numbers.target_fpr));
    members.back()->AddKeys(contents->num_keys);
    members.back()->SetLoad(load);
  }
  return std::make_unique<GenerationsEngine>(
      *config, std::make_unique<Generations>(*std::move(plan), limit_bytes, std::move(members)));
}

// --- Writing.

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

// `num_slices` is what all generations of slices have, whatever was asked for: sizing may choose
// otherwise one day.
GrowthNumbers GrowthOf(const GenerationsEngine& engine) {
  const ScalableConfig& config = engine.config();
  const Generations& generations = engine.generations();
  const uint32_t num_slices = config.encoding == Encoding::kAutomatic
                                  ? generations.plan().num_slices()
                                  : generations.Read()->at(0).store().geometry().num_slices;
  return {.first_capacity = config.first_capacity,
          .target_fpr = config.target_fpr,
          .max_capacity = config.max_capacity,
          .tightening = config.tightening,
          .growth = config.growth,
          .num_slices = num_slices,
          .encoding = static_cast<uint32_t>(config.encoding),
          .reserved = 0};
}

Result<WrittenGenerations> WriteGenerations(const GenerationsEngine& engine, uint32_t filter_idx,
                                            uint32_t first_store, FileWriter& file) {
  const Result<GenerationsEngine::Copies> copies = engine.Copy();
  if (!copies.ok()) return copies.error();
  WrittenGenerations written;
  for (const GenerationsEngine::GenerationCopy& copy : *copies) {
    const uint32_t store_idx = first_store + written.num_stores;
    file.Add(sections::kGeneration, store_idx,
             BytesOf(GenerationNumbers{
                 .slot = copy.slot, .load = copy.load, .filter_idx = filter_idx, .reserved = 0}));
    WriteStore(*copy.store, store_idx, copy.capacity, copy.budget_fpr, file);
    written.num_stores += 1;
    written.num_keys += copy.num_keys;
  }
  return written;
}

Status GenerationsEngine::WriteTo(FileWriter& file) const {
  uint64_t about_bytes = 0;
  {
    const auto list = generations_->Read();
    for (const auto& member : list->members()) about_bytes += SectionBytes(member->store());
  }
  file.Begin(FileType::kScalable, config_.digest, about_bytes);
  file.Add(sections::kGrowth, 0, BytesOf(GrowthOf(*this)));
  const Result<WrittenGenerations> written = WriteGenerations(*this, 0, 1, file);
  return written.ok() ? Ok() : Status(written.error());
}

Result<std::unique_ptr<GenerationsEngine>> GenerationsEngine::Read(FileReader& file,
                                                                   uint64_t limit_bytes,
                                                                   const DigestKey& digest_key) {
  const Result<DigestPolicy> policy = file.Policy(digest_key);
  if (!policy.ok()) return policy.error();
  const Result<std::vector<GrowthOutline>> outlines = ReadOutlines(file);
  if (!outlines.ok()) return outlines.error();
  if (outlines->size() != 1) {
    return CorruptAt(outlines->front().growth_at, "section 'growth': more than one filter");
  }
  if (Status fits =
          CheckMemoryLimit("the filter needs at least", BlockBytes(*outlines), limit_bytes);
      !fits.ok()) {
    return fits.error();
  }
  GrowthPlans plans;
  return ReadGenerations(file, outlines->front(), *policy, limit_bytes, 0, plans);
}

}  // namespace trommel
