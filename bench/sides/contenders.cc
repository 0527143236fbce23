// The textbook filter, split blocks and our filters as sides.
#include "bench/sides/contenders.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "bench/sides/access_shape.h"
#include "bench/sides/demand.h"
#include "bench/sides/fpr_bounds.h"
#include "trommel/concurrent_filter.h"
#include "trommel/scalable_filter.h"
#include "trommel/window_filter.h"

namespace trommel::bench {
namespace {

template <class Filter>
uint64_t CountPoints(const Filter& filter, Batch batch) {
  uint64_t num_present = 0;
  for (const uint64_t digest : batch.digests) num_present += filter.MayContain(digest);
  return num_present;
}

class Textbook : public Contender {
 public:
  Textbook(std::shared_ptr<TextbookFilter> filter, bool prefetching)
      : filter_(std::move(filter)), prefetching_(prefetching) {}

  std::string_view name() const override {
    return prefetching_ ? "textbook" : "textbook-unprefetched";
  }
  bool CanDo(Op op) const override {
    return FormOf(op) == Form::kBatch || (!prefetching_ && FormOf(op) == Form::kPoint);
  }

  // Unprefetched batches are loops over the point operations, so the two differ only in queries:
  // those of a batch write a bitmap.
  void Insert(Batch batch, Form) override {
    prefetching_ ? filter_->Insert(batch.digests) : filter_->InsertUnprefetched(batch.digests);
  }
  uint64_t Erase(Batch batch, Form) override {
    return prefetching_ ? filter_->Erase(batch.digests) : filter_->EraseUnprefetched(batch.digests);
  }
  uint64_t Query(Batch batch, Form form) const override {
    if (form == Form::kPoint) return CountPoints(*filter_, batch);
    bitmap_.resize(CountingFilter::BitmapWords(batch.size()));
    return prefetching_ ? filter_->Query(batch.digests, bitmap_)
                        : filter_->QueryUnprefetched(batch.digests, bitmap_);
  }

  // k separate lines.
  Access update_access() const override {
    return {{{filter_->num_bytes(), 1}}, filter_->num_hashes()};
  }
  Access query_access() const override { return update_access(); }
  const void* filter_id() const override { return filter_.get(); }
  uint64_t num_bytes() const override { return filter_->num_bytes(); }
  double PredictedFpr(uint64_t num_keys) const override { return filter_->PredictedFpr(num_keys); }
  double FprSigma(uint64_t num_keys, uint64_t num_queries) const override {
    return TextbookFprSigma(filter_->num_counters(), filter_->num_hashes(), num_keys, num_queries);
  }

 private:
  std::shared_ptr<TextbookFilter> filter_;
  bool prefetching_;
  mutable std::vector<uint64_t> bitmap_;
};

class SplitBlock : public Contender {
 public:
  explicit SplitBlock(uint64_t num_blocks) : filter_(num_blocks) {}

  std::string_view name() const override { return "split-block"; }
  bool CanDo(Op op) const override {
    return Batched(op) != Op::kErase && FormOf(op) != Form::kFetched;
  }

  void Insert(Batch batch, Form form) override {
    if (form == Form::kBatch) return filter_.Insert(batch.digests);
    for (const uint64_t digest : batch.digests) filter_.Insert(digest);
  }
  uint64_t Erase(Batch, Form) override { return 0; }
  uint64_t Query(Batch batch, Form form) const override {
    if (form == Form::kPoint) return CountPoints(filter_, batch);
    bitmap_.resize(CountingFilter::BitmapWords(batch.size()));
    return filter_.Query(batch.digests, bitmap_);
  }

  const void* filter_id() const override { return &filter_; }
  Access update_access() const override { return {{{filter_.num_bytes(), 1}}}; }
  Access query_access() const override { return update_access(); }
  uint64_t num_bytes() const override { return filter_.num_bytes(); }
  double PredictedFpr(uint64_t num_keys) const override {
    return trommel::PredictedFpr({.num_blocks = filter_.num_blocks()}, num_keys);
  }
  double FprSigma(uint64_t num_keys, uint64_t num_queries) const override {
    return BlockFprSigma({.num_blocks = filter_.num_blocks()}, num_keys, num_queries);
  }

