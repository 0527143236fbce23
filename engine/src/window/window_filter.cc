// WindowFilter: arguments are checked and batches of queries cut here; what is done with them is
// Impl's (window_filter_impl.h).
#include "trommel/window_filter.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <optional>
#include <utility>

#include "engine/src/base/check.h"
#include "engine/src/files/filter_files.h"
#include "engine/src/keys/key_batches.h"
#include "engine/src/keys/merge_compatibility.h"
#include "engine/src/keys/parallel_batch.h"
#include "engine/src/window/window_filter_impl.h"
#include "engine/src/window/window_sizing.h"
#include "kernels/kernels.h"

namespace trommel {
namespace {

template <class Impl>
void CheckUnused(Impl* impl) {
  if (impl == nullptr) return;
  [[maybe_unused]] const auto access = impl->access_check.EnterExclusive();
}

// Writes the indices, from first_idx on, of the keys with the wanted answer; returns how many.
size_t SelectAnswers(std::span<const uint64_t> answers, size_t num_keys, bool maybe_present,
                     size_t first_idx, uint32_t* selection) {
  size_t size = 0;
  for (size_t w = 0; w < (num_keys + 63) / 64; ++w) {
    const size_t num_bits = std::min<size_t>(64, num_keys - w * 64);
    uint64_t left = (maybe_present ? answers[w] : ~answers[w]) & (~uint64_t{0} >> (64 - num_bits));
    for (; left != 0; left &= left - 1) {
      const size_t idx = first_idx + w * 64 + static_cast<size_t>(std::countr_zero(left));
      selection[size++] = static_cast<uint32_t>(idx);
    }
  }
  return size;
}

}  // namespace

WindowFilter::WindowFilter(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
WindowFilter::WindowFilter(WindowFilter&& other) noexcept { *this = std::move(other); }
WindowFilter& WindowFilter::operator=(WindowFilter&& other) noexcept {
  CheckUnused(impl_.get());
  CheckUnused(other.impl_.get());
  impl_ = std::move(other.impl_);
  return *this;
}
WindowFilter::~WindowFilter() { CheckUnused(impl_.get()); }

// --- Time.

bool WindowFilter::Advance(uint64_t now) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->Advance(now);
}

uint64_t WindowFilter::now() const noexcept { return impl_->now(); }

// --- Updates.

uint64_t WindowFilter::Insert(Keys keys) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->Insert(keys);
}

WindowInsertOutcome WindowFilter::Insert(Keys keys, uint64_t time) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->InsertAt(keys, time);
}

WindowInsertOutcome WindowFilter::Insert(Keys keys, std::span<uint64_t> inserted,
                                         uint64_t* inserted_at) noexcept {
  CheckBitmap(keys, inserted);
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  uint64_t time = 0;
  const WindowInsertOutcome outcome = impl_->InsertNoting(keys, std::nullopt, inserted, time);
  if (inserted_at != nullptr) *inserted_at = time;
  return outcome;
}

WindowInsertOutcome WindowFilter::Insert(Keys keys, uint64_t time,
                                         std::span<uint64_t> inserted) noexcept {
  CheckBitmap(keys, inserted);
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  uint64_t inserted_at = 0;
  return impl_->InsertNoting(keys, time, inserted, inserted_at);
}

size_t WindowFilter::InsertIfAbsent(Keys keys, std::span<uint64_t> inserted) noexcept {
  CheckBitmap(keys, inserted);
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->InsertIfAbsent(keys, inserted, {});
}

size_t WindowFilter::InsertIfAbsent(Keys keys, std::span<uint64_t> inserted,
                                    std::span<uint64_t> times) noexcept {
  CheckBitmap(keys, inserted);
  TROMMEL_CHECK(times.size() == NumChunks(keys.size()), "times of another number of chunks");
  TROMMEL_CHECK(!ShareBytes(keys.array(), std::as_bytes(times)), "the times overlap the keys");
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->InsertIfAbsent(keys, inserted, times);
}

