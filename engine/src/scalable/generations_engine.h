// GenerationsEngine: a scalable filter's keys in generations. Why its promises hold stands in
// generations_engine.cc.
#ifndef TROMMEL_ENGINE_SRC_SCALABLE_GENERATIONS_ENGINE_H_
#define TROMMEL_ENGINE_SRC_SCALABLE_GENERATIONS_ENGINE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/src/files/file_reader.h"
#include "engine/src/files/file_writer.h"
#include "engine/src/scalable/generations.h"
#include "engine/src/scalable/growth_engine.h"
#include "engine/src/scalable/scalable_update.h"
#include "engine/src/sync/range_locks.h"

namespace trommel {

class GenerationsEngine final : public GrowthEngine {
 public:
  GenerationsEngine(const ScalableConfig& config, std::unique_ptr<Generations> generations)
      : config_(config), generations_(std::move(generations)), locks_(GrowthPlan::kLockBits) {
    config_.executor = nullptr;
  }

  InsertOutcome Insert(const Context& context, Keys keys, bool only_if_absent,
                       std::span<uint64_t> answers) noexcept override;
  uint64_t Erase(const Context& context, Keys keys, std::span<uint64_t> answers) noexcept override;
  void FindMissing(std::span<const uint64_t> digests, Shortfalls& shortfalls) const override;
  size_t Query(const Context& context, Keys keys,
               std::span<uint64_t> maybe_present) const noexcept override;
  size_t Select(const Context& context, Keys keys, Answer answer,
                std::span<uint32_t> selection) const noexcept override;
  void CountEstimates(const Context& context, Keys keys,
                      std::span<uint64_t> counts) const noexcept override;
  bool MayContain(uint64_t digest) const noexcept override;
  void Prefetch(uint64_t digest) const noexcept override;

  uint64_t num_keys() const noexcept override;
  size_t num_generations() const noexcept override;
  uint64_t largest_capacity() const noexcept override;
  GrowthForecast ForecastAt(uint64_t num_keys) const override;
  uint64_t NextBytes() const override;
  ScalableStats GetStats() const override;
  ScalableFill MeasureFill() const override;

  Status LimitSideMemory(uint64_t limit_bytes) override;
  Status Clear() override;
  Status WriteTo(FileWriter& file) const override;

  // Of a file. Fails as ScalableFilter::Load.
  static Result<std::unique_ptr<GenerationsEngine>> Read(FileReader& file, uint64_t limit_bytes,
                                                         const DigestKey& digest_key);

  // One generation for a file.
  struct GenerationCopy {
    std::unique_ptr<Store> store;
    uint64_t slot = 0;
    uint64_t capacity = 0;
    double budget_fpr = 0;
    uint64_t num_keys = 0;
    uint64_t load = 0;
  };
  using Copies = std::vector<GenerationCopy>;
  // All generations, each lock's part of them as it is at one moment.
  Result<Copies> Copy() const;

  // Whether no generation ever has fingerprints.
  bool has_slices() const {
    return config_.encoding == Encoding::kPlanes || config_.encoding == Encoding::kRuns;
  }
  // As ScalableParts'. Takes locks for a few keys of generations of fingerprints.
  size_t QueryExactly(std::span<const uint64_t> digests, std::span<uint64_t> held) const noexcept;

  const ScalableConfig& config() const { return config_; }
  Generations& generations() { return *generations_; }
  const Generations& generations() const { return *generations_; }

 private:
  ScalableTarget ForUpdates(const Context& context) {
    return {.generations = *generations_,
            .locks = locks_,
            .policy = context.policy,
            .executor = context.executor};
  }

  // Calls visit(g, o) for every owned range o of each generation g, lock by lock, each under its
  // lock: a lock's ranges of all generations at one moment, for a key may leave one and enter
  // another.
  template <class Visit>
  void VisitOwnedRanges(const GenerationList::Members& members, const Visit& visit) const {
    for (size_t l = 0; l < locks_.num_locks(); ++l) {
      const RangeLocks::Held held = locks_.Hold(l, locks_.lock_bits());
      for (size_t g = 0; g < members.size(); ++g) {
        const size_t num_ranges = members[g]->store().num_owned_ranges() / locks_.num_locks();
        for (size_t o = l * num_ranges; o < (l + 1) * num_ranges; ++o) visit(g, o);
      }
    }
  }

  ScalableConfig config_;  // without an executor
  std::unique_ptr<Generations> generations_;
  mutable RangeLocks locks_;  // each covers its keys in every generation
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SCALABLE_GENERATIONS_ENGINE_H_
