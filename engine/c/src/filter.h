// trommel_filter: a filter of one of the types that hold keys, with what the library does not keep.
#ifndef TROMMEL_ENGINE_C_SRC_FILTER_H_
#define TROMMEL_ENGINE_C_SRC_FILTER_H_

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "engine/c/src/failures.h"
#include "trommel/c.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/digest.h"
#include "trommel/executor.h"
#include "trommel/scalable_filter.h"
#include "trommel/window_filter.h"

struct trommel_filter {
  using Types = std::variant<trommel::CountingFilter, trommel::ScalableFilter,
                             trommel::WindowFilter, trommel::ConcurrentFilter>;
  Types typed;
  std::shared_ptr<trommel::Executor> executor = nullptr;  // also hashes what is not read in place
  bool limits_side_memory = false;
  bool can_hash = false;  // its digest policy
};

namespace trommel::c_abi {

template <class Filter>
inline constexpr bool kIsWindow = std::same_as<Filter, WindowFilter>;

// Adds what a batch of insertions did.
inline void AddInserted(const WindowInsertOutcome& of, trommel_outcome& total) {
  total.num_done += of.num_inserted;
  total.num_refused += of.num_refused;
  if (of.num_without_space != 0) total.refusal = TROMMEL_REFUSAL_SIDE_MEMORY_LIMIT;
}

// TROMMEL_TYPE_* of the filter.
int32_t TypeOf(const trommel_filter& filter) noexcept;
// "counting".
std::string_view TypeText(int32_t type) noexcept;

// "scalable filters cannot be subtracted".
[[noreturn]] void ThrowUnsupported(int32_t type, std::string_view what);

inline const DigestPolicy& PolicyOf(const trommel_filter& filter) {
  return std::visit([](const auto& typed) -> const DigestPolicy& { return typed.digest_policy(); },
                    filter.typed);
}

// Returns use(filter, key) for the calls of one key in which nothing can fail, which most are:
// integers and bytes that the filter hashes, in counting and concurrent filters. Else nothing.
template <class Handle, class Use>
std::optional<bool> AnswerAtOnce(Handle* handle, trommel_key key, const Use& use) noexcept {
  if (handle == nullptr || !handle->can_hash) return std::nullopt;
  const bool is_integer = key.size == -1;
  if (!is_integer && (key.size <= 0 || key.word == 0)) return std::nullopt;
  const auto* bytes = reinterpret_cast<const char*>(static_cast<uintptr_t>(key.word));
  const Key one =
      is_integer ? Key(key.word) : Key(std::string_view(bytes, static_cast<size_t>(key.size)));
  if (auto* counting = std::get_if<CountingFilter>(&handle->typed)) return use(*counting, one);
  if (auto* concurrent = std::get_if<ConcurrentFilter>(&handle->typed)) {
    return use(*concurrent, one);
  }
  return std::nullopt;
}

// Gives the caller a handle.
template <class Filter>
void Return(trommel_filter*& out, Result<Filter> made, std::shared_ptr<Executor> executor = nullptr,
            bool limits_side_memory = false) {
  auto handle = std::make_unique<trommel_filter>(
      trommel_filter{ValueOf(std::move(made)), std::move(executor), limits_side_memory});
  handle->can_hash = PolicyOf(*handle).can_hash();
  out = handle.release();
}

}  // namespace trommel::c_abi

#endif  // TROMMEL_ENGINE_C_SRC_FILTER_H_
