#include "bench/family_contenders.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "bench/access_shape.h"
#include "bench/fpr_bounds.h"
#include "trommel/concurrent_filter.h"
#include "trommel/layered_filter.h"
#include "trommel/scalable_filter.h"
#include "trommel/window_filter.h"

namespace trommel::bench {
namespace {

template <class T>
T ValueOrExit(Result<T> result) {
  if (result.ok()) return *std::move(result);
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  std::exit(3);
}

// Rates of several stores that a query asks one after the other.
struct StoreLoad {
  Geometry geometry;
  uint64_t num_keys;
};

double FprOfAll(const std::vector<StoreLoad>& stores) {
  double absent = 1;
  for (const StoreLoad& store : stores) {
    absent *= 1 - trommel::PredictedFpr(store.geometry, store.num_keys);
  }
  return 1 - absent;
}

double SigmaOfAll(const std::vector<StoreLoad>& stores, uint64_t num_queries) {
  double variance = 0;
  for (const StoreLoad& store : stores) {
    const double sigma = BlockFprSigma(store.geometry, store.num_keys, num_queries);
    variance += sigma * sigma;
  }
  return std::sqrt(variance);
}

// What all sides here have in common.
template <class Filter>
class FamilyMemberSide : public Contender {
 public:
  FamilyMemberSide(std::string name, Filter filter)
      : name_(std::move(name)), filter_(std::move(filter)) {}

  std::string_view name() const override { return name_; }
  bool CanDo(Op) const override { return true; }

  void Insert(Batch batch, bool point) override {
    if (!point) {
      filter_.Insert(Keys::Digests(batch.digests));
      return;
    }
    for (const uint64_t digest : batch.digests) filter_.Insert(Key::Digest(digest));
  }
  uint64_t Query(Batch batch, bool point) const override {
    if (!point) {
      bitmap_.resize(CountingFilter::BitmapWords(batch.size()));
      return filter_.Query(Keys::Digests(batch.digests), bitmap_);
    }
    uint64_t num_present = 0;
    for (const uint64_t digest : batch.digests) {
      num_present += filter_.MayContain(Key::Digest(digest));
    }
    return num_present;
  }

  const void* filter_id() const override { return this; }
  Access update_access() const override { return {UpdateShape(Loads(1).back().geometry)}; }
  Access query_access() const override { return {QueryShape(Loads(1).back().geometry)}; }
  double PredictedFpr(uint64_t num_keys) const override { return FprOfAll(Loads(num_keys)); }
  double FprSigma(uint64_t num_keys, uint64_t num_queries) const override {
    return SigmaOfAll(Loads(num_keys), num_queries);
  }

 protected:
  // The stores that a query asks, with so many keys in all.
  virtual std::vector<StoreLoad> Loads(uint64_t num_keys) const = 0;

  std::string name_;
  Filter filter_;
  mutable std::vector<uint64_t> bitmap_;
};

// Those that know a key's place without being told.
template <class Filter>
class ErasingSide : public FamilyMemberSide<Filter> {
 public:
  using FamilyMemberSide<Filter>::FamilyMemberSide;
  uint64_t Erase(Batch batch, bool point) override {
    if (!point) return this->filter_.Erase(Keys::Digests(batch.digests)).num_erased;
    uint64_t num_erased = 0;
    for (const uint64_t digest : batch.digests)
      num_erased += this->filter_.Erase(Key::Digest(digest));
    return num_erased;
  }
};

template <class Filter>
class OneStoreSide final : public ErasingSide<Filter> {
 public:
  using ErasingSide<Filter>::ErasingSide;
  uint64_t num_bytes() const override { return this->filter_.geometry().num_bytes(); }

 private:
  std::vector<StoreLoad> Loads(uint64_t num_keys) const override {
    return {{this->filter_.geometry(), num_keys}};
  }
};

class ScalableSide final : public ErasingSide<ScalableFilter> {
 public:
  using ErasingSide::ErasingSide;
  uint64_t num_bytes() const override { return filter_.GetStats().num_bytes; }

 private:
  std::vector<StoreLoad> Loads(uint64_t /*num_keys*/) const override {
    std::vector<StoreLoad> loads;
    for (const GenerationStats& generation : filter_.GetStats().generations) {
      loads.push_back({generation.geometry, generation.load});
    }
    return loads;
  }
};

class WindowSide final : public FamilyMemberSide<WindowFilter> {
 public:
  WindowSide(std::string name, WindowFilter filter, uint64_t num_keys)
      : FamilyMemberSide(std::move(name), std::move(filter)), keys_to_spread_(num_keys) {}

