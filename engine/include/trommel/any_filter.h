/// @file
/// AnyFilter, one interface to filters of every type: for programs that learn from a file, or from
/// their user, which type they work with. A program that knows the type uses the type itself.
#ifndef TROMMEL_ANY_FILTER_H_
#define TROMMEL_ANY_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "trommel/byte_stream.h"
#include "trommel/digest.h"
#include "trommel/executor.h"
#include "trommel/export.h"
#include "trommel/keys.h"
#include "trommel/outcomes.h"
#include "trommel/result.h"
#include "trommel/save_options.h"

namespace trommel {

/// The type of a filter, numbered as in files.
enum class FilterType : uint8_t {
  kCounting = 1,      ///< CountingFilter.
  kScalable = 2,      ///< ScalableFilter.
  kWindow = 3,        ///< A filter of a sliding window of time (window_filter.h).
  kAttributes = 6,    ///< AttributeFilter.
  kConcurrent = 100,  ///< ConcurrentFilter, whose files are those of kCounting.
};

/// Returns "counting", "scalable", "window", "attribute" or "concurrent"; "unknown" for any other
/// value.
TROMMEL_API std::string_view FilterTypeName(FilterType type) noexcept;

/// What a figure says: a number, a rate or share, whether something holds, or a name.
using FigureValue = std::variant<uint64_t, double, bool, std::string>;
/// Figures with their names, which are those of the fields of the types' configurations and
/// statistics: "capacity", "num_keys".
using Figures = std::vector<std::pair<std::string_view, FigureValue>>;

/// Returns the figure of this name, or `otherwise` if there is none of this kind.
template <class T>
T FigureOr(const Figures& figures, std::string_view name, T otherwise) {
  for (const auto& [its_name, value] : figures) {
    if (const T* figure = std::get_if<T>(&value); its_name == name && figure != nullptr) {
      return *figure;
    }
  }
  return otherwise;
}

class AnyFilter;
class AttributeFilter;
class ConcurrentFilter;
class CountingFilter;
class ScalableFilter;
class WindowFilter;

namespace internal {

template <class Filter>
inline constexpr bool kIsFilter = false;  // of no type below
template <class Filter>
inline constexpr FilterType kTypeOf = [] {
  static_assert(kIsFilter<Filter>, "AnyFilter is of one of the types that files have");
  return FilterType();
}();
template <>
inline constexpr FilterType kTypeOf<CountingFilter> = FilterType::kCounting;
template <>
inline constexpr FilterType kTypeOf<ConcurrentFilter> = FilterType::kConcurrent;
template <>
inline constexpr FilterType kTypeOf<ScalableFilter> = FilterType::kScalable;
template <>
inline constexpr FilterType kTypeOf<WindowFilter> = FilterType::kWindow;
template <>
inline constexpr FilterType kTypeOf<AttributeFilter> = FilterType::kAttributes;

}  // namespace internal

/// Where an AnyFilter is.
using AnyFilterPtr = std::unique_ptr<AnyFilter>;

/// A filter of any type. What a type does not do fails with kUnsupported and says so: "window
/// filters cannot be folded"; nothing has changed then. All else is what the type's own function
/// does, with its promises of threads, its requirements and its failures.
///
/// Filters of type kAttributes hold tuples, not keys. Insert and the like fail for them; queries
/// and calls of one key end the program with a message: ask takes_keys() before.
///
/// Of a batch, `inserted`, `erased` and `missing` are bitmaps or empty, if no one needs them, but
/// InsertIfAbsent requires `inserted`; else outputs have the shapes of CountingFilter's. A batch or
/// a whole filter costs one virtual call more than with its own type, and so does a key.
class TROMMEL_API AnyFilter {
 public:
  using Bits = std::span<uint64_t>;         ///< A bitmap.
  using Times = std::span<const uint64_t>;  ///< Ticks of a window.

  AnyFilter() = default;                            ///< For the types.
  AnyFilter(const AnyFilter&) = delete;             ///< Clone copies.
  AnyFilter& operator=(const AnyFilter&) = delete;  ///< Clone copies.
  virtual ~AnyFilter();                             ///< Destroys the filter.

  /// @name Making and loading
  /// @{

