// WindowFilter: arguments are checked and batches cut here; what is done with them is the engine's
// (window_engine.h).
#include "trommel/window_filter.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <string>
#include <utility>

#include "engine/src/base/check.h"
#include "engine/src/keys/batch_output.h"
#include "engine/src/keys/key_chunks.h"
#include "engine/src/keys/merge_compatibility.h"
#include "engine/src/keys/parallel_batch.h"
#include "engine/src/snapshots/filter_files.h"
#include "engine/src/window/ring_window.h"
#include "engine/src/window/slot_window_snapshot.h"
#include "engine/src/window/window_filter_impl.h"
#include "kernels/kernels.h"

namespace trommel {
namespace {

constexpr size_t kChunkWords = kernels::kMaxChunkKeys / 64;

template <class Impl>
void CheckUnused(Impl* impl) {
  if (impl == nullptr) return;
  [[maybe_unused]] const auto access = impl->access_check.EnterExclusive();
}

const char* KindName(const WindowEngine& engine) { return engine.is_erasable() ? "true" : "false"; }

// Names the first field in which two filters differ that are to be merged; empty if there is none.
std::string Difference(WindowEngine& a, WindowEngine& b) {
  const TimeBuckets& ours = a.settings.times;
  const TimeBuckets& theirs = b.settings.times;
  if (ours.window != theirs.window) return FieldDiffers("window", ours.window, theirs.window);
  if (ours.num_buckets != theirs.num_buckets) {
    return FieldDiffers("num_buckets", ours.num_buckets, theirs.num_buckets);
  }
  if (a.form() != b.form())
    return FieldDiffers("form", WindowFormName(a.form()), WindowFormName(b.form()));
  if (a.is_erasable() != b.is_erasable()) {
    return FieldDiffers("is_erasable", KindName(a), KindName(b));
  }
  std::string difference =
      DifferenceOf(a.geometry(), a.settings.policy, b.geometry(), b.settings.policy);
  if (!difference.empty()) return difference;
  const uint64_t bucket_here = ours.BucketOf(a.now());
  const uint64_t bucket_there = ours.BucketOf(b.now());
  if (bucket_here == bucket_there) return "";
  return FieldDiffers("first tick of the current bucket", ours.FirstTick(bucket_here),
                      ours.FirstTick(bucket_there));
}

size_t SelectChunk(WindowEngine& engine, std::span<const uint64_t> digests, bool maybe_present,
                   size_t first_idx, uint32_t* selection) {
  std::array<uint64_t, kChunkWords> answers;
  engine.QueryChunk(digests, answers.data());
  size_t size = 0;
  for (size_t w = 0; w < (digests.size() + 63) / 64; ++w) {
    const size_t num_bits = std::min<size_t>(64, digests.size() - w * 64);
    uint64_t left = (maybe_present ? answers[w] : ~answers[w]) & (~uint64_t{0} >> (64 - num_bits));
    for (; left != 0; left &= left - 1) {
      const size_t idx = first_idx + w * 64 + static_cast<size_t>(std::countr_zero(left));
      selection[size++] = static_cast<uint32_t>(idx);
    }
  }
  return size;
}

}  // namespace

std::string_view WindowFormName(WindowForm form) noexcept {
  switch (form) {
    case WindowForm::kSlots16:
      return "slots16";
    case WindowForm::kSlots24:
      return "slots24";
    case WindowForm::kBucketRing:
      return "ring";
    default:
      return "automatic";
  }
}

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
  return impl_->engine->Advance(now);
}

uint64_t WindowFilter::now() const noexcept { return impl_->engine->now(); }

// --- Updates.

uint64_t WindowFilter::Insert(Keys keys) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->engine->Insert(keys);
}

WindowInsertOutcome WindowFilter::Insert(Keys keys, uint64_t time) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  const WindowInsertOutcome outcome = impl_->engine->InsertAt(keys, time);
  impl_->num_refused_inserts.fetch_add(outcome.num_refused - outcome.num_without_space,
                                       std::memory_order_relaxed);
  return outcome;
}

WindowInsertOutcome WindowFilter::Impl::InsertNoting(Keys keys, std::optional<uint64_t> time,
                                                     std::span<uint64_t> inserted,
                                                     uint64_t& inserted_at) {
  const WindowInsertOutcome outcome = engine->InsertNoting(keys, time, inserted, inserted_at);
  num_refused_inserts.fetch_add(outcome.num_refused - outcome.num_without_space,
                                std::memory_order_relaxed);
  return outcome;
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
  return impl_->engine->InsertIfAbsent(keys, inserted, {});
}

