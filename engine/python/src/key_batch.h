// Batches of keys from Python, in any of the forms that the package takes.
#ifndef TROMMEL_ENGINE_PYTHON_SRC_KEY_BATCH_H_
#define TROMMEL_ENGINE_PYTHON_SRC_KEY_BATCH_H_

#include <nanobind/nanobind.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/python/src/answers.h"
#include "engine/python/src/arrow.h"
#include "trommel/keys.h"
#include "trommel/tuples.h"

namespace trommel::python {

// Keys of several columns: the columns of tables, and their values as parts of keys.

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

// What a caller says of the integers that it passes: trommel_filters.Digests and
// trommel_filters.Int32.
struct Digests {
  nanobind::object array;
};
struct Int32 {
  nanobind::object array;
};

// A batch of keys and whatever its view needs. Made and destroyed with the GIL, used without.
//
// Copied are: 32-bit and smaller integers (widened to 64 bits, signed ones by sign), arrays with
// strides, several chunks of integers, lists of ints, and the values of tuples. The bytes of other
// strings are never copied.
class KeyBatch {
 public:
  // Throws a Failure of a type or value, naming what is wrong, or what the object's own methods
  // throw.
  explicit KeyBatch(nanobind::handle object);
  KeyBatch(const KeyBatch&) = delete;
  KeyBatch& operator=(const KeyBatch&) = delete;
  ~KeyBatch();

  const Keys& view() const { return view_; }
  size_t size() const { return view_.size(); }

 private:
  enum class Meaning { kKeys, kDigests, kInt32 };  // of integers

  void Take(nanobind::handle object, Meaning meaning);
  void TakeOfDtype(nanobind::handle object, nanobind::handle dtype, Meaning meaning);
  void TakeBuffer(nanobind::handle object, Meaning meaning);
  void TakeArrow(nanobind::handle object, Meaning meaning);
  void TakeSequence(nanobind::handle object, Meaning meaning);
  void TakeIntegers(nanobind::handle tuple);
  void TakeStrings(nanobind::handle tuple);
  // Takes a key per row of the columns: its tuple (trommel/tuples.h). Integers are decimal digits.
  void TakeColumns(nanobind::handle columns, Meaning meaning);
  // Views integers_, or `data`, as the meaning says.
  void View(const uint64_t* data, size_t size, Meaning meaning);

  Keys view_ = Keys::Digests({});
  UnwrittenArray<uint64_t> integers_;
  UnwrittenArray<uint32_t> words_;  // Meaning::kInt32
  UnwrittenArray<std::string_view> strings_;
  UnwrittenArray<char> tuples_;  // what strings_ view where keys are tuples
  bool has_signed_ = false;      // the integers of view_ are signed
  nanobind::object owner_;       // of the objects that strings_ view
  std::optional<ArrowColumn> arrow_;
  Py_buffer buffer_{};  // buffer_.obj is null if there is none
};

}  // namespace trommel::python

#endif  // TROMMEL_ENGINE_PYTHON_SRC_KEY_BATCH_H_
