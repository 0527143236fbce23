// Filters of any type: the type that an opened snapshot's header tells decides whose reader reads
// on.
#include "trommel/any_filter.h"

#include <array>
#include <utility>

#include "engine/src/disk/byte_source.h"
#include "engine/src/snapshots/filter_files.h"

namespace trommel {
namespace {

static_assert(static_cast<int>(FilterType::kCounting) ==
                      static_cast<int>(SnapshotType::kCountingFilter) &&
                  static_cast<int>(FilterType::kScalable) ==
                      static_cast<int>(SnapshotType::kScalableFilter) &&
                  static_cast<int>(FilterType::kWindow) ==
                      static_cast<int>(SnapshotType::kWindowFilter) &&
                  static_cast<int>(FilterType::kAttributes) ==
                      static_cast<int>(SnapshotType::kAttributeFilter),
              "filter types are numbered as in files");

// The types of the alternatives, in their order.
constexpr std::array kTypes = {FilterType::kCounting, FilterType::kScalable, FilterType::kWindow,
                               FilterType::kAttributes};
static_assert(kTypes.size() == std::variant_size_v<AnyFilter>);

Result<FilterType> TypeOfOpened(const OpenedSnapshot& snapshot) {
  return static_cast<FilterType>(snapshot.type());
}

// Reads the snapshot as the kIndex-th alternative, or as the one after it that it is.
template <size_t kIndex = 0>
Result<AnyFilter> ReadAny(const OpenedSnapshot& snapshot, uint64_t limit_bytes,
                          const DigestKey& digest_key) {
  using Filter = std::variant_alternative_t<kIndex, AnyFilter>;
  if constexpr (kIndex + 1 < kTypes.size()) {
    if (static_cast<FilterType>(snapshot.type()) != kTypes[kIndex]) {
      return ReadAny<kIndex + 1>(snapshot, limit_bytes, digest_key);
    }
  }
  Result<Filter> filter = FilterFiles::Read<Filter>(snapshot, limit_bytes, digest_key);
  if (!filter) return filter.error();
  return AnyFilter(*std::move(filter));
}

}  // namespace

std::string_view FilterTypeName(FilterType type) noexcept {
  return SnapshotTypeName(static_cast<SnapshotType>(type));
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
  return FilterFiles::ReadFile(path, [&](const OpenedSnapshot& snapshot) {
    return ReadAny(snapshot, memory_limit_bytes, digest_key);
  });
}

Result<AnyFilter> DeserializeAny(std::span<const std::byte> bytes, uint64_t memory_limit_bytes,
                                 const DigestKey& digest_key) {
  return FilterFiles::ReadBytes(SpanSource(bytes), [&](const OpenedSnapshot& snapshot) {
    return ReadAny(snapshot, memory_limit_bytes, digest_key);
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