size_t WindowFilter::InsertIfAbsent(Keys keys, std::span<uint64_t> inserted,
                                    std::span<uint64_t> times) noexcept {
  CheckBitmap(keys, inserted);
  TROMMEL_CHECK(times.size() == NumChunks(keys.size()), "times of another number of chunks");
  TROMMEL_CHECK(!ShareBytes(keys.array(), std::as_bytes(times)), "the times overlap the keys");
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->engine->InsertIfAbsent(keys, inserted, times);
}

WindowEraseOutcome WindowFilter::Impl::Erase(Keys keys, uint64_t inserted_at,
                                             std::span<uint64_t> erased) {
  WindowEraseOutcome outcome;
  if (engine->is_erasable()) {
    outcome = engine->Erase(keys, inserted_at, erased);
  } else {
    std::ranges::fill(erased, 0);
    outcome.num_refused = keys.size();
  }
  num_refused_erases.fetch_add(outcome.num_refused, std::memory_order_relaxed);
  num_expired_erases.fetch_add(outcome.num_expired, std::memory_order_relaxed);
  return outcome;
}

WindowEraseOutcome WindowFilter::Erase(Keys keys, uint64_t inserted_at) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->Erase(keys, inserted_at, {});
}

WindowEraseOutcome WindowFilter::Erase(Keys keys, uint64_t inserted_at,
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
  const WindowSettings& settings = impl_->engine->settings;
  ForEachTask(settings.executor.get(), keys, [&](size_t part_first, Keys part) {
    size_t num_here = 0;
    ForEachViewedChunk(settings.policy, part, [&](size_t first, std::span<const uint64_t> digests) {
      num_here +=
          impl_->engine->QueryChunk(digests, maybe_present.data() + (part_first + first) / 64);
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
  const WindowSettings& settings = impl_->engine->settings;
  return SelectInTasks(settings.executor.get(), keys, selection,
                       [&](size_t part_first, Keys part, std::span<uint32_t> part_selection) {
                         size_t size = 0;
                         ForEachViewedChunk(settings.policy, part,
                                            [&](size_t first, std::span<const uint64_t> digests) {
                                              size += SelectChunk(*impl_->engine, digests,
                                                                  maybe_present, part_first + first,
                                                                  part_selection.data() + size);
                                            });
                         return size;
                       });
}

void WindowFilter::CountEstimates(Keys keys, std::span<uint64_t> counts) const noexcept {
  CheckCounts(keys, counts);
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  const WindowSettings& settings = impl_->engine->settings;
  ForEachTask(settings.executor.get(), keys, [&](size_t part_first, Keys part) {
    ForEachViewedChunk(settings.policy, part, [&](size_t first, std::span<const uint64_t> digests) {
      impl_->engine->CountChunk(digests, counts.subspan(part_first + first, digests.size()));
    });
  });
}

// --- One key.

uint64_t WindowFilter::Insert(Key key) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->engine->InsertOne(impl_->engine->settings.policy(key));
}

bool WindowFilter::Insert(Key key, uint64_t time) noexcept {
  const uint64_t digest = impl_->engine->settings.policy(key);
  return Insert(Keys::Digests(std::span(&digest, 1)), time).num_inserted == 1;
}

bool WindowFilter::InsertIfAbsent(Key key, uint64_t* inserted_at) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->engine->InsertOneIfAbsent(impl_->engine->settings.policy(key), inserted_at);
}

bool WindowFilter::Erase(Key key, uint64_t inserted_at) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  const uint64_t digest = impl_->engine->settings.policy(key);
  return impl_->Erase(Keys::Digests(std::span(&digest, 1)), inserted_at, {}).num_erased == 1;
}

bool WindowFilter::MayContain(Key key) const noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->engine->MayContain(impl_->engine->settings.policy(key));
}

Key WindowFilter::Prefetch(Key key) const noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  const uint64_t digest = impl_->engine->settings.policy(key);
  impl_->engine->Prefetch(digest);
  return Key::Digest(digest);
}

uint64_t WindowFilter::CountEstimate(Key key) const noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  const uint64_t digest = impl_->engine->settings.policy(key);
  uint64_t count = 0;
  impl_->engine->CountChunk(std::span(&digest, 1), std::span(&count, 1));
  return count;
}

// --- What it is.

void WindowFilter::UseExecutor(std::shared_ptr<Executor> executor) noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  impl_->engine->settings.executor = std::move(executor);
}

