// trommel_filter: a filter of one of the types that hold keys, with what the library does not keep.
#ifndef TROMMEL_ENGINE_C_SRC_FILTER_H_
#define TROMMEL_ENGINE_C_SRC_FILTER_H_

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/c/src/failures.h"
#include "trommel/any_filter.h"
#include "trommel/c.h"
#include "trommel/digest.h"
#include "trommel/executor.h"

struct trommel_filter {
  trommel::AnyFilterPtr any;
  std::shared_ptr<trommel::Executor> executor = nullptr;  // also hashes what is not read in place
  bool can_hash = false;                                  // its digest policy
  bool expires = false;                                   // its keys
};

namespace trommel::c_abi {

// TROMMEL_TYPE_* of the filter, which are numbered as FilterType.
inline int32_t TypeOf(const trommel_filter& filter) noexcept {
  return static_cast<int32_t>(filter.any->type());
}
// "counting".
inline std::string_view TypeText(int32_t type) noexcept {
  return FilterTypeName(static_cast<FilterType>(type >= 0 && type <= UINT8_MAX ? type : 0));
}

// "window filters are not for keys that a table has once".
[[noreturn]] void ThrowUnsupported(const trommel_filter& filter, std::string_view what);

// A counting filter as one for threads, or one for threads as a counting filter.
Result<AnyFilterPtr> Converted(AnyFilter& filter);

inline const DigestPolicy& PolicyOf(const trommel_filter& filter) {
  return filter.any->digest_policy();
}

// Returns use(filter, key) for the calls of one key in which nothing can fail, which most are:
// integers and bytes that the filter hashes. Else nothing.
template <class Handle, class Use>
std::optional<bool> AnswerAtOnce(Handle* handle, trommel_key key, const Use& use) noexcept {
  if (handle == nullptr || !handle->can_hash) return std::nullopt;
  const bool is_integer = key.size == -1;
  if (!is_integer && (key.size <= 0 || key.word == 0)) return std::nullopt;
  const auto* bytes = reinterpret_cast<const char*>(static_cast<uintptr_t>(key.word));
  const Key one =
      is_integer ? Key(key.word) : Key(std::string_view(bytes, static_cast<size_t>(key.size)));
  return use(*handle->any, one);
}

// Gives the caller a handle.
inline void Return(trommel_filter*& out, Result<AnyFilterPtr> made,
                   std::shared_ptr<Executor> executor = nullptr) {
  auto handle = std::make_unique<trommel_filter>(
      trommel_filter{ValueOf(std::move(made)), std::move(executor)});
  handle->can_hash = PolicyOf(*handle).can_hash();
  handle->expires = handle->any->expires();
  out = handle.release();
}

}  // namespace trommel::c_abi

#endif  // TROMMEL_ENGINE_C_SRC_FILTER_H_
