// GrowthEngine: what a scalable filter keeps its keys in, behind one interface. There are two:
// generations (generations_engine.h), and one store that doubles (doubling_engine.h).
#ifndef TROMMEL_ENGINE_SRC_SCALABLE_GROWTH_ENGINE_H_
#define TROMMEL_ENGINE_SRC_SCALABLE_GROWTH_ENGINE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/src/blocks/shortfalls.h"
#include "engine/src/files/file_writer.h"
#include "trommel/digest.h"
#include "trommel/executor.h"
#include "trommel/keys.h"
#include "trommel/outcomes.h"
#include "trommel/result.h"
#include "trommel/scalable_filter.h"

namespace trommel {

class GrowthEngine {
 public:
  // What a batch needs beside its keys.
  struct Context {
    const DigestPolicy& policy;
    Executor* executor = nullptr;  // null: the calling thread only
  };

  virtual ~GrowthEngine() = default;

  // Updates. The bits of the keys that were inserted or erased are set in `answers`: a word for
  // every 64 keys, zero before; empty if no answers are wanted. Erase returns how many were.
  virtual InsertOutcome Insert(const Context& context, Keys keys, bool only_if_absent,
                               std::span<uint64_t> answers) noexcept = 0;
  virtual uint64_t Erase(const Context& context, Keys keys,
                         std::span<uint64_t> answers) noexcept = 0;

  // Notes which of the ascending digests could not be erased if all of them were
  // (blocks/shortfalls.h). Takes locks one by one. May throw std::bad_alloc.
  virtual void FindMissing(std::span<const uint64_t> digests, Shortfalls& shortfalls) const = 0;

  // As ScalableFilter's. None but CountEstimates takes a lock.
  virtual size_t Query(const Context& context, Keys keys,
                       std::span<uint64_t> maybe_present) const noexcept = 0;
  virtual size_t Select(const Context& context, Keys keys, Answer answer,
                        std::span<uint32_t> selection) const noexcept = 0;
  virtual void CountEstimates(const Context& context, Keys keys,
                              std::span<uint64_t> counts) const noexcept = 0;
  virtual bool MayContain(uint64_t digest) const noexcept = 0;
  virtual void Prefetch(uint64_t digest) const noexcept = 0;

  // As ScalableFilter's of these names.
  virtual uint64_t num_keys() const noexcept = 0;
  virtual size_t num_generations() const noexcept = 0;
  virtual uint64_t largest_capacity() const noexcept = 0;
  virtual GrowthForecast ForecastAt(uint64_t num_keys) const = 0;
  virtual uint64_t NextBytes() const = 0;
  // All but the refusals, which the filter counts.
  virtual ScalableStats GetStats() const = 0;
  virtual ScalableFill MeasureFill() const = 0;

  // As ScalableFilter's. Exclusive.
  virtual Status LimitSideMemory(uint64_t limit_bytes) = 0;
  // As new. Fails, changing nothing, if the system refuses memory. Exclusive.
  virtual Status Clear() = 0;
  // As ScalableFilter's. May throw std::bad_alloc.
  virtual Status WriteTo(FileWriter& file) const = 0;

 protected:
  GrowthEngine() = default;
  GrowthEngine(const GrowthEngine&) = default;
  GrowthEngine& operator=(const GrowthEngine&) = default;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SCALABLE_GROWTH_ENGINE_H_
