// How filters of each kind come to be: created, or read from a snapshot; and how they are saved.
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/base/check.h"
#include "engine/src/base/out_of_range.h"
#include "engine/src/classic/filter_impl.h"
#include "engine/src/classic/snapshot.h"
#include "engine/src/disk/atomic_file.h"
#include "engine/src/disk/byte_sink.h"
#include "engine/src/disk/byte_source.h"
#include "engine/src/keys/digest_policy.h"
#include "trommel/classic/bloom_filter.h"
#include "trommel/classic/counting_bloom_filter.h"
#include "trommel/classic/filter.h"
#include "trommel/classic/sizing.h"
#include "trommel/classic/split_counting_filter.h"

namespace trommel::classic {

Filter::Impl::Made Filter::Impl::WithGeometry(Kind kind, const Geometry& geometry,
                                              const DigestPolicy& policy, uint64_t limit_bytes) {
  if (geometry.kind != kind) {
    return OutOfRange(
        "kind", static_cast<unsigned>(geometry.kind),
        TextOf(static_cast<unsigned>(kind)) + " (" + std::string(KindName(kind)) + ") here");
  }
  if (const Status good = CheckPolicy(policy); !good) return good.error();
  Result<PositionStore> store = PositionStore::Create(geometry, limit_bytes);
  if (!store) return store.error();
  auto impl = std::make_unique<Impl>(*std::move(store));
  impl->policy = policy;
  impl->memory_limit_bytes = limit_bytes;
  return impl;
}

Filter::Impl::Made Filter::Impl::Create(Kind kind, const Config& config) {
  const Result<Sizing> sizing = SizeFor({.kind = kind,
                                         .capacity = config.capacity,
                                         .target_fpr = config.target_fpr,
                                         .num_hashes = config.num_hashes,
                                         .counter_bits = config.counter_bits,
                                         .hashing = config.hashing});
  if (!sizing) return sizing.error();
  Made made = WithGeometry(kind, sizing->geometry, config.digest, config.memory_limit_bytes);
  if (!made) return made;
  (*made)->capacity = config.capacity;
  (*made)->target_fpr = config.target_fpr;
  (*made)->executor = config.executor;
  return made;
}

namespace {

// What was read, as the parts of a filter.
template <class Impl>
Result<std::unique_ptr<Impl>> FromContents(Result<ClassicContents> contents, uint64_t limit_bytes) {
  if (!contents) return contents.error();
  auto impl = std::make_unique<Impl>(std::move(contents->store));
  impl->policy = contents->facts.policy;
  impl->capacity = contents->facts.capacity;
  impl->target_fpr = contents->facts.target_fpr;
  impl->num_keys = contents->facts.num_keys;
  impl->memory_limit_bytes = limit_bytes;
  return impl;
}

}  // namespace

Filter::Impl::Made Filter::Impl::Deserialize(Kind kind, std::span<const std::byte> bytes,
                                             uint64_t limit_bytes, const DigestKey& digest_key) {
  return FromContents<Impl>(ReadSnapshot(SpanSource(bytes), kind, limit_bytes, digest_key),
                            limit_bytes);
}

Filter::Impl::Made Filter::Impl::Load(Kind kind, const std::filesystem::path& path,
                                      uint64_t limit_bytes, const DigestKey& digest_key) {
  const Result<FileSource> source = FileSource::Open(path);
  if (!source) return source.error();
  Made made = FromContents<Impl>(ReadSnapshot(*source, kind, limit_bytes, digest_key), limit_bytes);
  if (made || made.error().code == ErrorCode::kIo) return made;  // kIo names the file itself
  Error error = made.error();
  error.message = path.string() + ": " + error.message;
  return error;
}

Status Filter::Save(const std::filesystem::path& path, const SaveOptions& options) const {
  Result<AtomicFile> file = AtomicFile::Create(path, options);
  if (!file) return file.error();
  const ClassicFacts facts{impl_->policy, impl_->capacity, impl_->target_fpr, impl_->num_keys};
  if (Status written = WriteSnapshot(impl_->store, facts, *file); !written) return written;
  return file->Commit();
}

std::vector<std::byte> Filter::Serialize() const {
  VectorSink sink;
  sink.Reserve(SnapshotBytes(geometry()));
  const ClassicFacts facts{impl_->policy, impl_->capacity, impl_->target_fpr, impl_->num_keys};
  const Status written = WriteSnapshot(impl_->store, facts, sink);
  TROMMEL_CHECK(written.ok(), "writing to memory cannot fail");
  return sink.Take();
}

// --- BloomFilter

BloomFilter::BloomFilter(std::unique_ptr<Impl> impl) noexcept : Filter(std::move(impl)) {}

Result<BloomFilter> BloomFilter::Create(const Config& config) {
  Impl::Made made = Impl::Create(Kind::kBloom, config);
  if (!made) return made.error();
  return BloomFilter(*std::move(made));
}

Result<BloomFilter> BloomFilter::CreateWithGeometry(const Geometry& geometry,
                                                    const DigestPolicy& digest,
                                                    uint64_t memory_limit_bytes) {
  Impl::Made made = Impl::WithGeometry(Kind::kBloom, geometry, digest, memory_limit_bytes);
  if (!made) return made.error();
  return BloomFilter(*std::move(made));
}

Result<BloomFilter> BloomFilter::Load(const std::filesystem::path& path,
                                      uint64_t memory_limit_bytes, const DigestKey& digest_key) {
  Impl::Made made = Impl::Load(Kind::kBloom, path, memory_limit_bytes, digest_key);
  if (!made) return made.error();
  return BloomFilter(*std::move(made));
}

Result<BloomFilter> BloomFilter::Deserialize(std::span<const std::byte> bytes,
                                             uint64_t memory_limit_bytes,
                                             const DigestKey& digest_key) {
  Impl::Made made = Impl::Deserialize(Kind::kBloom, bytes, memory_limit_bytes, digest_key);
  if (!made) return made.error();
  return BloomFilter(*std::move(made));
}

// --- CountingBloomFilter

CountingBloomFilter::CountingBloomFilter(std::unique_ptr<Impl> impl) noexcept
    : CountedFilter(std::move(impl)) {}

Result<CountingBloomFilter> CountingBloomFilter::Create(const Config& config) {
  Impl::Made made = Impl::Create(Kind::kCountingBloom, config);
  if (!made) return made.error();
  return CountingBloomFilter(*std::move(made));
}

Result<CountingBloomFilter> CountingBloomFilter::CreateWithGeometry(const Geometry& geometry,
                                                                    const DigestPolicy& digest,
                                                                    uint64_t memory_limit_bytes) {
  Impl::Made made = Impl::WithGeometry(Kind::kCountingBloom, geometry, digest, memory_limit_bytes);
  if (!made) return made.error();
  return CountingBloomFilter(*std::move(made));
}

Result<CountingBloomFilter> CountingBloomFilter::Load(const std::filesystem::path& path,
                                                      uint64_t memory_limit_bytes,
                                                      const DigestKey& digest_key) {
  Impl::Made made = Impl::Load(Kind::kCountingBloom, path, memory_limit_bytes, digest_key);
  if (!made) return made.error();
  return CountingBloomFilter(*std::move(made));
}

Result<CountingBloomFilter> CountingBloomFilter::Deserialize(std::span<const std::byte> bytes,
                                                             uint64_t memory_limit_bytes,
                                                             const DigestKey& digest_key) {
  Impl::Made made = Impl::Deserialize(Kind::kCountingBloom, bytes, memory_limit_bytes, digest_key);
  if (!made) return made.error();
  return CountingBloomFilter(*std::move(made));
}

// --- SplitCountingFilter

SplitCountingFilter::SplitCountingFilter(std::unique_ptr<Impl> impl) noexcept
    : CountedFilter(std::move(impl)) {}

Result<SplitCountingFilter> SplitCountingFilter::Create(const Config& config) {
  Impl::Made made = Impl::Create(Kind::kSplitCounting, config);
  if (!made) return made.error();
  return SplitCountingFilter(*std::move(made));
}

Result<SplitCountingFilter> SplitCountingFilter::CreateWithGeometry(const Geometry& geometry,
                                                                    const DigestPolicy& digest,
                                                                    uint64_t memory_limit_bytes) {
  Impl::Made made = Impl::WithGeometry(Kind::kSplitCounting, geometry, digest, memory_limit_bytes);
  if (!made) return made.error();
  return SplitCountingFilter(*std::move(made));
}

Result<SplitCountingFilter> SplitCountingFilter::Load(const std::filesystem::path& path,
                                                      uint64_t memory_limit_bytes,
                                                      const DigestKey& digest_key) {
  Impl::Made made = Impl::Load(Kind::kSplitCounting, path, memory_limit_bytes, digest_key);
  if (!made) return made.error();
  return SplitCountingFilter(*std::move(made));
}

Result<SplitCountingFilter> SplitCountingFilter::Deserialize(std::span<const std::byte> bytes,
                                                             uint64_t memory_limit_bytes,
                                                             const DigestKey& digest_key) {
  Impl::Made made = Impl::Deserialize(Kind::kSplitCounting, bytes, memory_limit_bytes, digest_key);
  if (!made) return made.error();
  return SplitCountingFilter(*std::move(made));
}

}  // namespace trommel::classic
