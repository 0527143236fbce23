// WindowFilter as AnyFilter.
#ifndef TROMMEL_ENGINE_SRC_ANY_FILTER_WINDOW_ADAPTER_H_
#define TROMMEL_ENGINE_SRC_ANY_FILTER_WINDOW_ADAPTER_H_

#include <utility>
#include <vector>

#include "engine/src/any_filter/adapter.h"
#include "engine/src/any_filter/description.h"
#include "engine/src/any_filter/shared_figures.h"
#include "trommel/window_filter.h"

namespace trommel {

class WindowAdapter final : public ExpiringAdapter<WindowFilter> {
 public:
  static constexpr FilterType kType = FilterType::kWindow;
  static_assert(kChunkKeys == WindowFilter::kChunkKeys);
  using Config = WindowConfig;
  using ExpiringAdapter::ExpiringAdapter;

  static void Read(Description& given, Config& config) {
    given.Take("window", config.window)
        .Take("num_buckets", config.num_buckets)
        .Take("capacity", config.capacity)
        .Take("is_erasable", config.is_erasable);
  }

  FilterType type() const noexcept override { return kType; }

  Figures GetFigures(bool measured) const override {
    const Geometry& geometry = filter_.geometry();
    const WindowStats stats = filter_.GetStats();
    Figures figures = {{"num_keys", stats.num_keys}, {"capacity", filter_.capacity()}};
    if (measured) {
      const double fpr = filter_.MeasureFill().current_fpr;
      AddMeasured(
          DistinctFromRate(geometry, fpr, stats.num_keys), fpr,
          [&](uint64_t num_keys) { return filter_.PredictedFpr(num_keys); }, figures);
    } else {
      figures.emplace_back("predicted_fpr", stats.predicted_fpr);
    }
    const uint32_t num_slots = geometry.fingerprint_bits == 12 ? 32 : 21;  // of 16 and of 24 bits
    figures.insert(figures.end(), {{"target_fpr", filter_.target_fpr()},
                                   {"num_bytes", stats.num_bytes},
                                   {"num_refused_erases", stats.num_refused_erases},
                                   {"num_refused_inserts", stats.num_refused_inserts},
                                   {"num_expired_erases", stats.num_expired_erases},
                                   {"window", filter_.window()},
                                   {"num_buckets", filter_.num_buckets()},
                                   {"bucket_ticks", filter_.bucket_ticks()},
                                   {"now", stats.now},
                                   {"is_erasable", filter_.is_erasable()},
                                   {"num_excess_keys", stats.num_excess_keys},
                                   {"num_slots", num_slots}});
    AddBlocks(stats.slots, geometry, figures);
    return figures;
  }
  std::pair<std::string_view, std::vector<Figures>> GetParts(bool) const override {
    std::vector<Figures> parts;
    for (const auto& [first, last, num_keys, fpr] : filter_.GetStats().buckets) {
      parts.push_back({{"first_tick", first}, {"last_tick", last}, {"num_keys", num_keys}});
    }
    return {"buckets", std::move(parts)};
  }
  GrowthForecast ForecastAt(uint64_t num_keys) const override {
    return {filter_.PredictedFpr(num_keys), filter_.geometry().num_bytes()};
  }

  Result<InsertOutcome> Insert(Keys keys, Bits inserted, uint64_t* inserted_at) override {
    InsertOutcome outcome = {.num_inserted = keys.size()};
    uint64_t time = 0;
    if (may_refuse_) {
      std::vector<uint64_t> scratch(inserted.empty() ? BitmapWords(keys.size()) : 0);
      outcome = Told(filter_.Insert(keys, inserted.empty() ? Bits(scratch) : inserted, &time));
    } else {  // takes less time
      time = filter_.Insert(keys);
      for (size_t i = 0; i < inserted.size(); ++i) inserted[i] = OnesOfWord(keys.size(), i);
    }
    if (inserted_at != nullptr) *inserted_at = time;
    return outcome;
  }
  Result<InsertOutcome> InsertAt(Keys keys, uint64_t time, Bits inserted) override {
    return Told(inserted.empty() ? filter_.Insert(keys, time)
                                 : filter_.Insert(keys, time, inserted));
  }
  Result<InsertOutcome> InsertIfAbsent(Keys keys, Bits inserted, Bits refused,
                                       Bits times) override {
    if (!refused.empty() && may_refuse_) {
      return Unsupported("with a limit of side memory do not say which absent keys were refused");
    }
    std::ranges::fill(refused, 0);
    return InsertOutcome{.num_inserted = times.empty()
                                             ? filter_.InsertIfAbsent(keys, inserted)
                                             : filter_.InsertIfAbsent(keys, inserted, times)};
  }
  bool InsertOne(Key key, uint64_t* inserted_at) noexcept override {
    if (may_refuse_) {
      const uint64_t digest = filter_.digest_policy()(key);
      uint64_t is_in = 0;
      return Insert(Keys::Digests({&digest, 1}), Bits(&is_in, 1), inserted_at)->num_inserted == 1;
    }
    const uint64_t time = filter_.Insert(key);
    if (inserted_at != nullptr) *inserted_at = time;
    return true;
  }
  Result<AnyFilterPtr> Clone() const override {
    return Adapted<WindowAdapter>(filter_.Clone(), may_refuse_);
  }

 private:
  static InsertOutcome Told(const WindowInsertOutcome& of) {
    return {of.num_inserted, of.num_refused,
            of.num_without_space == 0 ? GrowthRefusal::kNone : GrowthRefusal::kSideMemoryLimit};
  }
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_ANY_FILTER_WINDOW_ADAPTER_H_