  /// Creates an empty filter from a description: figures with the names and defaults of the type's
  /// configuration. Encodings and the like are given by name: {"encoding", "runs"}. Fails with
  /// kInvalidArgument, naming it, for a figure that the type's configuration does not have, or that
  /// is of another kind; and as the type's Create. Attribute filters are not made so.
  static Result<AnyFilterPtr> Create(FilterType type, const Figures& description,
                                     const DigestPolicy& digest = {},
                                     std::shared_ptr<Executor> executor = nullptr);

  /// Takes over a filter of one of the types.
  template <class Filter>
  static AnyFilterPtr Of(Filter filter) {
    return Wrap(internal::kTypeOf<Filter>, &filter);
  }

  /// Loads a file as the type that it is, and fails as the type's own Load. The file is opened
  /// once: its type and contents are those of one file, even if another takes its name meanwhile.
  static Result<AnyFilterPtr> Load(const std::filesystem::path& path,
                                   uint64_t memory_limit_bytes = 0,
                                   const DigestKey& digest_key = {});
  /// Reads a file in memory as the type that it is, and fails as the type's own Deserialize.
  static Result<AnyFilterPtr> Deserialize(std::span<const std::byte> bytes,
                                          uint64_t memory_limit_bytes = 0,
                                          const DigestKey& digest_key = {});
  /// Reads a file in any source, as Deserialize. Fails as the source does, too.
  static Result<AnyFilterPtr> LoadFrom(const ByteSource& source, uint64_t memory_limit_bytes = 0,
                                       const DigestKey& digest_key = {});
  /// @}

  /// @name Properties
  /// @{
  virtual FilterType type() const noexcept = 0;                    ///< Returns its type.
  virtual const DigestPolicy& digest_policy() const noexcept = 0;  ///< As the type's own.
  virtual uint64_t num_keys() const noexcept = 0;                  ///< Returns its keys or tuples.
  virtual bool takes_keys() const noexcept { return true; }        ///< False of kAttributes.
  virtual bool expires() const noexcept { return false; }          ///< True of kWindow.

  /// Returns what it is and holds, beginning with num_keys. `measured` adds what takes a pass over
  /// its blocks, or sizing: current_fpr, fill_ratio; num_distinct_keys, an estimate, and
  /// least_distinct_keys, its lower end; predicted_fpr and least_fpr are then the model's rates for
  /// these, and predicted_fpr is else that for num_keys. Cost: as GetStats, and MeasureFill.
  virtual Figures GetFigures(bool measured) const = 0;
  /// Returns what its parts are called, and the figures of each: "buckets", oldest first; or
  /// nothing.
  virtual std::pair<std::string_view, std::vector<Figures>> GetParts(bool measured) const;
  /// Returns the model's rate, and bytes, when it holds so many distinct keys.
  virtual GrowthForecast ForecastAt(uint64_t num_keys) const;

  /// Returns the filter as its own type; null if it is of another one.
  template <class Filter>
  Filter* As() noexcept {
    return internal::kTypeOf<Filter> == type() ? static_cast<Filter*>(const_cast<void*>(Typed()))
                                               : nullptr;
  }
  /// As above.
  template <class Filter>
  const Filter* As() const noexcept {
    return internal::kTypeOf<Filter> == type() ? static_cast<const Filter*>(Typed()) : nullptr;
  }
  /// @}

  /// @name Time
  /// Of types whose keys expire; others are always at time 0.
  /// @{
  virtual uint64_t now() const noexcept { return 0; }  ///< As the type's own.
  virtual Result<bool> Advance(uint64_t now);          ///< As the type's own.
  /// @}

  /// @name Batches
  /// The functions with `At` in their names are for types whose keys expire.
  /// @{

  /// Keys per time of an InsertIfAbsent.
  static constexpr size_t kChunkKeys = 2048;

