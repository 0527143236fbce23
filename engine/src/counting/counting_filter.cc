#include "trommel/counting_filter.h"

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "engine/src/base/check.h"
#include "engine/src/base/memory_limit.h"
#include "engine/src/blocks/store_stats.h"
#include "engine/src/counting/counting_filter_impl.h"
#include "engine/src/counting/forced_route.h"
#include "engine/src/files/filter_files.h"
#include "engine/src/files/store_sections.h"
#include "engine/src/fingerprints/make_store.h"
#include "engine/src/keys/digest_policy.h"
#include "engine/src/keys/key_batches.h"

namespace trommel {
CountingFilter::CountingFilter(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
CountingFilter::CountingFilter(CountingFilter&&) noexcept = default;
CountingFilter& CountingFilter::operator=(CountingFilter&&) noexcept = default;
CountingFilter::~CountingFilter() = default;

Result<CountingFilter> CountingFilter::Create(const CountingConfig& config) try {
  Result<Sizing> sizing = SizeFor({.capacity = config.capacity,
                                   .target_fpr = config.target_fpr,
                                   .num_slices = config.num_slices,
                                   .encoding = config.encoding,
                                   .power_of_two_blocks = config.power_of_two_blocks,
                                   .preference = config.preference});
  if (!sizing) return sizing.error();
  Result<CountingFilter> filter =
      CreateWithGeometry(sizing->geometry, config.digest, config.memory_limit_bytes);
  if (filter && config.side_memory_limit_bytes != 0) {
    if (Status limited = filter->LimitSideMemory(config.side_memory_limit_bytes); !limited) {
      return limited.error();
    }
  }
  if (filter) {
    filter->impl_->capacity = config.capacity;
    filter->impl_->target_fpr = config.target_fpr;
    filter->UseExecutor(config.executor);
    filter->impl_->TouchOwnedRanges();
  }
  return filter;
} catch (const std::bad_alloc&) {
  return OutOfMemoryError("the system refused memory for the filter");
}

Result<CountingFilter> CountingFilter::CreateWithGeometry(const Geometry& geometry,
                                                          const DigestPolicy& digest,
                                                          uint64_t memory_limit_bytes) try {
  if (const Status good = CheckPolicy(digest); !good) return good.error();
  Result<std::unique_ptr<Store>> store = MakeStore(geometry, memory_limit_bytes);
  if (!store) return store.error();
  return CountingFilter(std::make_unique<Impl>(*std::move(store), digest, memory_limit_bytes));
} catch (const std::bad_alloc&) {
  return OutOfMemoryError("the system refused memory for the filter");
}

// --- How it works.

void CountingFilter::UseExecutor(std::shared_ptr<Executor> executor) noexcept {
  impl_->executor = std::move(executor);
}

void ForcedRoute::Use(CountingFilter& filter, Route route) noexcept { filter.impl_->route = route; }

// --- Batches.

InsertOutcome CountingFilter::Insert(Keys keys) noexcept {
  const uint64_t num_inserted = impl_->UpdateAll<Update::kInsert>(keys, {});
  impl_->one.num_keys += num_inserted;
  return SideMemoryOutcome(num_inserted, keys.size() - num_inserted);
}

InsertOutcome CountingFilter::Insert(Keys keys, std::span<uint64_t> inserted) noexcept {
  CheckBitmap(keys, inserted);
  if (impl_->has_side_limit()) {
    const InsertOutcome outcome = impl_->InsertNoting(keys, inserted);
    impl_->one.num_keys += outcome.num_inserted;
    return outcome;
  }
  const InsertOutcome outcome = Insert(keys);
  SetAllBits(keys, inserted);
  return outcome;
}

size_t CountingFilter::InsertIfAbsent(Keys keys, std::span<uint64_t> inserted) noexcept {
  CheckBitmap(keys, inserted);
  const uint64_t num_inserted = impl_->UpdateAll<Update::kInsertIfAbsent>(keys, inserted);
  impl_->one.num_keys += num_inserted;
  return num_inserted;
}

InsertOutcome CountingFilter::InsertIfAbsent(Keys keys, std::span<uint64_t> inserted,
                                             std::span<uint64_t> refused) noexcept {
  CheckBitmap(keys, inserted);
  CheckBitmap(keys, refused);
  if (impl_->has_side_limit()) {
    const InsertOutcome outcome = impl_->InsertAbsentNoting(keys, inserted, refused);
    impl_->one.num_keys += outcome.num_inserted;
    return outcome;
  }
  std::ranges::fill(refused.first(BitmapWords(keys.size())), 0);
  return {.num_inserted = InsertIfAbsent(keys, inserted)};
}

EraseOutcome CountingFilter::Erase(Keys keys) noexcept {
  return impl_->Count(keys, impl_->UpdateAll<Update::kErase>(keys, {}));
}

EraseOutcome CountingFilter::Erase(Keys keys, std::span<uint64_t> erased) noexcept {
  CheckBitmap(keys, erased);
  return impl_->Count(keys, impl_->UpdateAll<Update::kErase>(keys, erased));
}

size_t CountingFilter::Query(Keys keys, std::span<uint64_t> maybe_present) const noexcept {
  CheckBitmap(keys, maybe_present);
  return impl_->Query(keys, maybe_present);
}

size_t CountingFilter::Select(Keys keys, Answer answer,
                              std::span<uint32_t> selection) const noexcept {
  CheckSelection(keys, selection);
  return SelectBatch(impl_->Target(), keys, answer == Answer::kMaybePresent, selection);
}

void CountingFilter::CountEstimates(Keys keys, std::span<uint64_t> counts) const noexcept {
  CheckCounts(keys, counts);
  CountBatch(impl_->Target(), keys, counts);
}

// --- One key: what its kernel has not done.

bool CountingFilter::FinishInsert(uint64_t digest, kernels::OneFate /*fate*/) noexcept {
  const bool is_inserted = impl_->store->FinishUpdate(Update::kInsert, digest) == Fate::kChanged;
  impl_->one.num_keys += uint64_t{is_inserted};
  return is_inserted;
}

bool CountingFilter::FinishInsertIfAbsent(uint64_t digest, kernels::OneFate /*fate*/) noexcept {
  const Fate fate = impl_->store->FinishUpdate(Update::kInsertIfAbsent, digest);
  impl_->one.num_keys += uint64_t{fate == Fate::kChanged};
  return fate == Fate::kChanged;
}

bool CountingFilter::FinishErase(uint64_t digest, kernels::OneFate /*fate*/) noexcept {
  const bool is_erased = impl_->store->FinishUpdate(Update::kErase, digest) == Fate::kChanged;
  impl_->Count({.num_erased = uint64_t{is_erased}, .num_refused = uint64_t{!is_erased}});
  return is_erased;
}

bool CountingFilter::FinishQuery(uint64_t digest) const noexcept {
  return impl_->store->FinishQuery(digest);
}

void CountingFilter::FetchAhead(uint64_t digest) const noexcept {
  impl_->store->FetchAhead(std::span(&digest, 1));
}

uint64_t CountingFilter::CountOf(uint64_t digest) const noexcept {
  return impl_->store->CountEstimate(digest);
}

// --- Whole filters.

Status CountingFilter::Merge(const CountingFilter& other) {
  if (Status good = CheckMerge(DifferenceOf(*this, other), num_keys(), other.num_keys()); !good) {
    return good;
  }
  if (!impl_->store->Merge(*other.impl_->store)) {
    return OutOfMemoryError(impl_->has_side_limit()
                                ? "cannot merge: the result would exceed side_memory_limit_bytes"
                                : "cannot merge: no memory for the side table");
  }
  impl_->one.num_keys += other.impl_->one.num_keys;
  return Ok();
}

Status CountingFilter::Subtract(const CountingFilter& other) {
  if (std::string difference = DifferenceOf(*this, other); !difference.empty()) {
    return Error{ErrorCode::kMismatch, "cannot subtract: " + difference};
  }
  if (!impl_->store->Subtract(*other.impl_->store)) {
    return Error{ErrorCode::kInvalidArgument,
                 "cannot subtract: the other filter holds keys that were not inserted here"};
  }
  impl_->one.num_keys -= other.impl_->one.num_keys;
  return Ok();
}

Status CountingFilter::Fold() {
  const uint64_t num_blocks = geometry().num_blocks;
  if (num_blocks % 2 != 0) {
    return Error{ErrorCode::kInvalidArgument, "cannot fold: num_blocks is " +
                                                  std::to_string(num_blocks) +
                                                  ", and only an even number can be halved"};
  }
  try {
    Result<std::unique_ptr<Store>> half = impl_->store->HalfSize(impl_->memory_limit_bytes);
    if (!half) return half.error();
    impl_->Take(*std::move(half));
  } catch (const std::bad_alloc&) {  // the folded side table; this filter is as it was
    return OutOfMemoryError("cannot fold: no memory for the side table");
  }
  return Ok();
}

Status CountingFilter::Grow() {
  const Geometry& now = geometry();
  if (!impl_->has_fingerprints()) {
    return Error{ErrorCode::kInvalidArgument,
                 "cannot grow: " + std::string(EncodingName(now.encoding)) +
                     " do not tell which keys would go to which half; fingerprints do"};
  }
  if (now.fingerprint_bits <= LeastFingerprintBits(now.encoding)) {
    return Error{ErrorCode::kInvalidArgument, "cannot grow: fingerprint_bits is " +
                                                  std::to_string(now.fingerprint_bits) +
                                                  ", the least, and each doubling takes one"};
  }
  if (now.num_blocks > kMaxBlocks / 2) {
    return Error{ErrorCode::kInvalidArgument,
                 "cannot grow: num_blocks is " + std::to_string(now.num_blocks) +
                     ", and twice as many would be more than " + std::to_string(kMaxBlocks)};
  }
  try {
    Result<std::unique_ptr<Store>> twice = impl_->store->DoubleSize(impl_->memory_limit_bytes);
    if (!twice) return twice.error();
    impl_->Take(*std::move(twice));
  } catch (const std::bad_alloc&) {  // the new side table; this filter is as it was
    return OutOfMemoryError("cannot grow: no memory for the side table");
  }
  return Ok();
}

Status CountingFilter::LimitSideMemory(uint64_t limit_bytes) try {
  // Versions count, too, while threads share the filter.
  const uint64_t block_bytes = geometry().num_bytes() + impl_->store->Figures().version_bytes;
  if (Status fits = CheckMemoryLimit("the filter and its side memory need",
                                     block_bytes + std::min(limit_bytes, ~block_bytes),
                                     impl_->memory_limit_bytes);
      !fits) {
    return fits;
  }
  return impl_->store->LimitSideMemory(limit_bytes);
} catch (const std::bad_alloc&) {  // it is as it was
  return OutOfMemoryError("the system refused side memory");
}

void CountingFilter::Clear() noexcept {
  impl_->store->Clear();
  impl_->one.num_keys = 0;
  impl_->one.num_refused_erases = 0;
}

Stats CountingFilter::GetStats() const noexcept {
  return StatsOf(geometry(), impl_->store->Figures(), impl_->one.num_keys,
                 impl_->one.num_refused_erases);
}

BlockFill CountingFilter::MeasureFill() const noexcept { return MeasureFillOf(*impl_->store); }

// --- What it is.

const Geometry& CountingFilter::geometry() const noexcept { return impl_->store->geometry(); }
const DigestPolicy& CountingFilter::digest_policy() const noexcept { return impl_->policy; }
uint64_t CountingFilter::capacity() const noexcept { return impl_->capacity; }
double CountingFilter::target_fpr() const noexcept { return impl_->target_fpr; }
uint64_t CountingFilter::num_keys() const noexcept { return impl_->one.num_keys; }

// --- On disk.

Result<CountingFilter> CountingFilter::ReadFrom(FileReader& file, uint64_t limit_bytes,
                                                const DigestKey& digest_key) {
  if (Status fits = file.CheckType(FileType::kCounting); !fits) return fits.error();
  const Result<DigestPolicy> policy = file.Policy(digest_key);
  if (!policy) return policy.error();
  const Result<StoreNumbers> numbers = ReadNumbers(file, kOnlyStore);
  if (!numbers) return numbers.error();
  Result<StoreContents> contents = ReadStore(file, kOnlyStore, *numbers, limit_bytes);
  if (!contents) return contents.error();
  auto impl = std::make_unique<Impl>(std::move(contents->store), *policy, limit_bytes);
  impl->capacity = numbers->capacity;
  impl->target_fpr = numbers->target_fpr;
  impl->one.num_keys = contents->num_keys;
  return CountingFilter(std::move(impl));
}

Status CountingFilter::WriteTo(FileWriter& file) const {
  file.Begin(FileType::kCounting, impl_->policy, SectionBytes(*impl_->store));
  WriteStore(*impl_->store, kOnlyStore, impl_->capacity, impl_->target_fpr, file);
  return Ok();
}

Status CountingFilter::Save(const std::filesystem::path& path, const SaveOptions& options) const {
  return FilterFiles::Save(*this, path, options);
}

std::vector<std::byte> CountingFilter::Serialize() const { return FilterFiles::Serialize(*this); }

Result<CountingFilter> CountingFilter::Load(const std::filesystem::path& path,
                                            uint64_t memory_limit_bytes,
                                            const DigestKey& digest_key) {
  return FilterFiles::Load<CountingFilter>(path, memory_limit_bytes, digest_key);
}

Result<CountingFilter> CountingFilter::Deserialize(std::span<const std::byte> bytes,
                                                   uint64_t memory_limit_bytes,
                                                   const DigestKey& digest_key) {
  return FilterFiles::Deserialize<CountingFilter>(bytes, memory_limit_bytes, digest_key);
}

Status CountingFilter::SaveTo(ByteSink& sink, std::span<const std::byte> metadata) const {
  return FilterFiles::SaveTo(*this, sink, metadata);
}

Result<CountingFilter> CountingFilter::LoadFrom(const ByteSource& source,
                                                uint64_t memory_limit_bytes,
                                                const DigestKey& digest_key) {
  return FilterFiles::LoadFrom<CountingFilter>(source, memory_limit_bytes, digest_key);
}

// --- Copies.

Result<CountingFilter> CountingFilter::Impl::NewLikeThis() const {
  Result<CountingFilter> made = CreateWithGeometry(store->geometry(), policy, memory_limit_bytes);
  if (!made) return made;
  made->impl_->capacity = capacity;
  made->impl_->target_fpr = target_fpr;
  return made;
}

Status CountingFilter::Impl::TakeSettingsOf(const Impl& other) {
  executor = other.executor;
  route = other.route;
  if (!other.has_side_limit()) return Ok();
  return store->LimitSideMemory(other.side_limit_bytes());
}

Result<CountingFilter> CountingFilter::Clone() const try {
  Result<CountingFilter> clone = impl_->NewLikeThis();
  if (!clone) return clone;
  Impl& into = *clone->impl_;
  for (size_t o = 0; o < into.store->num_owned_ranges(); ++o) {
    into.store->CopyOwnedRange(*impl_->store, o);
  }
  into.one.num_keys = impl_->one.num_keys;
  if (Status limited = into.TakeSettingsOf(*impl_); !limited) return limited.error();
  return clone;
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "the system refused memory for a copy of the filter"};
}

bool operator==(const CountingFilter& a, const CountingFilter& b) {
  return FilterFiles::AreSame(a, b);
}

}  // namespace trommel
