// Filters of any type: the type that a file's header tells decides whose reader reads on.
#include "trommel/any_filter.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "engine/src/disk/byte_source.h"
#include "engine/src/files/filter_files.h"

namespace trommel {
namespace {

static_assert(static_cast<int>(FilterType::kCounting) == static_cast<int>(FileType::kCounting) &&
                  static_cast<int>(FilterType::kScalable) ==
                      static_cast<int>(FileType::kScalable) &&
                  static_cast<int>(FilterType::kWindow) == static_cast<int>(FileType::kWindow) &&
                  static_cast<int>(FilterType::kAttributes) ==
                      static_cast<int>(FileType::kAttributes),
              "filter types are numbered as in files");

// The types of the alternatives, in their order.
constexpr std::array kTypes = {FilterType::kCounting, FilterType::kScalable, FilterType::kWindow,
                               FilterType::kAttributes};
static_assert(kTypes.size() == std::variant_size_v<AnyFilter>);

Result<FilterType> TypeOfOpened(const FileReader& file) {
  const auto type = static_cast<FilterType>(file.header().type);
  if (std::ranges::find(kTypes, type) != kTypes.end()) return type;
  return Error{ErrorCode::kMismatch,
               "this is the file of " + std::string(FileTypeName(file.type())) + ", no filter"};
}

// Reads the file as the kIndex-th alternative, or as the one after it that it is.
template <size_t kIndex = 0>
Result<AnyFilter> ReadAny(FileReader& file, uint64_t limit_bytes, const DigestKey& digest_key) {
  using Filter = std::variant_alternative_t<kIndex, AnyFilter>;
  if constexpr (kIndex == 0) {
    if (const Result<FilterType> type = TypeOfOpened(file); !type) return type.error();
  }
  if constexpr (kIndex + 1 < kTypes.size()) {
    if (static_cast<FilterType>(file.header().type) != kTypes[kIndex]) {
      return ReadAny<kIndex + 1>(file, limit_bytes, digest_key);
    }
  }
  Result<Filter> filter = FilterFiles::Read<Filter>(file, limit_bytes, digest_key);
  if (!filter) return filter.error();
  return AnyFilter(*std::move(filter));
}

}  // namespace

std::string_view FilterTypeName(FilterType type) noexcept {
  switch (type) {
    case FilterType::kCounting:
      return "counting";
    case FilterType::kScalable:
      return "scalable";
    case FilterType::kWindow:
      return "window";
    case FilterType::kAttributes:
      return "attribute";
  }
  return "unknown";
}

FilterType TypeOf(const AnyFilter& filter) { return kTypes[filter.index()]; }

Result<FilterType> TypeOfFile(const std::filesystem::path& path) {
  return FilterFiles::ReadFile(path, TypeOfOpened);
}

Result<FilterType> TypeOfBytes(std::span<const std::byte> bytes) {
  return TypeOfSource(SpanSource(bytes));
}

Result<FilterType> TypeOfSource(const ByteSource& source) {
  return FilterFiles::ReadBytes(source, TypeOfOpened);
}

Result<AnyFilter> LoadAny(const std::filesystem::path& path, uint64_t memory_limit_bytes,
                          const DigestKey& digest_key) {
  return FilterFiles::ReadFile(
      path, [&](FileReader& file) { return ReadAny(file, memory_limit_bytes, digest_key); });
}

Result<AnyFilter> DeserializeAny(std::span<const std::byte> bytes, uint64_t memory_limit_bytes,
                                 const DigestKey& digest_key) {
  return FilterFiles::ReadBytes(SpanSource(bytes), [&](FileReader& file) {
    return ReadAny(file, memory_limit_bytes, digest_key);
  });
}

Status SaveAny(const AnyFilter& filter, const std::filesystem::path& path,
               const SaveOptions& options) {
  return std::visit([&](const auto& one) { return one.Save(path, options); }, filter);
}

std::vector<std::byte> SerializeAny(const AnyFilter& filter) {
  return std::visit([](const auto& one) { return one.Serialize(); }, filter);
}

}  // namespace trommel
