// FilterFiles: how filters are saved and loaded, with all errors, once for all types. A type brings
// two private members, which may throw std::bad_alloc:
//
//   static Result<Filter> ReadFrom(const OpenedSnapshot& snapshot, uint64_t limit_bytes,
//                                  const DigestKey& digest_key);
//   Status WriteTo(ByteSink& sink) const;
//
// and one that threads may change meanwhile, if it can be saved as it is at one moment:
//
//   Status WriteOneMomentTo(ByteSink& sink) const;
#ifndef TROMMEL_ENGINE_SRC_SNAPSHOTS_FILTER_FILES_H_
#define TROMMEL_ENGINE_SRC_SNAPSHOTS_FILTER_FILES_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/src/disk/byte_sink.h"
#include "engine/src/disk/byte_source.h"
#include "engine/src/snapshots/opened_snapshot.h"
#include "engine/src/snapshots/user_metadata.h"
#include "trommel/digest.h"
#include "trommel/executor.h"
#include "trommel/result.h"
#include "trommel/save_options.h"

namespace trommel {

struct FilterFiles {
  // --- Of one type: what its Save, Serialize, Load and Deserialize do.

  // Writes the file atomically. Fails with kIo, kOutOfMemory, kExists, kNotFlushed and what
  // options.check returns.
  template <class Filter>
  static Status Save(const Filter& filter, const std::filesystem::path& path,
                     const SaveOptions& options) {
    if constexpr (requires(ByteSink & sink) { filter.WriteOneMomentTo(sink); }) {
      if (options.point_in_time) {
        return WriteFile(path, options,
                         [&filter](ByteSink& sink) { return filter.WriteOneMomentTo(sink); });
      }
    }
    return WriteFile(path, options, [&filter](ByteSink& sink) { return filter.WriteTo(sink); });
  }

  // Of a filter ("a WindowFilter") that threads may change meanwhile and that cannot be saved as it
  // is at one moment.
  static Error NoPointInTime(const char* filter);

  // Throws std::bad_alloc where there is no memory for the bytes.
  template <class Filter>
  static std::vector<std::byte> Serialize(const Filter& filter) {
    return WriteBytes([&filter](ByteSink& sink) { return filter.WriteTo(sink); });
  }

  // Fails as the type's ReadFrom, OpenedSnapshot::Open and FileSource::Open; all errors name the
  // path.
  template <class Filter>
  static Result<Filter> Load(const std::filesystem::path& path, uint64_t limit_bytes,
                             const DigestKey& digest_key) {
    return ReadFile(path, [&](const OpenedSnapshot& snapshot) {
      return Read<Filter>(snapshot, limit_bytes, digest_key);
    });
  }

  template <class Filter>
  static Result<Filter> Deserialize(std::span<const std::byte> bytes, uint64_t limit_bytes,
                                    const DigestKey& digest_key) {
    return ReadBytes(SpanSource(bytes), [&](const OpenedSnapshot& snapshot) {
      return Read<Filter>(snapshot, limit_bytes, digest_key);
    });
  }

  template <class Filter>
  static Status SaveTo(const Filter& filter, ByteSink& sink) {
    return WriteToSink(sink, [&filter](ByteSink& to) { return filter.WriteTo(to); });
  }

  template <class Filter>
  static Result<Filter> LoadFrom(const ByteSource& source, uint64_t limit_bytes,
                                 const DigestKey& digest_key) {
    return ReadBytes(source, [&](const OpenedSnapshot& snapshot) {
      return Read<Filter>(snapshot, limit_bytes, digest_key);
    });
  }

  // What a snapshot of the filter holds, as a filter, with this executor.
  template <class Filter>
  static Result<Filter> Clone(const Filter& filter, uint64_t limit_bytes,
                              std::shared_ptr<Executor> executor) {
    VectorSink sink;
    if (Status saved = SaveTo(filter, sink); !saved) return saved.error();
    Result<Filter> clone =
        LoadFrom<Filter>(SpanSource(sink.bytes()), limit_bytes, filter.digest_policy().digest_key);
    if (clone) clone->UseExecutor(std::move(executor));
    return clone;
  }

  // Are the snapshots of both the same bytes? Throws std::bad_alloc where there is no memory for
  // one of them.
  template <class Filter>
  static bool AreSame(const Filter& a, const Filter& b) {
    return HaveSameBytes([&a](ByteSink& sink) { return a.WriteTo(sink); },
                         [&b](ByteSink& sink) { return b.WriteTo(sink); });
  }

  template <class Filter>
  static Result<Filter> Read(const OpenedSnapshot& snapshot, uint64_t limit_bytes,
                             const DigestKey& digest_key) {
    return Filter::ReadFrom(snapshot, limit_bytes, digest_key);
  }

  // --- Of any type. The file is opened once and its header read once; read(snapshot) returns a
  // Result, whose errors ReadFile completes with the path. User metadata behind the snapshot is
  // checked, and left out.

  template <class ReadOne>
  static std::invoke_result_t<ReadOne, const OpenedSnapshot&> ReadFile(
      const std::filesystem::path& path, const ReadOne& read) {
    const Result<FileSource> source = FileSource::Open(path);
    if (!source) return source.error();
    auto result = ReadBytes(*source, read);
    if (!result) return NamingFile(path, result.error());
    return result;
  }

  template <class ReadOne>
  static std::invoke_result_t<ReadOne, const OpenedSnapshot&> ReadBytes(const ByteSource& source,
                                                                        const ReadOne& read) try {
    const Result<OpenedSnapshot> snapshot = OpenedSnapshot::Open(source);
    if (!snapshot) return snapshot.error();
    const Result<std::vector<std::byte>> behind = MetadataBehind(*snapshot);
    if (!behind) return behind.error();
    if (behind->empty()) return read(*snapshot);
    const PartSource contents(source, 0, snapshot->file_bytes());
    return read(snapshot->Within(contents));
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "the system refused memory while loading"};
  }

  // As the functions of this name (trommel/metadata.h).
  static Result<std::vector<std::byte>> LoadMetadata(const std::filesystem::path& path);
  static Result<std::vector<std::byte>> LoadMetadata(const ByteSource& source);

 private:
  using Write = std::function<Status(ByteSink&)>;
  static Status WriteFile(const std::filesystem::path& path, const SaveOptions& options,
                          const Write& write);
  static std::vector<std::byte> WriteBytes(const Write& write);
  static Status WriteToSink(ByteSink& sink, const Write& write);
  static bool HaveSameBytes(const Write& a, const Write& b);
  static Error NamingFile(const std::filesystem::path& path, Error error);
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SNAPSHOTS_FILTER_FILES_H_