EraseOutcome WindowFilter::Erase(Keys keys, uint64_t inserted_at) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->Erase(keys, inserted_at, {});
}

EraseOutcome WindowFilter::Erase(Keys keys, uint64_t inserted_at,
                                 std::span<uint64_t> erased) noexcept {
  CheckBitmap(keys, erased);
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->Erase(keys, inserted_at, erased);
}

// --- Queries.

size_t WindowFilter::Query(Keys keys, std::span<uint64_t> maybe_present) const noexcept {
  CheckBitmap(keys, maybe_present);
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  std::atomic<size_t> num_present{0};
  const WindowSettings& settings = impl_->settings;
  ForEachTask(settings.executor.get(), keys, [&](size_t part_first, Keys part) {
    size_t num_here = 0;
    ForEachViewedChunk(settings.policy, part, [&](size_t first, std::span<const uint64_t> digests) {
      num_here += impl_->QueryChunk(digests, maybe_present.data() + (part_first + first) / 64);
    });
    num_present.fetch_add(num_here, std::memory_order_relaxed);
  });
  return num_present.load(std::memory_order_relaxed);
}

size_t WindowFilter::Select(Keys keys, Answer answer,
                            std::span<uint32_t> selection) const noexcept {
  CheckSelection(keys, selection);
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  const bool maybe_present = answer == Answer::kMaybePresent;
  const WindowSettings& settings = impl_->settings;
  return SelectInTasks(
      settings.executor.get(), keys, selection,
      [&](size_t part_first, Keys part, std::span<uint32_t> part_selection) {
        size_t size = 0;
        ForEachViewedChunk(
            settings.policy, part, [&](size_t first, std::span<const uint64_t> digests) {
              std::array<uint64_t, kernels::kMaxChunkKeys / 64> answers;
              impl_->QueryChunk(digests, answers.data());
              size += SelectAnswers(answers, digests.size(), maybe_present, part_first + first,
                                    part_selection.data() + size);
            });
        return size;
      });
}

void WindowFilter::CountEstimates(Keys keys, std::span<uint64_t> counts) const noexcept {
  CheckCounts(keys, counts);
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  const WindowSettings& settings = impl_->settings;
  ForEachTask(settings.executor.get(), keys, [&](size_t part_first, Keys part) {
    ForEachViewedChunk(settings.policy, part, [&](size_t first, std::span<const uint64_t> digests) {
      impl_->CountChunk(digests, counts.subspan(part_first + first, digests.size()));
    });
  });
}

// --- One key.

uint64_t WindowFilter::InsertDigest(uint64_t digest) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->InsertOne(digest);
}

bool WindowFilter::Insert(Key key, uint64_t time) noexcept {
  const uint64_t digest = impl_.one().DigestOf(key);
  return Insert(Keys::Digests(std::span(&digest, 1)), time).num_inserted == 1;
}

bool WindowFilter::InsertAbsentDigest(uint64_t digest, uint64_t* inserted_at) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->InsertOneIfAbsent(digest, inserted_at);
}

bool WindowFilter::EraseDigest(uint64_t digest, uint64_t inserted_at) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->Erase(Keys::Digests(std::span(&digest, 1)), inserted_at, {}).num_erased == 1;
}

bool WindowFilter::HasDigest(uint64_t digest) const noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->MayContain(digest);
}

Key WindowFilter::Prefetch(Key key) const noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  const uint64_t digest = impl_.one().DigestOf(key);
  impl_->Prefetch(digest);
  return Key::Digest(digest);
}

uint64_t WindowFilter::CountEstimate(Key key) const noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  const uint64_t digest = impl_.one().DigestOf(key);
  uint64_t count = 0;
  impl_->CountChunk(std::span(&digest, 1), std::span(&count, 1));
  return count;
}

// --- What it is.

void WindowFilter::UseExecutor(std::shared_ptr<Executor> executor) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  impl_->settings.executor = std::move(executor);
}