 private:
  SplitBlockFilter filter_;
  mutable std::vector<uint64_t> bitmap_;
};

}  // namespace

std::string_view OpName(Op op) {
  constexpr std::array<std::string_view, std::size(kAllOps)> kNames = {
      "insert",         "erase",         "query hit",         "query miss",
      "point insert",   "point erase",   "point query hit",   "point query miss",
      "fetched insert", "fetched erase", "fetched query hit", "fetched query miss"};
  return kNames.at(static_cast<size_t>(op));
}

std::unique_ptr<Contender> MakeTextbook(std::shared_ptr<TextbookFilter> filter, bool prefetching) {
  return std::make_unique<Textbook>(std::move(filter), prefetching);
}

std::unique_ptr<Contender> MakeSplitBlock(uint64_t num_blocks) {
  return std::make_unique<SplitBlock>(num_blocks);
}

std::vector<std::unique_ptr<Contender>> MakeContenders(uint64_t num_keys, double target_fpr) {
  const auto ours = CreateOrExit({.capacity = num_keys,
                                  .target_fpr = target_fpr,
                                  .digest = {},
                                  .encoding = Encoding::kPlanes});
  const auto textbook =
      std::make_shared<TextbookFilter>(TextbookFilter::ForKeys(num_keys, target_fpr));

  std::vector<std::unique_ptr<Contender>> sides;
  sides.push_back(MakeOurs("trommel", ours));
  sides.push_back(MakeOurs("trommel+hash", ours, /*hashing=*/true));
  sides.push_back(MakeTextbook(textbook, true));
  sides.push_back(MakeTextbook(textbook, false));
  sides.push_back(MakeSplitBlock(ours->geometry().num_blocks));
  return sides;
}

namespace {

struct StoreLoad {
  Geometry geometry;
  uint64_t num_keys;
};

// What all sides here have in common.
template <class Filter>
class TrommelSide : public Contender {
 public:
  TrommelSide(std::string name, std::shared_ptr<Filter> filter, bool hashing = false)
      : name_(std::move(name)), filter_(std::move(filter)), hashing_(hashing) {}
  TrommelSide(std::string name, Filter filter)
      : TrommelSide(std::move(name), std::make_shared<Filter>(std::move(filter))) {}

  std::string_view name() const override { return name_; }

  void Insert(Batch batch, Form form) override {
    if (form == Form::kBatch) {
      filter_->Insert(Input(batch));
    } else {
      ForEachKey(batch, form, [this](Key key) { filter_->Insert(key); });
    }
  }
  uint64_t Query(Batch batch, Form form) const override {
    if (form == Form::kBatch) {
      bitmap_.resize(CountingFilter::BitmapWords(batch.size()));
      return filter_->Query(Input(batch), bitmap_);
    }
    uint64_t num_present = 0;
    ForEachKey(batch, form, [&](Key key) { num_present += filter_->MayContain(key); });
    return num_present;
  }

  const void* filter_id() const override { return filter_.get(); }
  Access update_access() const override { return {UpdateShape(Loads(1).back().geometry)}; }
  Access query_access() const override { return {QueryShape(Loads(1).back().geometry)}; }
  double PredictedFpr(uint64_t num_keys) const override {
    double absent = 1;
    for (const StoreLoad& store : Loads(num_keys)) {
      absent *= 1 - trommel::PredictedFpr(store.geometry, store.num_keys);
    }
    return 1 - absent;
  }
  double FprSigma(uint64_t num_keys, uint64_t num_queries) const override {
    double sigma = 0;
    for (const StoreLoad& store : Loads(num_keys)) {
      sigma = std::hypot(sigma, BlockFprSigma(store.geometry, store.num_keys, num_queries));
    }
    return sigma;
  }

 protected:
  // The stores that a query reads, with num_keys in all.
  virtual std::vector<StoreLoad> Loads(uint64_t num_keys) const = 0;

  Keys Input(Batch batch) const {
    return hashing_ ? Keys(batch.keys) : Keys::Digests(batch.digests);
  }
  template <class Visit>
  void ForEachKey(Batch batch, Form form, const Visit& visit) const {
    if (form == Form::kFetched) {
      ForEachFetchedKey(batch, visit);
    } else if (hashing_) {
      for (const uint64_t key : batch.keys) visit(Key(key));
    } else {
      for (const uint64_t digest : batch.digests) visit(Key::Digest(digest));
    }
  }
  Filter& filter() const { return *filter_; }

 private:
  template <class Visit>
  void ForEachFetchedKey(Batch batch, const Visit& visit) const {
    constexpr size_t kAhead = 16;
    const auto fetch = [&](size_t i) {
      return filter_->Prefetch(hashing_ ? Key(batch.keys[i]) : Key::Digest(batch.digests[i]));
    };
    std::vector<Key> fetched;
    for (size_t i = 0; i < std::min(kAhead, batch.size()); ++i) fetched.push_back(fetch(i));
    for (size_t i = 0; i < batch.size(); ++i) {
      const Key key = fetched[i % kAhead];
      if (i + kAhead < batch.size()) fetched[i % kAhead] = fetch(i + kAhead);
      visit(key);
    }
  }

  std::string name_;
  std::shared_ptr<Filter> filter_;
  bool hashing_;
  mutable std::vector<uint64_t> bitmap_;
};

// Those whose Erase needs only the keys.
template <class Filter>
class ErasingSide : public TrommelSide<Filter> {
 public:
  using TrommelSide<Filter>::TrommelSide;
  uint64_t Erase(Batch batch, Form form) override {
    if (form == Form::kBatch) return this->filter().Erase(this->Input(batch)).num_erased;
    uint64_t num_erased = 0;
    this->ForEachKey(batch, form, [&](Key key) { num_erased += this->filter().Erase(key); });
    return num_erased;
  }
};

template <class Filter>
class OneStoreSide : public ErasingSide<Filter> {
 public:
  using ErasingSide<Filter>::ErasingSide;
  uint64_t num_bytes() const override { return this->filter().geometry().num_bytes(); }

