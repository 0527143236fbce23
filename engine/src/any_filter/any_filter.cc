// AnyFilter: the table of types, and what a type answers to what it does not do.
#include "trommel/any_filter.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdlib>
#include <string>
#include <utility>

#include "engine/src/any_filter/adapter.h"
#include "engine/src/any_filter/attribute_adapter.h"
#include "engine/src/any_filter/counting_adapter.h"
#include "engine/src/any_filter/scalable_adapter.h"
#include "engine/src/any_filter/window_adapter.h"
#include "engine/src/base/check.h"
#include "engine/src/disk/byte_source.h"
#include "engine/src/files/filter_files.h"

namespace trommel {
namespace {

struct Row {
  FilterType type;
  std::string_view name;
  AnyFilterPtr (*wrap)(void* filter);
  // Null where there is none.
  Result<AnyFilterPtr> (*create)(const Figures& description, const DigestPolicy& digest,
                                 std::shared_ptr<Executor>&& executor) = nullptr;
  Result<AnyFilterPtr> (*read)(FileReader& file, uint64_t limit_bytes,
                               const DigestKey& digest_key) = nullptr;
};

template <class AdapterOf>
constexpr Row RowOf(std::string_view name) {
  using Filter = typename AdapterOf::Filter;
  Row row = {AdapterOf::kType, name, [](void* filter) -> AnyFilterPtr {
               return std::make_unique<AdapterOf>(std::move(*static_cast<Filter*>(filter)), true);
             }};
  if constexpr (requires { typename AdapterOf::Config; }) row.create = MakeFrom<AdapterOf>;
  if constexpr (!std::same_as<Filter, ConcurrentFilter>) {
    row.read = [](FileReader& file, uint64_t limit_bytes, const DigestKey& digest_key) {
      return Adapted<AdapterOf>(FilterFiles::Read<Filter>(file, limit_bytes, digest_key), false);
    };
  }
  return row;
}

constexpr std::array kRows = {
    RowOf<CountingAdapter<CountingFilter>>("counting"),
    RowOf<ScalableAdapter>("scalable"),
    RowOf<WindowAdapter>("window"),
    RowOf<AttributeAdapter>("attribute"),
    RowOf<CountingAdapter<ConcurrentFilter>>("concurrent"),
};

const Row* FindRow(FilterType type) {
  const auto* row = std::ranges::find(kRows, type, &Row::type);
  return row == kRows.end() ? nullptr : row;
}

Result<FilterType> TypeOfOpened(const FileReader& file) {
  const auto type = static_cast<FilterType>(file.header().type);
  if (const Row* row = FindRow(type); row != nullptr && row->read != nullptr) return type;
  return Error{ErrorCode::kMismatch,
               "this is the file of " + std::string(FileTypeName(file.type())) + ", no filter"};
}

Result<AnyFilterPtr> ReadAny(FileReader& file, uint64_t limit_bytes, const DigestKey& digest_key) {
  const Result<FilterType> type = TypeOfOpened(file);
  if (!type) return type.error();
  return FindRow(*type)->read(file, limit_bytes, digest_key);
}

// A filter of tuples was asked about keys.
[[noreturn]] void DieOfKeys() {
  TROMMEL_CHECK(false, "keys for a filter of tuples: takes_keys() tells");
  std::abort();
}

}  // namespace

std::string_view FilterTypeName(FilterType type) noexcept {
  const Row* row = FindRow(type);
  return row == nullptr ? "unknown" : row->name;
}

Result<FilterType> TypeOfFile(const std::filesystem::path& path) {
  return FilterFiles::ReadFile(path, TypeOfOpened);
}

Result<FilterType> TypeOfBytes(std::span<const std::byte> bytes) {
  return TypeOfSource(SpanSource(bytes));
}

Result<FilterType> TypeOfSource(const ByteSource& source) {
  return FilterFiles::ReadBytes(source, TypeOfOpened);
}

Result<AnyFilterPtr> AnyFilter::Create(FilterType type, const Figures& description,
                                       const DigestPolicy& digest,
                                       std::shared_ptr<Executor> executor) {
  const Row* row = FindRow(type);
  if (row != nullptr && row->create != nullptr) {
    return row->create(description, digest, std::move(executor));
  }
  return Error{ErrorCode::kUnsupported,
               std::string(FilterTypeName(type)) + " filters are not made from a description"};
}

AnyFilterPtr AnyFilter::Wrap(FilterType type, void* filter) { return FindRow(type)->wrap(filter); }

Result<AnyFilterPtr> AnyFilter::Load(const std::filesystem::path& path, uint64_t memory_limit_bytes,
                                     const DigestKey& digest_key) {
  return FilterFiles::ReadFile(
      path, [&](FileReader& file) { return ReadAny(file, memory_limit_bytes, digest_key); });
}

Result<AnyFilterPtr> AnyFilter::Deserialize(std::span<const std::byte> bytes,
                                            uint64_t memory_limit_bytes,
                                            const DigestKey& digest_key) {
  return LoadFrom(SpanSource(bytes), memory_limit_bytes, digest_key);
}

Result<AnyFilterPtr> AnyFilter::LoadFrom(const ByteSource& source, uint64_t memory_limit_bytes,
                                         const DigestKey& digest_key) {
  return FilterFiles::ReadBytes(
      source, [&](FileReader& file) { return ReadAny(file, memory_limit_bytes, digest_key); });
}

AnyFilter::~AnyFilter() = default;

Error AnyFilter::Unsupported(std::string_view what) const {
  return {ErrorCode::kUnsupported,
          std::string(FilterTypeName(type())) + " filters " + std::string(what)};
}

std::pair<std::string_view, std::vector<Figures>> AnyFilter::GetParts(bool) const { return {}; }
GrowthForecast AnyFilter::ForecastAt(uint64_t) const { return {}; }

Result<bool> AnyFilter::Advance(uint64_t) { return Unsupported("have no time"); }

Result<InsertOutcome> AnyFilter::Insert(Keys, Bits, uint64_t*) {
  return Unsupported("hold tuples, not keys");
}
Result<InsertOutcome> AnyFilter::InsertAt(Keys, uint64_t, Bits) {
  return Unsupported("have no time");
}
Result<InsertOutcome> AnyFilter::InsertIfAbsent(Keys, Bits, Bits, Bits) {
  return Unsupported("hold tuples, not keys");
}
Result<EraseOutcome> AnyFilter::Erase(Keys, Bits) {
  return Unsupported(expires() ? "erase by time: say when the keys were inserted"
                               : "hold tuples, not keys");
}
Result<EraseOutcome> AnyFilter::EraseAt(Keys, uint64_t, Bits) {
  return Unsupported("have no time");
}
Result<EraseOutcome> AnyFilter::EraseAll(Keys, Times inserted_at, Bits) {
  if (inserted_at.empty()) return Erase(Keys::Digests({}), {});
  return Unsupported("have no time");
}

size_t AnyFilter::Query(Keys, Bits) const noexcept { DieOfKeys(); }
size_t AnyFilter::Select(Keys, Answer, std::span<uint32_t>) const noexcept { DieOfKeys(); }
void AnyFilter::CountEstimates(Keys, std::span<uint64_t>) const noexcept { DieOfKeys(); }
bool AnyFilter::InsertOne(Key, uint64_t*) noexcept { DieOfKeys(); }
bool AnyFilter::InsertOneAt(Key, uint64_t) noexcept { DieOfKeys(); }
bool AnyFilter::InsertOneIfAbsent(Key, uint64_t*) noexcept { DieOfKeys(); }
bool AnyFilter::EraseOneAt(Key, uint64_t) noexcept { DieOfKeys(); }
bool AnyFilter::MayContain(Key) const noexcept { DieOfKeys(); }
uint64_t AnyFilter::CountEstimate(Key) const noexcept { DieOfKeys(); }

Status AnyFilter::Merge(const AnyFilter& other) {
  if (!takes_keys()) return Unsupported("cannot be merged");
  const FilterType its = type() == FilterType::kConcurrent ? FilterType::kCounting : type();
  return Error{ErrorCode::kMismatch,
               (other.takes_keys() ? "the other filter is a " : "the other filter is an ") +
                   std::string(FilterTypeName(other.type())) + " filter; it must be a " +
                   std::string(FilterTypeName(its)) + " one"};
}
Status AnyFilter::Subtract(const AnyFilter&) { return Unsupported("cannot be subtracted"); }
Status AnyFilter::Fold() { return Unsupported("cannot be folded"); }
Status AnyFilter::Grow() { return Unsupported("cannot be grown by the caller"); }
Status AnyFilter::UseExecutor(const std::shared_ptr<Executor>&) {
  return Unsupported("take their executor when they are made");
}
Status AnyFilter::LimitSideMemory(uint64_t) { return Unsupported("have no limit of side memory"); }

}  // namespace trommel
