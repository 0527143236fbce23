// The textbook filter and split blocks as sides.
#include "bench/sides/contenders.h"

#include <array>
#include <utility>

#include "bench/sides/fpr_bounds.h"

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

}  // namespace trommel::bench
