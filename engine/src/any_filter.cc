// The one door: a header is read to learn the type, then the type's own reader does the work.
#include "trommel/any_filter.h"

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <utility>

#include "engine/src/disk/byte_source.h"
#include "engine/src/snapshots/snapshot_format.h"

namespace trommel {
namespace {

template <class Filter>
struct TypeOfFilter;
template <>
struct TypeOfFilter<CountingFilter> {
  static constexpr FilterType value = FilterType::kCounting;
};

template <>
struct TypeOfFilter<ScalableFilter> {
  static constexpr FilterType value = FilterType::kScalable;
};

template <>
struct TypeOfFilter<WindowFilter> {
  static constexpr FilterType value = FilterType::kWindow;
};

template <>
struct TypeOfFilter<LayeredFilter> {
  static constexpr FilterType value = FilterType::kLayered;
};

template <>
struct TypeOfFilter<AttributeFilter> {
  static constexpr FilterType value = FilterType::kAttributes;
};

template <class Filter>
requires std::is_base_of_v<classic::Filter, Filter>
struct TypeOfFilter<Filter> {
  static constexpr FilterType value = FilterType::kClassic;
};

Result<FilterType> TypeOfSource(const ByteSource& source) {
  std::array<std::byte, kHeaderBytes> buffer;
  const auto start = std::span(buffer).first(std::min<uint64_t>(source.num_bytes(), buffer.size()));
  if (Status read = source.ReadAt(0, start); !read) return read.error();
  const Result<SnapshotStart> parsed = ParseStart(start, source.num_bytes());
  if (!parsed) return parsed.error();
  return static_cast<FilterType>(parsed->type);
}

template <class Filter>
Result<AnyFilter> AsAny(Result<Filter> filter) {
  if (!filter) return filter.error();
  return AnyFilter(*std::move(filter));
}

// Calls read.operator()<Filter>() for the alternatives of that type, one after the other while they
// find a file of the same type but another kind.
template <class Read, size_t kIndex = 0>
Result<AnyFilter> ReadAs(FilterType type, const Read& read, Error refusal) {
  if constexpr (kIndex == std::variant_size_v<AnyFilter>) {
    return refusal;
  } else {
    using Filter = std::variant_alternative_t<kIndex, AnyFilter>;
    if (TypeOfFilter<Filter>::value == type) {
      Result<AnyFilter> filter = AsAny(read.template operator()<Filter>());
      if (filter || filter.error().code != ErrorCode::kMismatch) return filter;
      refusal = filter.error();
    }
    return ReadAs<Read, kIndex + 1>(type, read, std::move(refusal));
  }
}

template <class Read>
Result<AnyFilter> ReadAs(FilterType type, const Read& read) {
  return ReadAs<Read, 0>(type, read,
                         {ErrorCode::kVersion, "snapshots of " + std::string(FilterTypeName(type)) +
                                                   " filters cannot be read by this library"});
}

}  // namespace

static_assert(
    static_cast<int>(FilterType::kCounting) == static_cast<int>(SnapshotType::kCountingFilter) &&
        static_cast<int>(FilterType::kScalable) ==
            static_cast<int>(SnapshotType::kScalableFilter) &&
        static_cast<int>(FilterType::kWindow) == static_cast<int>(SnapshotType::kWindowFilter) &&
        static_cast<int>(FilterType::kLayered) == static_cast<int>(SnapshotType::kLayeredFilter) &&
        static_cast<int>(FilterType::kClassic) == static_cast<int>(SnapshotType::kClassicFilter) &&
        static_cast<int>(FilterType::kAttributes) ==
            static_cast<int>(SnapshotType::kAttributeFilter),
    "filter types are numbered as in files");

std::string_view FilterTypeName(FilterType type) noexcept {
  switch (type) {
    case FilterType::kCounting:
      return "counting";
    case FilterType::kScalable:
      return "scalable";
    case FilterType::kWindow:
      return "window";
    case FilterType::kLayered:
      return "layered";
    case FilterType::kClassic:
      return "classic";
    case FilterType::kAttributes:
      return "attribute";
  }
  return "unknown";
}

FilterType TypeOf(const AnyFilter& filter) {
  return std::visit(
      [](const auto& one) { return TypeOfFilter<std::remove_cvref_t<decltype(one)>>::value; },
      filter);
}

Result<FilterType> TypeOfFile(const std::filesystem::path& path) {
  const Result<FileSource> source = FileSource::Open(path);
  if (!source) return source.error();
  Result<FilterType> type = TypeOfSource(*source);
  if (type || type.error().code == ErrorCode::kIo) return type;
  return Error{type.error().code, path.string() + ": " + type.error().message};
}

Result<FilterType> TypeOfBytes(std::span<const std::byte> bytes) {
  return TypeOfSource(SpanSource(bytes));
}

Result<AnyFilter> LoadAny(const std::filesystem::path& path, uint64_t memory_limit_bytes,
                          const DigestKey& digest_key) {
  const Result<FilterType> type = TypeOfFile(path);
  if (!type) return type.error();
  return ReadAs(*type,
                [&]<class Filter>() { return Filter::Load(path, memory_limit_bytes, digest_key); });
}

Result<AnyFilter> DeserializeAny(std::span<const std::byte> bytes, uint64_t memory_limit_bytes,
                                 const DigestKey& digest_key) {
  const Result<FilterType> type = TypeOfBytes(bytes);
  if (!type) return type.error();
  return ReadAs(*type, [&]<class Filter>() {
    return Filter::Deserialize(bytes, memory_limit_bytes, digest_key);
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
