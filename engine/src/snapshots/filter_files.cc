#include "engine/src/snapshots/filter_files.h"

#include <string>
#include <utility>

#include "engine/src/base/check.h"
#include "engine/src/disk/atomic_file.h"
#include "engine/src/disk/comparing_sink.h"

namespace trommel {

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
  if (Status written = write(*file); !written) return written;
  if (Status written = AppendMetadata(options.metadata, *file); !written) return written;
  return file->Commit();
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "the system refused memory while saving"};
}

std::vector<std::byte> FilterFiles::WriteBytes(const Write& write) {
  VectorSink sink;
  if (const Status written = write(sink); !written) {
    TROMMEL_CHECK(written.error().code == ErrorCode::kOutOfMemory,
                  "writing to memory fails for lack of memory only");
    throw std::bad_alloc();
  }
  return sink.Take();
}

Result<std::vector<std::byte>> FilterFiles::LoadMetadata(const std::filesystem::path& path) {
  const Result<FileSource> source = FileSource::Open(path);
  if (!source) return source.error();
  Result<std::vector<std::byte>> metadata = LoadMetadata(*source);
  if (!metadata) return NamingFile(path, metadata.error());
  return metadata;
}

Result<std::vector<std::byte>> FilterFiles::LoadMetadata(const ByteSource& source) try {
  const Result<OpenedSnapshot> snapshot = OpenedSnapshot::Open(source);
  if (!snapshot) return snapshot.error();
  Result<std::vector<std::byte>> behind = MetadataBehind(*snapshot);
  if (!behind || !behind->empty()) return behind;
  if (Status whole = CheckFileBytes(source.num_bytes(), snapshot->file_bytes()); !whole) {
    return whole.error();
  }
  return behind;
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "the system refused memory while loading"};
}

Status FilterFiles::WriteToSink(ByteSink& sink, const Write& write) try {
  return write(sink);
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "the system refused memory while saving"};
}

bool FilterFiles::HaveSameBytes(const Write& a, const Write& b) {
  const std::vector<std::byte> bytes = WriteBytes(a);
  ComparingSink sink(bytes);
  const Status written = b(sink);
  if (!written && written.error().code == ErrorCode::kOutOfMemory) throw std::bad_alloc();
  return written.ok() && sink.are_same();
}

Error FilterFiles::NamingFile(const std::filesystem::path& path, Error error) {
  // Errors of the file system name the file themselves.
  if (error.code != ErrorCode::kIo) error.message = path.string() + ": " + error.message;
  return error;
}

}  // namespace trommel