 private:
  std::vector<StoreLoad> Loads(uint64_t num_keys) const override {
    return {{this->filter().geometry(), num_keys}};
  }
};

class ScalableSide final : public ErasingSide<ScalableFilter> {
 public:
  using ErasingSide::ErasingSide;
  uint64_t num_bytes() const override { return filter().GetStats().num_bytes; }
  double PredictedFpr(uint64_t /*num_keys*/) const override {
    return filter().GetStats().predicted_fpr;
  }
  double FprSigma(uint64_t num_keys, uint64_t num_queries) const override {
    const double fpr = PredictedFpr(num_keys);
    return std::hypot(BinomialSigma(fpr, num_queries),
                      fpr / std::sqrt(static_cast<double>(num_keys)));
  }

 private:
  // For the lines that operations touch.
  std::vector<StoreLoad> Loads(uint64_t num_keys) const override {
    const uint64_t num_blocks = std::max<uint64_t>(filter().GetStats().num_blocks, 1);
    return {{{.num_slices = 0, .encoding = Encoding::kDense, .num_blocks = num_blocks}, num_keys}};
  }
};

class WindowSide final : public TrommelSide<WindowFilter> {
 public:
  WindowSide(std::string name, WindowFilter filter, uint64_t num_keys)
      : TrommelSide(std::move(name), std::move(filter)), keys_to_spread_(num_keys) {}

  void Insert(Batch batch, Form form) override {
    // A bucket is one tick long.
    const uint64_t keys_per_bucket = keys_to_spread_ / filter().num_buckets();
    while (num_spread_ < keys_to_spread_ && batch.size() > 0) {
      const uint64_t left = keys_per_bucket - num_spread_ % keys_per_bucket;
      const size_t count = std::min<uint64_t>(left, batch.size());
      const uint64_t bucket = num_spread_ / keys_per_bucket;
      filter().Advance(std::min<uint64_t>(bucket, filter().num_buckets() - 1));
      TrommelSide::Insert(batch.Part(0, count), form);
      num_spread_ += count;
      batch = batch.Part(count, batch.size() - count);
    }
    TrommelSide::Insert(batch, form);
  }
  uint64_t Erase(Batch batch, Form form) override {  // of the current bucket
    if (form == Form::kBatch) return filter().Erase(Input(batch), filter().now()).num_erased;
    uint64_t num_erased = 0;
    ForEachKey(batch, form, [&](Key key) { num_erased += filter().Erase(key, filter().now()); });
    return num_erased;
  }
  uint64_t num_bytes() const override { return filter().GetStats().num_bytes; }
  double PredictedFpr(uint64_t num_keys) const override {
    return filter().PredictedFpr(num_keys) + filter().GetStats().slots.undecided_share;
  }

 private:
  std::vector<StoreLoad> Loads(uint64_t num_keys) const override {
    return {{filter().geometry(), num_keys}};
  }

  uint64_t keys_to_spread_;
  uint64_t num_spread_ = 0;
};

}  // namespace

std::unique_ptr<Contender> MakeOurs(std::string name, std::shared_ptr<CountingFilter> filter,
                                    bool hashing) {
  return std::make_unique<OneStoreSide<CountingFilter>>(std::move(name), std::move(filter),
                                                        hashing);
}

std::shared_ptr<CountingFilter> CreateOrExit(const CountingConfig& config) {
  return std::make_shared<CountingFilter>(ValueOrExit(CountingFilter::Create(config)));
}

std::vector<std::unique_ptr<Contender>> MakeFamily(const FamilyRequest& request) {
  const CountingConfig config{
      .capacity = request.num_keys, .target_fpr = request.target_fpr, .encoding = request.encoding};
  const uint64_t num_spans = request.num_buckets + 1;

  std::vector<std::unique_ptr<Contender>> sides(kNumFamilySides);
  sides[kCountingSide] =
      std::make_unique<OneStoreSide<CountingFilter>>("counting", CreateOrExit(config));
  sides[kConcurrentSide] = std::make_unique<OneStoreSide<ConcurrentFilter>>(
      "concurrent", ValueOrExit(ConcurrentFilter::Create(config)));
  sides[kScalableSide] = std::make_unique<ScalableSide>(
      "scalable", ValueOrExit(ScalableFilter::Create(
                      {.target_fpr = request.target_fpr, .max_capacity = request.num_keys})));
  const WindowConfig window{.window = request.num_buckets,
                            .num_buckets = request.num_buckets,
                            // One bucket more may be live than hold keys here.
                            .capacity = request.num_keys / request.num_buckets * num_spans,
                            .target_fpr = request.target_fpr};
  const uint64_t num_spread = request.num_keys - request.num_keys / 32;
  sides[kWindowSide] =
      std::make_unique<WindowSide>("window", ValueOrExit(WindowFilter::Create(window)), num_spread);
  return sides;
}

}  // namespace trommel::bench
