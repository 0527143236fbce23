// Windows in files: a store of stamped blocks, and the section `window`, WindowNumbers below and
// the keys of each live bucket, the oldest first. An entry of the side table, ascending by block,
// fingerprint and bucket:
//
//   0   u64  block index          16  u64  copies, 1 or more        24  u32  fingerprint
//   8   u64  bucket                                                 28  u32  0
//
// Stamps count from the first live bucket, max(0, current - num_buckets). Expired keys are not
// there. Canonical: a block's fingerprints ascend, those that do not fit follow in its line, block
// after block, or in the side table (StampedStore::StoreContents); reading checks just that.
#include <algorithm>
#include <cstring>
#include <map>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/files/file_reader.h"
#include "engine/src/files/file_writer.h"
#include "engine/src/files/store_sections.h"
#include "engine/src/window/window_filter_impl.h"
#include "engine/src/window/window_sizing.h"

namespace trommel {
namespace {

struct WindowNumbers {
  uint64_t window;       //  0
  uint64_t now;          //  8
  uint32_t num_buckets;  // 16
  uint32_t is_erasable;  // 20  0 or 1
};
static_assert(sizeof(WindowNumbers) == 24);

struct SideCopiesEntry {
  uint64_t block_idx;
  uint64_t bucket;
  uint64_t count;
  uint32_t fingerprint;
  uint32_t reserved;
};
static_assert(sizeof(SideCopiesEntry) == 32);

struct LiveBuckets {
  explicit LiveBuckets(const TimeBuckets& times, uint64_t now) : current(times.BucketOf(now)) {
    first = current > times.num_buckets ? current - times.num_buckets : 0;
  }
  uint64_t size() const { return current - first + 1; }

