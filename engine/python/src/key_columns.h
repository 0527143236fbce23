// Keys of several columns: the columns of tables, and their values as parts of keys.
#ifndef TROMMEL_ENGINE_PYTHON_SRC_KEY_COLUMNS_H_
#define TROMMEL_ENGINE_PYTHON_SRC_KEY_COLUMNS_H_

#include <nanobind/nanobind.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "trommel/keys.h"
#include "trommel/tuples.h"

namespace trommel::python {

// Returns the dtype of NumPy or pandas that the object has; None for anything else.
nanobind::object Dtype(nanobind::handle object);

// Returns whether it can be a column of a table: an array of NumPy, pandas or Arrow.
bool IsColumn(nanobind::handle object);

// Returns the columns of a table of pyarrow, or of a frame of pandas, polars and the like, as a
// list; None for anything else.
nanobind::object ColumnsOfTable(nanobind::handle object);

// A column of a table, whose rows are tuples: strings as they are, integers as their decimal
// digits. A view.
class TupleColumn {
 public:
  static constexpr size_t kMostDigits = 20;

  TupleColumn(const Keys& keys, bool is_signed)
      : strings_(keys.kind() == KeyKind::kViews ? static_cast<const std::string_view*>(keys.data())
                                                : nullptr),
        integers_(strings_ == nullptr ? static_cast<const uint64_t*>(keys.data()) : nullptr),
        is_signed_(is_signed) {}

  size_t MostBytes(size_t row) const {
    return strings_ != nullptr ? 2 * strings_[row].size() + 2 : kMostDigits + 2;
  }

  char* Write(size_t row, bool is_last, char* out) const {
    if (strings_ != nullptr) return WriteTupleValue(strings_[row], is_last, out);
    char digits[kMostDigits];
    const uint64_t value = integers_[row];
    const char* const end =
        is_signed_ ? std::to_chars(digits, digits + kMostDigits, static_cast<int64_t>(value)).ptr
                   : std::to_chars(digits, digits + kMostDigits, value).ptr;
    return WriteTupleValue({digits, static_cast<size_t>(end - digits)}, is_last, out);
  }

 private:
  const std::string_view* strings_;
  const uint64_t* integers_;
  bool is_signed_;
};

}  // namespace trommel::python

#endif  // TROMMEL_ENGINE_PYTHON_SRC_KEY_COLUMNS_H_