  /// Inserts every key. `inserted_at`, if not null, receives the time, or 0 where keys do not
  /// expire.
  virtual Result<InsertOutcome> Insert(Keys keys, Bits inserted, uint64_t* inserted_at);
  /// Inserts every key into the bucket of `time`.
  virtual Result<InsertOutcome> InsertAt(Keys keys, uint64_t time, Bits inserted);
  /// Inserts every key that is absent. `refused`, if not empty, gets the bits of absent keys that
  /// were refused, which not every type can tell; `times`, if not empty, the times, one for each
  /// kChunkKeys keys, or 0 where keys do not expire.
  virtual Result<InsertOutcome> InsertIfAbsent(Keys keys, Bits inserted, Bits refused, Bits times);
  /// Erases every key, or refuses it, as the type's Erase.
  virtual Result<EraseOutcome> Erase(Keys keys, Bits erased);
  /// Erases every key from the bucket of its insertion, or refuses it, as the type's Erase.
  virtual Result<EraseOutcome> EraseAt(Keys keys, uint64_t inserted_at, Bits erased);
  /// Erases every key or changes nothing, as the type's EraseAll. Where keys expire, `inserted_at`
  /// has one time for all or one for each; else it is empty.
  virtual Result<EraseOutcome> EraseAll(Keys keys, Times inserted_at, Bits missing);
  /// As CountingFilter::Query.
  virtual size_t Query(Keys keys, Bits maybe_present) const noexcept;
  /// As CountingFilter::Select.
  virtual size_t Select(Keys keys, Answer answer, std::span<uint32_t> selection) const noexcept;
  /// As CountingFilter::CountEstimates.
  virtual void CountEstimates(Keys keys, std::span<uint64_t> counts) const noexcept;
  /// @}

  /// @name One key
  /// Requires what the batch needs not to fail. Times are as above: of types whose keys do not
  /// expire, InsertAt and EraseAt are Insert and Erase.
  /// @{
  virtual bool InsertOne(Key key, uint64_t* inserted_at) noexcept;          ///< As Insert.
  virtual bool InsertOneAt(Key key, uint64_t time) noexcept;                ///< As InsertAt.
  virtual bool InsertOneIfAbsent(Key key, uint64_t* inserted_at) noexcept;  ///< As InsertIfAbsent.
  virtual bool EraseOneAt(Key key, uint64_t inserted_at) noexcept;  ///< As Erase and EraseAt.
  virtual bool MayContain(Key key) const noexcept;         ///< As CountingFilter::MayContain.
  virtual uint64_t CountEstimate(Key key) const noexcept;  ///< As CountingFilter::CountEstimate.
  /// @}

  /// @name Whole filters
  /// @{
  /// Adds what `other` holds, as the type's Merge. `other` is of the same type; kMismatch else. A
  /// filter of type kConcurrent takes one of type kCounting.
  virtual Status Merge(const AnyFilter& other);
  virtual Status Subtract(const AnyFilter& other);  ///< As CountingFilter::Subtract.
  virtual Status Fold();                            ///< As CountingFilter::Fold.
  virtual Status Grow();                            ///< As CountingFilter::Grow.
  virtual void Clear() = 0;                         ///< As the type's own.
  virtual Status UseExecutor(const std::shared_ptr<Executor>& executor);  ///< As the type's own.
  virtual Status LimitSideMemory(uint64_t limit_bytes);                   ///< As the type's own.
  virtual Result<AnyFilterPtr> Clone() const = 0;                         ///< As the type's own.
  /// Returns whether both are of one type, and equal there.
  virtual bool Equals(const AnyFilter& other) const = 0;
  virtual Status Save(const std::filesystem::path& path,
                      const SaveOptions& options) const = 0;  ///< As the type's own.
  virtual Status SaveTo(ByteSink& sink,
                        std::span<const std::byte> metadata) const = 0;  ///< As the type's own.
  virtual std::vector<std::byte> Serialize() const = 0;                  ///< As the type's own.

  /// @}

 protected:
  /// Returns the error of an operation that the type does not have: "scalable filters " and `what`.
  Error Unsupported(std::string_view what) const;

 private:
  static AnyFilterPtr Wrap(FilterType type, void* filter);
  virtual const void* Typed() const noexcept = 0;  // the filter as its own type
};

/// Returns the type of a file by its header and directory, which are valid then; the rest may still
/// be damaged. Fails with kIo, kVersion (also for a type that this library does not know), kCorrupt
/// (also for a file that was cut), and kMismatch for what is no filter: a column of a map, or the
/// directory of an index.
TROMMEL_API Result<FilterType> TypeOfFile(const std::filesystem::path& path);
/// Returns the type of a file in memory, as TypeOfFile.
TROMMEL_API Result<FilterType> TypeOfBytes(std::span<const std::byte> bytes);
/// Returns the type of a file in any source, as TypeOfFile. Fails as the source does, too.
TROMMEL_API Result<FilterType> TypeOfSource(const ByteSource& source);

}  // namespace trommel

#endif  // TROMMEL_ANY_FILTER_H_
