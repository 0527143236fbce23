// CountingFilter on disk and in bytes: what it owns meets the snapshot format.
#include <filesystem>
#include <memory>
#include <new>
#include <utility>

#include "engine/src/base/check.h"
#include "engine/src/counting/counting_filter_impl.h"
#include "engine/src/disk/atomic_file.h"
#include "engine/src/snapshots/snapshot.h"

namespace trommel {
namespace {

// The side table's map reports a lack of memory by throwing; a loader may not.
Result<FilterContents> ReadWithoutThrowing(const ByteSource& source, uint64_t limit_bytes,
                                           const DigestKey& digest_key) {
  try {
    return ReadSnapshot(source, limit_bytes, digest_key);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "the system refused memory for the side table"};
  }
}

}  // namespace

Status CountingFilter::Save(const std::filesystem::path& path, const SaveOptions& options) const {
  Result<AtomicFile> file = AtomicFile::Create(path, options);
  if (!file) return file.error();
  try {
    if (Status written = WriteSnapshot(impl_->store, impl_->Facts(), *file); !written)
      return written;
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "the system refused memory while saving"};
  }
  return file->Commit();
}

std::vector<std::byte> CountingFilter::Serialize() const {
  VectorSink sink;
  sink.Reserve(SnapshotBytes(impl_->store));
  const Status written = WriteSnapshot(impl_->store, impl_->Facts(), sink);
  TROMMEL_CHECK(written.ok(), "writing to memory cannot fail");
  return sink.Take();
}

Result<CountingFilter> CountingFilter::Deserialize(std::span<const std::byte> bytes,
                                                   uint64_t memory_limit_bytes,
                                                   const DigestKey& digest_key) {
  Result<FilterContents> contents =
      ReadWithoutThrowing(SpanSource(bytes), memory_limit_bytes, digest_key);
  if (!contents) return contents.error();
  return CountingFilter(std::make_unique<Impl>(*std::move(contents), memory_limit_bytes));
}

Result<CountingFilter> CountingFilter::Load(const std::filesystem::path& path,
                                            uint64_t memory_limit_bytes,
                                            const DigestKey& digest_key) {
  const Result<FileSource> source = FileSource::Open(path);
  if (!source) return source.error();
  Result<FilterContents> contents = ReadWithoutThrowing(*source, memory_limit_bytes, digest_key);
  if (!contents) {
    Error error = contents.error();
    // Errors of the file system name the file themselves.
    if (error.code != ErrorCode::kIo) error.message = path.string() + ": " + error.message;
    return error;
  }
  return CountingFilter(std::make_unique<Impl>(*std::move(contents), memory_limit_bytes));
}

}  // namespace trommel