  void Insert(Batch batch, bool point) override {
    // A bucket is one tick long.
    const uint64_t keys_a_bucket = keys_to_spread_ / filter_.num_buckets();
    while (num_spread_ < keys_to_spread_ && batch.size() > 0) {
      const uint64_t left = keys_a_bucket - num_spread_ % keys_a_bucket;
      const size_t count = std::min<uint64_t>(left, batch.size());
      const uint64_t bucket = num_spread_ / keys_a_bucket;
      filter_.Advance(std::min<uint64_t>(bucket, filter_.num_buckets() - 1));
      FamilyMemberSide::Insert(batch.Part(0, count), point);
      num_spread_ += count;
      batch = batch.Part(count, batch.size() - count);
    }
    FamilyMemberSide::Insert(batch, point);
  }
  uint64_t Erase(Batch batch, bool point) override {  // of the last bucket
    if (!point) return filter_.Erase(Keys::Digests(batch.digests), filter_.now()).num_erased;
    uint64_t num_erased = 0;
    for (const uint64_t digest : batch.digests) {
      num_erased += filter_.Erase(Key::Digest(digest), filter_.now());
    }
    return num_erased;
  }
  uint64_t num_bytes() const override { return filter_.GetStats().num_bytes; }

 private:
  std::vector<StoreLoad> Loads(uint64_t /*num_keys*/) const override {
    std::vector<StoreLoad> loads;
    for (const WindowBucket& bucket : filter_.GetStats().buckets) {
      loads.push_back({filter_.geometry(), bucket.stats.num_keys});
    }
    return loads;
  }

  uint64_t keys_to_spread_;
  uint64_t num_spread_ = 0;
};

// False positives of the large layer only are the pair's.
class LayeredSide final : public ErasingSide<LayeredFilter> {
 public:
  using ErasingSide::ErasingSide;
  uint64_t num_bytes() const override {
    return filter_.layer(0).geometry().num_bytes() + filter_.layer(1).geometry().num_bytes();
  }

 private:
  std::vector<StoreLoad> Loads(uint64_t num_keys) const override {
    return {{filter_.layer(1).geometry(), num_keys}};
  }
};

}  // namespace

std::vector<std::unique_ptr<Contender>> MakeFamily(const FamilyRequest& request) {
  const CountingConfig config{
      .capacity = request.num_keys, .target_fpr = request.target_fpr, .encoding = request.encoding};
  // Generations of 1, 2, 4, ... first capacities; a little room, so that none more is begun.
  const uint64_t num_shares = (uint64_t{1} << request.num_generations) - 1;
  const uint64_t first_capacity = request.num_keys / num_shares * 101 / 100 + 1;
  const uint64_t num_spans = request.num_buckets + 1;

  std::vector<std::unique_ptr<Contender>> sides(kNumFamilySides);
  sides[kCountingSide] = std::make_unique<OneStoreSide<CountingFilter>>(
      "counting", ValueOrExit(CountingFilter::Create(config)));
  sides[kConcurrentSide] = std::make_unique<OneStoreSide<ConcurrentFilter>>(
      "concurrent", ValueOrExit(ConcurrentFilter::Create(config)));
  sides[kScalableSide] = std::make_unique<ScalableSide>(
      "scalable", ValueOrExit(ScalableFilter::Create({.first_capacity = first_capacity,
                                                      .target_fpr = request.target_fpr,
                                                      .encoding = request.encoding})));
  sides[kWindowSide] = std::make_unique<WindowSide>(
      "window",
      ValueOrExit(
          WindowFilter::Create({.window = request.num_buckets,
                                .num_buckets = request.num_buckets,
                                // One bucket more may be live than hold keys here.
                                .capacity = request.num_keys / request.num_buckets * num_spans,
                                .target_fpr = request.target_fpr,
                                .encoding = request.encoding})),
      request.num_keys - request.num_keys / 32);
  sides[kLayeredSide] = std::make_unique<LayeredSide>(
      "layered", ValueOrExit(LayeredFilter::Create({.capacity = request.num_keys,
                                                    .target_fpr = request.target_fpr,
                                                    .encoding = request.encoding})));
  return sides;
}

}  // namespace trommel::bench
