// The textbook filter, split blocks and our filters as sides.
#include "bench/sides/contenders.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "bench/sides/access_shape.h"
#include "bench/sides/demand.h"
#include "bench/sides/fpr_bounds.h"
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
  explicit Textbook(std::shared_ptr<TextbookFilter> filter) : filter_(std::move(filter)) {}

  std::string_view name() const override { return "textbook"; }
  bool CanDo(Op op) const override { return FormOf(op) == Form::kBatch; }

  void Insert(Batch batch, Form) override { filter_->Insert(batch.digests); }
  uint64_t Erase(Batch batch, Form) override { return filter_->Erase(batch.digests); }
  uint64_t Query(Batch batch, Form form) const override {
    if (form == Form::kPoint) return CountPoints(*filter_, batch);
    bitmap_.resize(CountingFilter::BitmapWords(batch.size()));
    return filter_->Query(batch.digests, bitmap_);
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

std::unique_ptr<Contender> MakeTextbook(std::shared_ptr<TextbookFilter> filter) {
  return std::make_unique<Textbook>(std::move(filter));
}

std::unique_ptr<Contender> MakeSplitBlock(uint64_t num_blocks) {
  return std::make_unique<SplitBlock>(num_blocks);
}

namespace {

// What all sides here have in common.
template <class Filter>
class TrommelSide : public Contender {
 public:
  TrommelSide(std::string name, std::shared_ptr<Filter> filter)
      : name_(std::move(name)), filter_(std::move(filter)) {}

  std::string_view name() const override { return name_; }

  void Insert(Batch batch, Form form) override {
    if (form == Form::kBatch) {
      filter_->Insert(Keys::Digests(batch.digests));
    } else {
      ForEachKey(batch, form, [this](Key key) { filter_->Insert(key); });
    }
  }
  uint64_t Query(Batch batch, Form form) const override {
    if (form == Form::kBatch) {
      bitmap_.resize(CountingFilter::BitmapWords(batch.size()));
      return filter_->Query(Keys::Digests(batch.digests), bitmap_);
    }
    uint64_t num_present = 0;
    ForEachKey(batch, form, [&](Key key) { num_present += filter_->MayContain(key); });
    return num_present;
  }

  const void* filter_id() const override { return filter_.get(); }
  Access update_access() const override { return {UpdateShape(filter_->geometry())}; }
  Access query_access() const override { return {QueryShape(filter_->geometry())}; }
  double PredictedFpr(uint64_t num_keys) const override {
    return trommel::PredictedFpr(filter_->geometry(), num_keys);
  }
  double FprSigma(uint64_t num_keys, uint64_t num_queries) const override {
    return BlockFprSigma(filter_->geometry(), num_keys, num_queries);
  }

 protected:
  template <class Visit>
  void ForEachKey(Batch batch, Form form, const Visit& visit) const {
    if (form == Form::kFetched) {
      ForEachFetchedKey(batch, visit);
    } else {
      for (const uint64_t digest : batch.digests) visit(Key::Digest(digest));
    }
  }
  Filter& filter() const { return *filter_; }

 private:
  template <class Visit>
  void ForEachFetchedKey(Batch batch, const Visit& visit) const {
    constexpr size_t kAhead = 16;
    const auto fetch = [&](size_t i) { return filter_->Prefetch(Key::Digest(batch.digests[i])); };
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
  mutable std::vector<uint64_t> bitmap_;
};

class CountingSide final : public TrommelSide<CountingFilter> {
 public:
  using TrommelSide::TrommelSide;
  uint64_t Erase(Batch batch, Form form) override {
    if (form == Form::kBatch) return filter().Erase(Keys::Digests(batch.digests)).num_erased;
    uint64_t num_erased = 0;
    ForEachKey(batch, form, [&](Key key) { num_erased += filter().Erase(key); });
    return num_erased;
  }
  uint64_t num_bytes() const override { return filter().geometry().num_bytes(); }
};

class WindowSide final : public TrommelSide<WindowFilter> {
 public:
  WindowSide(std::shared_ptr<WindowFilter> filter, uint64_t num_keys)
      : TrommelSide("window", std::move(filter)), keys_to_spread_(num_keys) {}

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
    if (form == Form::kBatch) {
      return filter().Erase(Keys::Digests(batch.digests), filter().now()).num_erased;
    }
    uint64_t num_erased = 0;
    ForEachKey(batch, form, [&](Key key) { num_erased += filter().Erase(key, filter().now()); });
    return num_erased;
  }
  uint64_t num_bytes() const override { return filter().GetStats().num_bytes; }
  double PredictedFpr(uint64_t num_keys) const override {
    return filter().PredictedFpr(num_keys) + filter().GetStats().slots.undecided_share;
  }

 private:
  uint64_t keys_to_spread_;
  uint64_t num_spread_ = 0;
};

}  // namespace

std::unique_ptr<Contender> MakeOurs(std::string name, std::shared_ptr<CountingFilter> filter) {
  return std::make_unique<CountingSide>(std::move(name), std::move(filter));
}

std::shared_ptr<CountingFilter> CreateOrExit(const CountingConfig& config) {
  return std::make_shared<CountingFilter>(ValueOrExit(CountingFilter::Create(config)));
}

std::unique_ptr<Contender> MakeWindow(uint64_t num_keys, double target_fpr) {
  constexpr uint32_t kBuckets = 8;
  const WindowConfig config{.window = kBuckets,
                            .num_buckets = kBuckets,
                            // One bucket more may be live than hold keys here.
                            .capacity = num_keys / kBuckets * (kBuckets + 1),
                            .target_fpr = target_fpr};
  return std::make_unique<WindowSide>(
      std::make_shared<WindowFilter>(ValueOrExit(WindowFilter::Create(config))),
      num_keys - num_keys / 32);
}

}  // namespace trommel::bench