uint64_t WindowFilter::window() const noexcept { return impl_->settings.times.window; }
uint32_t WindowFilter::num_buckets() const noexcept { return impl_->settings.times.num_buckets; }
uint64_t WindowFilter::bucket_ticks() const noexcept {
  return impl_->settings.times.LongestTicks();
}
bool WindowFilter::is_erasable() const noexcept { return impl_->is_erasable(); }
const Geometry& WindowFilter::geometry() const noexcept { return impl_->geometry(); }
const DigestPolicy& WindowFilter::digest_policy() const noexcept { return impl_->settings.policy; }
uint64_t WindowFilter::capacity() const noexcept { return impl_->settings.capacity; }
double WindowFilter::target_fpr() const noexcept { return impl_->settings.target_fpr; }
double WindowFilter::PredictedFpr(uint64_t num_keys) const noexcept {
  return WindowFpr(geometry(), num_keys);
}
uint64_t WindowFilter::num_keys() const noexcept { return impl_->num_keys(); }

WindowStats WindowFilter::GetStats() const {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->GetStats();
}

BlockFill WindowFilter::MeasureFill() const {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->MeasureFill();
}

// --- Exclusive.

Status WindowFilter::Merge(const WindowFilter& other) {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  const std::string difference = impl_->DifferenceFrom(*other.impl_);
  if (Status good = CheckMerge(difference, num_keys(), other.num_keys()); !good) return good;
  return impl_->Merge(*other.impl_);
}

Status WindowFilter::LimitSideMemory(uint64_t limit_bytes) {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  return impl_->LimitSideMemory(limit_bytes);
}

void WindowFilter::Clear() noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  impl_->Clear();
}

// --- Files.

Result<WindowFilter> WindowFilter::ReadFrom(FileReader& file, uint64_t limit_bytes,
                                            const DigestKey& digest_key) {
  auto impl = Impl::ReadFrom(file, limit_bytes, digest_key);
  if (!impl) return impl.error();
  return WindowFilter(*std::move(impl));
}

Status WindowFilter::WriteTo(FileWriter& file) const {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->WriteTo(file);
}

Status WindowFilter::Save(const std::filesystem::path& path, const SaveOptions& options) const {
  if (options.point_in_time) return FilterFiles::NoPointInTime("a WindowFilter");
  return FilterFiles::Save(*this, path, options);
}

std::vector<std::byte> WindowFilter::Serialize() const { return FilterFiles::Serialize(*this); }

Result<WindowFilter> WindowFilter::Load(const std::filesystem::path& path,
                                        uint64_t memory_limit_bytes, const DigestKey& digest_key) {
  return FilterFiles::Load<WindowFilter>(path, memory_limit_bytes, digest_key);
}

Result<WindowFilter> WindowFilter::Deserialize(std::span<const std::byte> bytes,
                                               uint64_t memory_limit_bytes,
                                               const DigestKey& digest_key) {
  return FilterFiles::Deserialize<WindowFilter>(bytes, memory_limit_bytes, digest_key);
}

Status WindowFilter::SaveTo(ByteSink& sink, std::span<const std::byte> metadata) const {
  return FilterFiles::SaveTo(*this, sink, metadata);
}

Result<WindowFilter> WindowFilter::LoadFrom(const ByteSource& source, uint64_t memory_limit_bytes,
                                            const DigestKey& digest_key) {
  return FilterFiles::LoadFrom<WindowFilter>(source, memory_limit_bytes, digest_key);
}

Result<WindowFilter> WindowFilter::Clone(uint64_t memory_limit_bytes) const {
  Result<WindowFilter> copy =
      FilterFiles::Clone(*this, memory_limit_bytes, impl_->settings.executor);
  const uint64_t side_limit_bytes = impl_->side_limit_bytes;
  if (!copy || side_limit_bytes == 0) return copy;
  if (Status limited = copy->LimitSideMemory(side_limit_bytes); !limited) return limited.error();
  return copy;
}

bool operator==(const WindowFilter& a, const WindowFilter& b) { return FilterFiles::AreSame(a, b); }

}  // namespace trommel
