/// @file
/// Files of every type: which type a file is, and loading and saving it as that. A program that
/// knows the type uses the type's own Load.
#ifndef TROMMEL_ANY_FILTER_H_
#define TROMMEL_ANY_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "trommel/attribute_filter.h"
#include "trommel/byte_stream.h"
#include "trommel/counting_filter.h"
#include "trommel/export.h"
#include "trommel/metadata.h"
#include "trommel/result.h"
#include "trommel/save_options.h"
#include "trommel/scalable_filter.h"
#include "trommel/window_filter.h"

namespace trommel {

/// The type of a filter file, numbered as in files.
enum class FilterType : uint8_t {
  kCounting = 1,    ///< CountingFilter, and ConcurrentFilter.
  kScalable = 2,    ///< ScalableFilter.
  kWindow = 3,      ///< WindowFilter.
  kAttributes = 6,  ///< AttributeFilter.
};

/// Returns "counting", "scalable", "window" or "attribute"; "unknown" for any other value.
TROMMEL_API std::string_view FilterTypeName(FilterType type) noexcept;

/// A filter of one of the types, in the order of FilterType. Files of counting filters are loaded
/// as CountingFilter, from which a ConcurrentFilter can be made.
using AnyFilter = std::variant<CountingFilter, ScalableFilter, WindowFilter, AttributeFilter>;

/// Returns the filter's type.
TROMMEL_API FilterType TypeOf(const AnyFilter& filter);

/// Returns the type of a file by its header and directory, which are valid then; the rest may still
/// be damaged. Fails with kIo, kVersion (also for a type that this library does not know), kCorrupt
/// (also for a file that was cut), and kMismatch for what is no filter: a column of a map, or the
/// directory of an index.
TROMMEL_API Result<FilterType> TypeOfFile(const std::filesystem::path& path);
/// Returns the type of a file in memory, as TypeOfFile.
TROMMEL_API Result<FilterType> TypeOfBytes(std::span<const std::byte> bytes);
/// Returns the type of a file in any source, as TypeOfFile. Fails as the source does, too.
TROMMEL_API Result<FilterType> TypeOfSource(const ByteSource& source);

/// Loads a file as the type that it is, and fails as the type's own Load. The file is opened once:
/// its type and contents are those of one file, even if another takes its name meanwhile.
TROMMEL_API Result<AnyFilter> LoadAny(const std::filesystem::path& path,
                                      uint64_t memory_limit_bytes = 0,
                                      const DigestKey& digest_key = {});
/// Reads a file in memory as the type that it is, and fails as the type's own Deserialize.
TROMMEL_API Result<AnyFilter> DeserializeAny(std::span<const std::byte> bytes,
                                             uint64_t memory_limit_bytes = 0,
                                             const DigestKey& digest_key = {});
/// Saves the filter, and fails, as the type's own Save.
TROMMEL_API Status SaveAny(const AnyFilter& filter, const std::filesystem::path& path,
                           const SaveOptions& options = {});
/// Returns what the type's own Serialize returns.
TROMMEL_API std::vector<std::byte> SerializeAny(const AnyFilter& filter);

}  // namespace trommel

#endif  // TROMMEL_ANY_FILTER_H_
