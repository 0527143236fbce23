// FilterFiles: how filters are saved and loaded, with all errors, once for all types. A type brings
// two private members, which list its sections (section_tables.h) and may throw std::bad_alloc:
//
//   static Result<Filter> ReadFrom(FileReader& file, uint64_t limit_bytes,
//                                  const DigestKey& digest_key);
//   Status WriteTo(FileWriter& file) const;
//
// and one that threads may change meanwhile, if it can be saved as it is at one moment:
//
//   Status WriteOneMomentTo(FileWriter& file) const;
#ifndef TROMMEL_ENGINE_SRC_FILES_FILTER_FILES_H_
#define TROMMEL_ENGINE_SRC_FILES_FILTER_FILES_H_

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
#include "engine/src/files/file_reader.h"
#include "engine/src/files/file_writer.h"
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
    return WriteFile(path, options, WriteOf(filter, options.point_in_time));
  }

  // Of a filter ("a ScalableFilter") that threads may change meanwhile and that cannot be saved as
  // it is at one moment.
  static Error NoPointInTime(const char* filter);

  // Throws std::bad_alloc where there is no memory for the bytes.
  template <class Filter>
  static std::vector<std::byte> Serialize(const Filter& filter) {
    return WriteBytes(WriteOf(filter));
  }

  // Fails as the type's ReadFrom, FileReader::Open and FileSource::Open; all errors name the path.
  template <class Filter>
  static Result<Filter> Load(const std::filesystem::path& path, uint64_t limit_bytes,
                             const DigestKey& digest_key) {
    return ReadFile(path,
                    [&](FileReader& file) { return Read<Filter>(file, limit_bytes, digest_key); });
  }

  template <class Filter>
  static Status SaveTo(const Filter& filter, ByteSink& sink, std::span<const std::byte> metadata,
                       bool point_in_time = false) {
    return WriteToSink(sink, metadata, WriteOf(filter, point_in_time));
  }

  template <class Filter>
  static Result<Filter> LoadFrom(const ByteSource& source, uint64_t limit_bytes,
                                 const DigestKey& digest_key) {
    return ReadBytes(source,
                     [&](FileReader& file) { return Read<Filter>(file, limit_bytes, digest_key); });
  }

  template <class Filter>
  static Result<Filter> Deserialize(std::span<const std::byte> bytes, uint64_t limit_bytes,
                                    const DigestKey& digest_key) {
    return LoadFrom<Filter>(SpanSource(bytes), limit_bytes, digest_key);
  }

  // What a file of the filter holds, as a filter, with this executor.
  template <class Filter>
  static Result<Filter> Clone(const Filter& filter, uint64_t limit_bytes,
                              std::shared_ptr<Executor> executor) {
    VectorSink sink;
    if (Status saved = SaveTo(filter, sink, {}); !saved) return saved.error();
    Result<Filter> clone =
        LoadFrom<Filter>(SpanSource(sink.bytes()), limit_bytes, filter.digest_policy().digest_key);
    if (clone) clone->UseExecutor(std::move(executor));
    return clone;
  }

  // Are the files of both the same bytes? Throws std::bad_alloc where there is no memory for one of
  // them.
  template <class Filter>
  static bool AreSame(const Filter& a, const Filter& b) {
    return HaveSameBytes(WriteOf(a), WriteOf(b));
  }

  template <class Filter>
  static Result<Filter> Read(FileReader& file, uint64_t limit_bytes, const DigestKey& digest_key) {
    if (Status good = file.CheckRest(); !good) return good.error();
    return AllTaken(file, Filter::ReadFrom(file, limit_bytes, digest_key));
  }

  // What was read, unless the file has sections that were not.
  template <class Contents>
  static Result<Contents> AllTaken(const FileReader& file, Result<Contents> contents) {
    if (!contents) return contents;
    if (Status all = file.CheckAllTaken(); !all) return all.error();
    return contents;
  }

  // --- Of any type. The file is opened once and its header read once; read(file) returns a Result,
  // whose errors ReadFile completes with the path.

  // Throws std::bad_alloc where there is no memory for the bytes.
  using Write = std::function<Status(FileWriter&)>;
  static std::vector<std::byte> WriteBytes(const Write& write);

  template <class ReadOne>
  static std::invoke_result_t<ReadOne, FileReader&> ReadFile(const std::filesystem::path& path,
                                                             const ReadOne& read) {
    const Result<FileSource> source = FileSource::Open(path);
    if (!source) return source.error();
    auto result = ReadBytes(*source, read);
    if (!result) return NamingFile(path, result.error());
    return result;
  }

  template <class ReadOne>
  static std::invoke_result_t<ReadOne, FileReader&> ReadBytes(const ByteSource& source,
                                                              const ReadOne& read) try {
    Result<FileReader> file = FileReader::Open(source);
    if (!file) return file.error();
    return read(*file);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "the system refused memory while loading"};
  }

 private:
  template <class Filter>
  static Write WriteOf(const Filter& filter, [[maybe_unused]] bool point_in_time = false) {
    if constexpr (requires(FileWriter & file) { filter.WriteOneMomentTo(file); }) {
      if (point_in_time)
        return [&filter](FileWriter& file) { return filter.WriteOneMomentTo(file); };
    }
    return [&filter](FileWriter& file) { return filter.WriteTo(file); };
  }
  static Status WriteFile(const std::filesystem::path& path, const SaveOptions& options,
                          const Write& write);
  static Status WriteToSink(ByteSink& sink, std::span<const std::byte> metadata,
                            const Write& write);
  static bool HaveSameBytes(const Write& a, const Write& b);
  static Error NamingFile(const std::filesystem::path& path, Error error);
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_FILES_FILTER_FILES_H_