  uint64_t first = 0;
  uint64_t current;
};

// --- Reading.

// What the numbers of the store say beside those of other stores.
Status CheckShape(const FileSection& section, const StoreNumbers& numbers, uint32_t num_buckets) {
  if (numbers.fingerprint_bits != kernels::kStampedBits16 &&
      numbers.fingerprint_bits != kernels::kStampedBits24) {
    return UnknownAt(section.record().offset + offsetof(StoreNumbers, fingerprint_bits),
                     "the fingerprint's length", numbers.fingerprint_bits,
                     "12 (slots of 16 bits) and 16 (slots of 24 bits)");
  }
  if (numbers.fingerprint_bits == kernels::kStampedBits16 && num_buckets > kMaxSlots16Buckets) {
    return section.CorruptAt(offsetof(StoreNumbers, fingerprint_bits),
                             "more buckets than slots of 16 bits can have");
  }
  return Ok();
}

// The side table into the store, whose groups will begin with first_bucket.
Status ReadSide(const FileSection& section, uint64_t first_bucket, StampedStore& store) {
  SectionStream stream(section);
  SideCopiesEntry last{};
  while (stream.left() > 0) {
    const uint64_t at = stream.at();
    SideCopiesEntry entry{};
    if (Status read = stream.Read(entry); !read) return read;
    if (entry.block_idx >= store.geometry().num_blocks) {
      return stream.Fail(at, "names a block that does not exist");
    }
    // The store keeps fewer bits than the entry has.
    if (entry.fingerprint == 0 || entry.fingerprint >> store.geometry().fingerprint_bits != 0) {
      return stream.Fail(at, "has a fingerprint of another length");
    }
    const BucketKey copies{entry.fingerprint, entry.bucket, entry.count};
    if (entry.reserved != 0 || entry.count == 0 || entry.count > kMaxFileKeys ||
        entry.block_idx < last.block_idx ||
        (entry.block_idx == last.block_idx &&
         !ComesBefore({last.fingerprint, last.bucket, last.count}, copies))) {
      return stream.Fail(at, "entries do not ascend, or have no count");
    }
    store.AdoptSide(entry.block_idx, copies, first_bucket);
    last = entry;
  }
  return stream.End();
}

// The keys of buckets are what the blocks hold, or, where insertions of a key that is in leave one
// copy, no fewer.
Status CheckKeys(const FileSection& section, const WindowImage& image,
                 std::span<const uint64_t> held) {
  uint64_t total = 0;
  for (size_t i = 0; i < held.size(); ++i) {
    const uint64_t num_keys = image.keys_of_buckets[i];
    const uint64_t at = sizeof(WindowNumbers) + i * sizeof(uint64_t);
    const bool is_right = image.store.is_erasable() ? num_keys == held[i] : num_keys >= held[i];
    if (!is_right) return section.CorruptAt(at, "a bucket's keys are not what the blocks hold");
    if (num_keys > kMaxFileKeys - total) {
      return section.CorruptAt(at, "all buckets together hold more keys than can be counted");
    }
    total += num_keys;
  }
  return Ok();
}

Status ReadStamped(FileReader& file, const LiveBuckets& live, std::span<uint64_t> held,
                   StampedStore& store) {
  const FileSection blocks = file.Take(sections::kBlocks, kOnlyStore);
  Status read = blocks.ReadInto(WritableBytes(store.blocks()));
  if (read) {
    read = file.Take(sections::kLines, kOnlyStore).ReadInto(WritableBytes(store.lines()));
  }
  if (read) read = ReadSide(file.Take(sections::kSide, kOnlyStore), live.first, store);
  if (!read) return read;
  store.AdoptGroups(live.first);
  uint64_t bad_block = 0;
  if (store.IsCanonical(live.first, held, bad_block)) return Ok();
  constexpr uint64_t kBlockBytes = kernels::kFingerprintBlockWords * sizeof(uint32_t);
  return blocks.CorruptAt(bad_block * kBlockBytes,
                          "a block, its overflow line or its side table is not what its keys make");
}

}  // namespace

Result<std::unique_ptr<WindowFilter::Impl>> WindowFilter::Impl::ReadFrom(
    FileReader& file, uint64_t limit_bytes, const DigestKey& digest_key) {
  if (Status fits = file.CheckType(FileType::kWindow); !fits) return fits.error();
  const Result<DigestPolicy> policy = file.Policy(digest_key);
  if (!policy) return policy.error();
  const FileSection section = file.Take(sections::kWindow);
  Result<std::vector<uint64_t>> words = section.ReadAll<uint64_t>();
  if (!words) return words.error();
  WindowNumbers window{};
  constexpr size_t kNumberWords = sizeof(window) / sizeof(uint64_t);
  if (words->size() < kNumberWords) return section.CheckBytes(sizeof(window)).error();
  std::memcpy(&window, words->data(), sizeof(window));
  words->erase(words->begin(), words->begin() + kNumberWords);
  if (window.is_erasable > 1) {
    return section.CorruptAt(offsetof(WindowNumbers, is_erasable),
                             "is_erasable is neither 0 nor 1");
  }
  const Result<StoreNumbers> numbers = ReadNumbers(file, kOnlyStore);
  if (!numbers) return numbers.error();
  const FileSection of_store = file.Take(sections::kNumbers, kOnlyStore);
  if (Status known = CheckShape(of_store, *numbers, window.num_buckets); !known) {
    return known.error();
  }
  WindowSettings settings{.times = {window.window, window.num_buckets},
                          .policy = *policy,
                          .executor = nullptr,
                          .capacity = numbers->capacity,
                          .target_fpr = numbers->target_fpr,
                          .memory_limit_bytes = limit_bytes};
  if (const Status valid = ValidateWindow(settings); !valid) {
    return section.CorruptAt(0, valid.error().message);
  }
  const LiveBuckets live(settings.times, window.now);
  if (Status right = section.CheckBytes(sizeof(window) + live.size() * sizeof(uint64_t)); !right) {
    return right.error();
  }
  Result<StampedStore> store =
      StampedStore::Create(GeometryOf(*numbers), window.is_erasable == 1, limit_bytes);
  if (!store) return store.error();
  WindowImage image{
      .store = *std::move(store), .now = window.now, .keys_of_buckets = *std::move(words)};
  std::vector<uint64_t> held(live.size());
  if (Status read = ReadStamped(file, live, held, image.store); !read) return read.error();
  if (Status right = CheckKeys(section, image, held); !right) return right.error();
  return std::make_unique<Impl>(std::move(settings), std::move(image));
}

// --- Writing.

WindowImage WindowFilter::Impl::Image() {
  Result<StampedStore> copy = StampedStore::Create(store_.geometry(), store_.is_erasable(), 0);
  if (!copy) throw std::bad_alloc();
  WindowImage image{.store = *std::move(copy), .now = 0, .keys_of_buckets = {}};
  std::map<uint64_t, uint64_t> keys_of;
  const size_t ranges_per_lock = store_.num_owned_ranges() >> locks_.lock_bits();
  for (size_t l = 0; l < locks_.num_locks(); ++l) {
    // While it is inside, no counters of a bucket that is live for it are used again.
    const WindowClock::Inside inside = clock_.Enter();
    const RangeLocks::Held held = locks_.Hold(l, locks_.lock_bits());
    for (size_t r = l * ranges_per_lock; r < (l + 1) * ranges_per_lock; ++r) {
      image.store.CopyOwnedRange(store_, r);
    }
    // Another thread may be updating a bucket that has been entered since.
    const uint64_t first = clock_.FirstLive(inside.moment().bucket);
    const uint64_t num_used =
        std::min(clock_.latest_bucket() - inside.first_kept(), uint64_t{keys_of_.size()} - 1) -
        (first - inside.first_kept());
    for (uint64_t i = 0; i <= num_used; ++i) {
      keys_of[first + i] += KeysOf(first + i).num_keys_of(l);
    }
  }
  image.now = clock_.now();
  const LiveBuckets live(settings.times, image.now);
  image.store.MakeCanonical(live.first);
  for (uint64_t i = 0; i < live.size(); ++i) {
    image.keys_of_buckets.push_back(keys_of[live.first + i]);
  }
  return image;
}

Status WindowFilter::Impl::WriteTo(FileWriter& file) {
  const WindowImage image = Image();
  const StampedStore& store = image.store;
  file.Begin(FileType::kWindow, settings.policy, store.num_bytes() + 3 * kPageAlignment);
  file.BeginSection(sections::kWindow, 0);
  file.Append(BytesOf(WindowNumbers{.window = settings.times.window,
                                    .now = image.now,
                                    .num_buckets = settings.times.num_buckets,
                                    .is_erasable = store.is_erasable() ? 1U : 0U}));
  file.Append(std::as_bytes(std::span(image.keys_of_buckets)));
  file.EndSection();
  file.Add(sections::kNumbers, kOnlyStore,
           BytesOf(NumbersOf(store.geometry(), settings.capacity, settings.target_fpr)));
  file.Add(sections::kBlocks, kOnlyStore, store.blocks().bytes());
  file.Add(sections::kLines, kOnlyStore, store.lines().bytes());
  file.BeginSection(sections::kSide, kOnlyStore);
  for (const uint64_t b : store.BlocksWithSide()) {
    for (const BucketKey& copies : store.SideOf(b)) {
      file.Append(BytesOf(SideCopiesEntry{.block_idx = b,
                                          .bucket = copies.bucket,
                                          .count = copies.count,
                                          .fingerprint = copies.fingerprint,
                                          .reserved = 0}));
    }
  }
  file.EndSection();
  return Ok();
}

}  // namespace trommel
