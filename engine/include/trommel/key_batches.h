/// @file
/// ForEachKeyBatch: keys of ranges that are not contiguous, and keys that are parts of elements.
#ifndef TROMMEL_KEY_BATCHES_H_
#define TROMMEL_KEY_BATCHES_H_

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "trommel/keys.h"

namespace trommel {

/// The most keys of a batch of ForEachKeyBatch: a multiple of 64, so that the answers to a batch
/// are whole words of a bitmap.
inline constexpr size_t kKeyBatchSize = 1024;

/// Not part of the interface.
namespace internal {

/// What a batch keeps of a key that the projection returns as a T: integers widened to 64 bits,
/// views of strings and bytes that live on, and strings that do not.
template <class T>
struct StoredKey {
  /// The type without reference and const.
  using Plain = std::remove_cvref_t<T>;
  /// Whether it is a temporary string, which would be gone before the batch is used.
  static constexpr bool kIsTemporary =
      !std::is_lvalue_reference_v<T> && std::same_as<Plain, std::string>;
  static_assert(kIsTemporary || std::is_lvalue_reference_v<T> || !std::is_class_v<Plain> ||
                    std::same_as<Plain, std::string_view> || KeyBytes<Plain>,
                "the projection returns an object that is gone before the batch is used");
  /// The span of bytes that it converts to.
  using Bytes = std::conditional_t<std::convertible_to<T, std::span<const uint8_t>>,
                                   std::span<const uint8_t>, std::span<const std::byte>>;
  /// Integers are an int64_t, whose bits are those of the uint64_t of the same value.
  using type = std::conditional_t<
      KeyInteger<Plain>, int64_t,
      std::conditional_t<
          kIsTemporary, std::string,
          std::conditional_t<std::convertible_to<T, std::string_view>, std::string_view, Bytes>>>;
};

}  // namespace internal

/// Calls visit(first, keys) for the keys of a range, `kKeyBatchSize` at a time (fewer at the end):
/// `keys` is a Keys with the keys number `first` and following, in order, valid until visit
/// returns. The range may be of any kind, and a key is what `projection` (a function, or a pointer
/// to a member) makes of an element: an integer, a string or view of one, a std::span of std::byte
/// or uint8_t.
///
/// @code
/// std::list<Order> orders = ...;
/// ForEachKeyBatch(orders, &Order::customer, [&](size_t, Keys keys) { filter.Insert(keys); });
///
/// std::vector<uint64_t> answers(BitmapWords(orders.size()));
/// ForEachKeyBatch(orders, &Order::customer, [&](size_t first, Keys keys) {
///   filter.Query(keys, std::span(answers).subspan(first / 64, BitmapWords(keys.size())));
/// });
/// @endcode
///
/// Views and spans that the projection returns, and strings that it returns by reference, must live
/// until visit returns. Cost: a copy of each key, or of a view of it, 8 or 16 bytes, into a buffer
/// on the stack; a contiguous range of keys themselves is better passed as Keys.
template <std::ranges::input_range R, class Projection, class Visit>
requires std::invocable<Visit&, size_t, Keys>
void ForEachKeyBatch(R&& range, Projection projection, Visit visit) {
  using Stored = typename internal::StoredKey<
      std::invoke_result_t<Projection&, std::ranges::range_reference_t<R>>>::type;
  std::array<Stored, kKeyBatchSize> batch;
  size_t first = 0;
  size_t size = 0;
  for (auto&& element : range) {
    if constexpr (std::same_as<Stored, int64_t>) {
      batch[size++] =
          static_cast<int64_t>(std::invoke(projection, std::forward<decltype(element)>(element)));
    } else {
      batch[size++] = std::invoke(projection, std::forward<decltype(element)>(element));
    }
    if (size < batch.size()) continue;
    visit(first, Keys(batch));
    first += size;
    size = 0;
  }
  if (size > 0) visit(first, Keys(std::span<const Stored>(batch.data(), size)));
}

/// The same for a range whose elements are the keys.
template <std::ranges::input_range R, class Visit>
requires std::invocable<Visit&, size_t, Keys>
void ForEachKeyBatch(R&& range, Visit visit) {
  ForEachKeyBatch(std::forward<R>(range), std::identity(), std::move(visit));
}

}  // namespace trommel

#endif  // TROMMEL_KEY_BATCHES_H_
