// Filter files of any type: which type a file is, and loading it as that. A program that knows the
// type uses the type's own Load.
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
#include "trommel/classic/filter.h"
#include "trommel/counting_filter.h"
#include "trommel/layered_filter.h"
#include "trommel/result.h"
#include "trommel/save_options.h"
#include "trommel/scalable_filter.h"
#include "trommel/window_filter.h"

namespace trommel {

// Numbered as in files. A ConcurrentFilter's file is a counting filter's.
enum class FilterType : uint8_t {
  kCounting = 1,
  kScalable = 2,
  kWindow = 3,
  kLayered = 4,
  kClassic = 5,  // of any kind: bits, counters, slices of counters
  kAttributes = 6,
};

// "counting", "scalable", "window", "layered", "classic", "attribute"; "unknown" for anything else.
std::string_view FilterTypeName(FilterType type) noexcept;

// A filter of one of the types, in the order of FilterType. Counting filters come as
// CountingFilter; a ConcurrentFilter can be made of one.
using AnyFilter = std::variant<CountingFilter, ScalableFilter, WindowFilter, LayeredFilter,
                               classic::Filter, AttributeFilter>;

FilterType TypeOf(const AnyFilter& filter);

// The type of the file or the bytes, by a valid header alone: the rest may yet be damaged. Fails
// with kIo, kVersion (also for a type that this library does not know) and kCorrupt.
Result<FilterType> TypeOfFile(const std::filesystem::path& path);
Result<FilterType> TypeOfBytes(std::span<const std::byte> bytes);

// The type's own Load, Deserialize, Save and Serialize. The file is opened once: type and contents
// are of the same file even if another takes its name meanwhile.
Result<AnyFilter> LoadAny(const std::filesystem::path& path, uint64_t memory_limit_bytes = 0,
                          const DigestKey& digest_key = {});
Result<AnyFilter> DeserializeAny(std::span<const std::byte> bytes, uint64_t memory_limit_bytes = 0,
                                 const DigestKey& digest_key = {});
Status SaveAny(const AnyFilter& filter, const std::filesystem::path& path,
               const SaveOptions& options = {});
std::vector<std::byte> SerializeAny(const AnyFilter& filter);

}  // namespace trommel

#endif  // TROMMEL_ANY_FILTER_H_
