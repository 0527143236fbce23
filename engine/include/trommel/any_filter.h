// One door to filter files: what a file is, and loading it as that. For programs that are handed
// files of all types; who knows the type uses the type's own Load.
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
#include "trommel/classic/bloom_filter.h"
#include "trommel/classic/counting_bloom_filter.h"
#include "trommel/classic/split_counting_filter.h"
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

// A filter of one of the types. Counting filters come as CountingFilter; a ConcurrentFilter can be
// made of one.
using AnyFilter =
    std::variant<CountingFilter, ScalableFilter, WindowFilter, LayeredFilter, classic::BloomFilter,
                 classic::CountingBloomFilter, classic::SplitCountingFilter, AttributeFilter>;

FilterType TypeOf(const AnyFilter& filter);

// What the file or the bytes are, by a valid header alone: the rest may yet be damaged. Fails with
// kIo, kVersion (a type, too, that this library does not know) and kCorrupt.
Result<FilterType> TypeOfFile(const std::filesystem::path& path);
Result<FilterType> TypeOfBytes(std::span<const std::byte> bytes);

// The type's own Load, Deserialize, Save and Serialize. A digest key that is wrong or not called
// for fails as the type's own.
Result<AnyFilter> LoadAny(const std::filesystem::path& path, uint64_t memory_limit_bytes = 0,
                          const DigestKey& digest_key = {});
Result<AnyFilter> DeserializeAny(std::span<const std::byte> bytes, uint64_t memory_limit_bytes = 0,
                                 const DigestKey& digest_key = {});
Status SaveAny(const AnyFilter& filter, const std::filesystem::path& path,
               const SaveOptions& options = {});
std::vector<std::byte> SerializeAny(const AnyFilter& filter);

}  // namespace trommel

#endif  // TROMMEL_ANY_FILTER_H_
