#include "engine/src/files/filter_files.h"

#include <string>
#include <utility>

#include "engine/src/base/check.h"
#include "engine/src/disk/atomic_file.h"
#include "engine/src/disk/comparing_sink.h"
#include "trommel/metadata.h"

namespace trommel {
namespace {

Result<std::vector<std::byte>> MetadataOf(FileReader& file) {
  return file.Take(sections::kMetadata).ReadAll<std::byte>();
}

}  // namespace

Error FilterFiles::NoPointInTime(const char* filter) {
  return {ErrorCode::kInvalidArgument,
          std::string(filter) +
              " has no save at one moment (point_in_time): each of its shards is " +
              "saved as it is at a moment of its own; a ConcurrentFilter has one"};
}

Status FilterFiles::WriteFile(const std::filesystem::path& path, const SaveOptions& options,
                              const Write& write) try {
  if (Status fits = CheckMetadata(options.metadata); !fits) return fits;
  Result<AtomicFile> file = AtomicFile::Create(path, options);
  if (!file) return file.error();
  if (Status written = WriteToSink(*file, options.metadata, write); !written) return written;
  return file->Commit();
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "the system refused memory while saving"};
}

Status FilterFiles::WriteToSink(ByteSink& sink, std::span<const std::byte> metadata,
                                const Write& write) try {
  FileWriter file(sink, metadata);
  if (Status written = write(file); !written) return written;
  return file.Finish();
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "the system refused memory while saving"};
}

std::vector<std::byte> FilterFiles::WriteBytes(const Write& write) {
  VectorSink sink;
  if (const Status written = WriteToSink(sink, {}, write); !written) {
    TROMMEL_CHECK(written.error().code == ErrorCode::kOutOfMemory,
                  "writing to memory fails for lack of memory only");
    throw std::bad_alloc();
  }
  return sink.Take();
}

bool FilterFiles::HaveSameBytes(const Write& a, const Write& b) {
  const std::vector<std::byte> bytes = WriteBytes(a);
  ComparingSink sink(bytes);
  Status written = WriteToSink(sink, {}, b);
  if (!written && written.error().code == ErrorCode::kOutOfMemory) throw std::bad_alloc();
  return written.ok() && sink.are_same();
}

Error FilterFiles::NamingFile(const std::filesystem::path& path, Error error) {
  // Errors of the file system name the file themselves.
  if (error.code != ErrorCode::kIo) error.message = path.string() + ": " + error.message;
  return error;
}

Result<std::vector<std::byte>> LoadMetadata(const std::filesystem::path& path) {
  return FilterFiles::ReadFile(path, MetadataOf);
}

Result<std::vector<std::byte>> LoadMetadata(const ByteSource& source) {
  return FilterFiles::ReadBytes(source, MetadataOf);
}

}  // namespace trommel