uint64_t WindowFilter::window() const noexcept { return impl_->engine->settings.times.window; }
uint32_t WindowFilter::num_buckets() const noexcept {
  return impl_->engine->settings.times.num_buckets;
}
uint64_t WindowFilter::bucket_ticks() const noexcept {
  return impl_->engine->settings.times.LongestTicks();
}
WindowForm WindowFilter::form() const noexcept { return impl_->engine->form(); }
bool WindowFilter::is_erasable() const noexcept { return impl_->engine->is_erasable(); }
const Geometry& WindowFilter::geometry() const noexcept { return impl_->engine->geometry(); }
const DigestPolicy& WindowFilter::digest_policy() const noexcept {
  return impl_->engine->settings.policy;
}
uint64_t WindowFilter::capacity() const noexcept { return impl_->engine->settings.capacity; }
uint64_t WindowFilter::bucket_capacity() const noexcept { return impl_->engine->bucket_capacity(); }
double WindowFilter::target_fpr() const noexcept { return impl_->engine->settings.target_fpr; }
double WindowFilter::PredictedFpr(uint64_t num_keys) const noexcept {
  return impl_->engine->PredictedFpr(num_keys);
}
uint64_t WindowFilter::num_keys() const noexcept { return impl_->engine->num_keys(); }

WindowStats WindowFilter::GetStats() const {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  WindowStats stats = impl_->engine->GetStats();
  stats.num_refused_erases = impl_->num_refused_erases.load(std::memory_order_relaxed);
  stats.num_expired_erases = impl_->num_expired_erases.load(std::memory_order_relaxed);
  stats.num_without_space = impl_->engine->num_without_space.load(std::memory_order_relaxed);
  stats.num_refused_inserts =
      impl_->num_refused_inserts.load(std::memory_order_relaxed) + stats.num_without_space;
  return stats;
}

WindowFill WindowFilter::MeasureFill() const {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->engine->MeasureFill();
}

// --- Exclusive.

Status WindowFilter::Merge(const WindowFilter& other) {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  WindowEngine& ours = *impl_->engine;
  WindowEngine& theirs = *other.impl_->engine;
  const std::string difference = Difference(ours, theirs);
  if (Status good = CheckMerge(difference, num_keys(), other.num_keys()); !good) return good;
  return ours.Merge(theirs);
}

Status WindowFilter::LimitSideMemory(uint64_t limit_bytes) {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  return impl_->engine->LimitSideMemory(limit_bytes);
}

void WindowFilter::Clear() noexcept {
  [[maybe_unused]] const auto access = impl_->access_check.EnterExclusive();
  impl_->engine->Clear();
  impl_->num_refused_erases = 0;
  impl_->num_expired_erases = 0;
  impl_->num_refused_inserts = 0;
  impl_->engine->num_without_space = 0;
}

// --- Files.

Result<WindowFilter> WindowFilter::ReadFrom(const OpenedSnapshot& snapshot, uint64_t limit_bytes,
                                            const DigestKey& digest_key) {
  auto impl = std::make_unique<Impl>();
  if (HasSlotWindowHeader(snapshot)) {
    auto slots = ReadSlotWindow(snapshot, limit_bytes, digest_key);
    if (!slots) return slots.error();
    impl->engine = *std::move(slots);
  } else {
    auto ring = RingWindow::ReadFrom(snapshot, limit_bytes, digest_key);
    if (!ring) return ring.error();
    impl->engine = *std::move(ring);
  }
  return WindowFilter(std::move(impl));
}

Status WindowFilter::WriteTo(ByteSink& sink) const {
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  return impl_->engine->WriteTo(sink);
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

Status WindowFilter::SaveTo(ByteSink& sink) const { return FilterFiles::SaveTo(*this, sink); }

Result<WindowFilter> WindowFilter::LoadFrom(const ByteSource& source, uint64_t memory_limit_bytes,
                                            const DigestKey& digest_key) {
  return FilterFiles::LoadFrom<WindowFilter>(source, memory_limit_bytes, digest_key);
}

Result<WindowFilter> WindowFilter::Clone(uint64_t memory_limit_bytes) const {
  Result<WindowFilter> copy =
      FilterFiles::Clone(*this, memory_limit_bytes, impl_->engine->settings.executor);
  const uint64_t side_limit_bytes = impl_->engine->side_limit_bytes;
  if (!copy || side_limit_bytes == 0) return copy;
  if (Status limited = copy->LimitSideMemory(side_limit_bytes); !limited) return limited.error();
  return copy;
}

bool operator==(const WindowFilter& a, const WindowFilter& b) { return FilterFiles::AreSame(a, b); }

}  // namespace trommel
