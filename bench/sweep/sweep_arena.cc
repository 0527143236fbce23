#include "bench/sweep/sweep_arena.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "bench/sides/workload.h"

namespace trommel::bench {
namespace {

constexpr uint64_t kNumParts = 4;                 // of the ring
constexpr uint64_t kNumPartsIn = 2;               // between steps
constexpr uint64_t kMinKeysPerQueryStep = 32768;  // small pools are queried several times
constexpr size_t kNumSingleKeys = 1024;

void Check(bool is_right, const SweepRow& row, std::string_view message) {
  if (!is_right) throw WrongAnswer{row.name + ": " + std::string(message)};
}

// The digests of the keys [first_index, first_index + count).
std::vector<uint64_t> DigestsFrom(uint64_t first_index, uint64_t count) {
  std::vector<uint64_t> digests(count);
  for (uint64_t i = 0; i < count; ++i) digests[i] = KeyAt(first_index + i);
  const std::vector<uint64_t> keys = digests;
  DigestPolicy{}.Digests(keys, digests);
  return digests;
}

}  // namespace

Result<std::unique_ptr<SweepArena>> SweepArena::Create(uint64_t num_keys, Encoding encoding) {
  Result<CountingFilter> filter = CountingFilter::Create(SweepConfig(num_keys, encoding));
  if (!filter.ok()) return filter.error();
  return std::make_unique<SweepArena>(num_keys, std::move(*filter));
}

SweepArena::SweepArena(uint64_t num_keys, CountingFilter filter, uint64_t max_part)
    : part_size_(std::min(max_part, num_keys / kNumParts)),
      // During an insert step one more part is in.
      num_members_(num_keys - (kNumPartsIn + 1) * part_size_),
      filter_(std::move(filter)),
      guests_(DigestsFrom(kFirstGuest, kNumParts * part_size_)),
      head_(kNumPartsIn),
      words_(CountingFilter::BitmapWords(std::max(part_size_, kMinKeysPerQueryStep))) {
  Fill();
}

void SweepArena::Fill() {
  for (uint64_t first = 0; first < num_members_; first += kMaxPart) {
    InsertBatch(DigestsFrom(kFirstMember + first, std::min(kMaxPart, num_members_ - first)));
  }
  for (uint64_t part = 0; part < kNumPartsIn; ++part) InsertBatch(Part(part));
}

void SweepArena::Prepare(const SweepRow& row, std::shared_ptr<Executor> executor) {
  TurnRing();  // so that every row finds the same keys, in whichever filter is its own
  row_ = row;
  num_threads_ = executor == nullptr ? 1 : executor->num_threads();
  filter_.UseExecutor(std::move(executor));
  if (row.operation == Operation::kInsertSkewed && skewed_.empty()) MakeSkewed();
  if (!IsOfTextbook(row.operation) || textbook_) return;
  textbook_.emplace(TextbookFilter::ForKeys(row.num_keys, kSweepTargetFpr));
  Fill();
}

StepTime SweepArena::Step() {
  switch (row_.operation) {
    case Operation::kInsert:
    case Operation::kTextbookInsert:
      return InsertStep();
    case Operation::kErase:
    case Operation::kTextbookErase:
      return EraseStep();
    case Operation::kInsertSkewed:
      return SkewedStep();
    case Operation::kInsertIfAbsent:
      return IfAbsentStep();
    default:
      return QueryStep();
  }
}

StepTime SweepArena::InsertStep() {
  const Digests part = Part(head_);
  const uint64_t before = filter_.num_keys();
  const StepClock clock(num_threads_);
  Insert(part);
  const StepTime time = clock.Stop(part.size());
  ++head_;
  // The textbook's filter has no such number: the erasure proves it.
  Check(IsOfTextbook(row_.operation) || filter_.num_keys() == before + part.size(), row_,
        "not every key was inserted");
  EraseAll(Part(tail_++));
  return time;
}

StepTime SweepArena::EraseStep() {
  InsertBatch(Part(head_++));
  const Digests part = Part(tail_);
  const StepClock clock(num_threads_);
  const uint64_t num_erased = Erase(part);
  const StepTime time = clock.Stop(part.size());
  ++tail_;
  Check(num_erased == part.size(), row_, "a member could not be erased");
  return time;
}

StepTime SweepArena::SkewedStep() {
  const StepClock clock(num_threads_);
  Insert(skewed_);
  const StepTime time = clock.Stop(skewed_.size());
  EraseAll(skewed_);
  return time;
}

StepTime SweepArena::IfAbsentStep() {
  const Digests part = Part(head_);
  const uint64_t before = filter_.num_keys();
  uint64_t num_inserted = 0;
  std::vector<uint64_t> inserted;
  inserted.reserve(part.size());
  std::vector<std::vector<uint64_t>> bitmaps;
  InBatches(part, [&](Digests batch) {
    bitmaps.emplace_back(CountingFilter::BitmapWords(batch.size()));
  });
  const StepClock clock(num_threads_);
  auto bitmap = bitmaps.begin();
  InBatches(part, [&](Digests batch) {
    num_inserted += filter_.InsertIfAbsent(Keys::Digests(batch), *bitmap++);
  });
  const StepTime time = clock.Stop(part.size());
  for (size_t i = 0; i < part.size(); ++i) {
    const size_t bit = i % row_.batch;
    if (bitmaps[i / row_.batch][bit / 64] >> (bit % 64) & 1) inserted.push_back(part[i]);
  }
  Check(num_inserted == inserted.size() && filter_.num_keys() == before + num_inserted, row_,
        "the keys reported as inserted are not those that were");
  Check(Query(part) == part.size(), row_, "a key was not inserted and is absent");
  EraseAll(inserted);
  return time;
}

StepTime SweepArena::QueryStep() {
  QueryPool& pool =
      pools_.try_emplace(row_.operation, row_.operation, num_members_, part_size_).first->second;
  const Digests digests = pool.digests();
  const uint64_t repeats = (kMinKeysPerQueryStep + digests.size() - 1) / digests.size();
  uint64_t num_present = 0;
  const StepClock clock(num_threads_);
  for (uint64_t i = 0; i < repeats; ++i) num_present += Query(digests);
  const StepTime time = clock.Stop(repeats * digests.size());
  Check(num_present % repeats == 0, row_, "different answers to the same keys");
  const std::string wrong = pool.Check(num_present / repeats, [this] { return CurrentFpr(); });
  Check(wrong.empty(), row_, wrong);
  Check(!pool.is_first() || SingleKeysAgree(digests), row_,
        "the batch and the single-key form answered differently");
  pool.Advance();
  return time;
}

void SweepArena::Prove() {
  TurnRing();
  row_.operation = Operation::kErase;  // of our filter
  const uint64_t num_keys = filter_.num_keys();
  Check(num_keys == num_members_ + kNumPartsIn * part_size_, row_, "keys were lost or left over");
  EraseAll(Part(0));
  EraseAll(Part(1));
  for (uint64_t first = 0; first < num_members_; first += kMaxPart) {
    const std::vector<uint64_t> members =
        DigestsFrom(kFirstMember + first, std::min(kMaxPart, num_members_ - first));
    EraseAll(members);
  }
  const Stats stats = filter_.GetStats();
  Check(stats.num_keys == 0 && filter_.MeasureFill().fill_ratio == 0 && stats.num_promoted == 0,
        row_, "the filter is not empty after all keys were erased");
}

SweepArena::Digests SweepArena::Part(uint64_t idx) const {
  return Digests(guests_).subspan(idx % kNumParts * part_size_, part_size_);
}

void SweepArena::TurnRing() {
  for (; tail_ % kNumParts != 0; ++head_, ++tail_) {
    InsertBatch(Part(head_));
    EraseAll(Part(tail_));
  }
}

void SweepArena::MakeSkewed() {
  Draws draws(1, 0);
  skewed_.resize(part_size_);
  for (uint64_t& digest : skewed_) {
    const double uniform = static_cast<double>(draws.Next() >> 11) * 0x1p-53;
    digest = DigestPolicy{}(Key(KeyAt(kFirstMember + ZipfRank(uniform, num_members_))));
  }
}

template <class Call>
void SweepArena::InBatches(Digests digests, const Call& call) {
  for (size_t i = 0; i < digests.size(); i += row_.batch) {
    call(digests.subspan(i, std::min(row_.batch, digests.size() - i)));
  }
}

void SweepArena::InsertBatch(Digests digests) {
  if (IsOfTextbook(row_.operation)) {
    textbook_->Insert(digests);
  } else {
    filter_.Insert(Keys::Digests(digests));
  }
}

uint64_t SweepArena::EraseBatch(Digests digests) {
  return IsOfTextbook(row_.operation) ? textbook_->Erase(digests)
                                      : filter_.Erase(Keys::Digests(digests)).num_erased;
}

uint64_t SweepArena::QueryBatch(Digests digests) {
  const std::span words = std::span(words_).first(CountingFilter::BitmapWords(digests.size()));
  return IsOfTextbook(row_.operation) ? textbook_->Query(digests, words)
                                      : filter_.Query(Keys::Digests(digests), words);
}

void SweepArena::Insert(Digests digests) {
  InBatches(digests, [this](Digests batch) { InsertBatch(batch); });
}

uint64_t SweepArena::Erase(Digests digests) {
  uint64_t num_erased = 0;
  InBatches(digests, [&](Digests batch) { num_erased += EraseBatch(batch); });
  return num_erased;
}

uint64_t SweepArena::Query(Digests digests) {
  uint64_t num_present = 0;
  InBatches(digests, [&](Digests batch) { num_present += QueryBatch(batch); });
  return num_present;
}

void SweepArena::EraseAll(Digests digests) {
  Check(EraseBatch(digests) == digests.size(), row_, "a member could not be erased");
}

double SweepArena::CurrentFpr() const {
  return IsOfTextbook(row_.operation)
             ? textbook_->PredictedFpr(num_members_ + kNumPartsIn * part_size_)
             : filter_.MeasureFill().current_fpr;
}

bool SweepArena::SingleKeysAgree(Digests digests) {
  const Digests some = digests.first(std::min(kNumSingleKeys, digests.size()));
  QueryBatch(some);
  for (size_t i = 0; i < some.size(); ++i) {
    const bool is_found = IsOfTextbook(row_.operation) ? textbook_->MayContain(some[i])
                                                       : filter_.MayContain(Key::Digest(some[i]));
    if (is_found != ((words_[i / 64] >> (i % 64) & 1) != 0)) return false;
  }
  return true;
}

namespace {

constexpr uint64_t kMostBatches = 4;
constexpr uint64_t kUnknown = std::numeric_limits<uint64_t>::max();
constexpr double kMaxSigmas = 6;

bool IsMember(Operation op, uint64_t i) {
  const bool coin = (KeyAt(~i) & 1) != 0;
  return op == Operation::kQueryHit || op == Operation::kTextbookQueryHit ||
         (op == Operation::kQueryHalf && coin);
}

}  // namespace

QueryPool::QueryPool(Operation op, uint64_t num_members, uint64_t batch_size)
    : batch_size_(batch_size),
      digests_(std::min(kMostBatches, num_members / batch_size) * batch_size),
      num_in_(digests_.size() / batch_size),
      num_present_(num_in_.size(), kUnknown) {
  std::vector<uint64_t> keys(digests_.size());
  for (uint64_t i = 0; i < keys.size(); ++i) {
    const bool is_member = IsMember(op, i);
    keys[i] = KeyAt((is_member ? kFirstMember : kFirstNonMember) + i);
    num_in_[i / batch_size] += is_member ? 1 : 0;
  }
  DigestPolicy{}.Digests(keys, digests_);
}

std::string QueryPool::Check(uint64_t num_present, const std::function<double()>& fpr) {
  const uint64_t num_in = num_in_[current_];
  if (num_present < num_in) return "a member was answered \"absent\"";
  is_first_ = num_present_[current_] == kUnknown;
  if (!is_first_) {
    return num_present == num_present_[current_] ? "" : "the answers to these keys changed";
  }
  const double expected = static_cast<double>(batch_size_ - num_in) * fpr();
  const double false_positives = static_cast<double>(num_present - num_in);
  if (std::abs(false_positives - expected) > kMaxSigmas * (1 + std::sqrt(expected))) {
    return std::to_string(num_present - num_in) + " false positives; expected " +
           std::to_string(std::llround(expected));
  }
  num_present_[current_] = num_present;
  return "";
}

}  // namespace trommel::bench
