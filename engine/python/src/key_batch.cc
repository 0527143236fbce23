#include "engine/python/src/key_batch.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/python/src/answers.h"
#include "engine/python/src/arrow.h"
#include "engine/python/src/errors.h"
#include "engine/python/src/keys.h"
#include "engine/python/src/without_gil.h"
#include "trommel/keys.h"

namespace nb = nanobind;

namespace trommel::python {
namespace {

static_assert(std::endian::native == std::endian::little, "formats of buffers are read as native");

// The width and signedness of a buffer's integers: 'l' and the like, or 0 for anything else.
int SignedWidth(const Py_buffer& buffer) {
  const char* format = buffer.format != nullptr ? buffer.format : "B";
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  const int width = static_cast<int>(buffer.itemsize);
  if (format[0] == 0 || format[1] != 0) return 0;
  if (std::strchr("bhilqn", format[0]) != nullptr) return -width;
  return std::strchr("BHILQN", format[0]) != nullptr ? width : 0;
}

template <class T>
void CopyStrided(const Py_buffer& buffer, std::span<uint64_t> out) {
  const char* data = static_cast<const char*>(buffer.buf);
  const Py_ssize_t stride = buffer.strides != nullptr ? buffer.strides[0] : buffer.itemsize;
  // No address behind the last one: arrays of one element may have any stride.
  for (size_t i = 0; i < out.size(); ++i) {
    T value;
    std::memcpy(&value, data + stride * static_cast<Py_ssize_t>(i), sizeof(T));
    out[i] = static_cast<uint64_t>(static_cast<int64_t>(value));
  }
}

// Whether it is an array of NumPy itself, and not of a subclass.
bool IsPlainArray(nb::handle object) {
  static PyObject* type = nullptr;  // lives as long as the process
  if (type == nullptr)
    type = nb::object(nb::module_::import_("numpy").attr("ndarray")).release().ptr();
  return object.type().ptr() == type;
}

// Throws if it is a masked array of NumPy with masked elements, whose buffer has numbers for them.
void CheckMask(nb::handle array) {
  if (IsPlainArray(array)) return;
  const nb::object mask = nb::getattr(array, "mask", nb::none());
  if (mask.is_none() || !nb::hasattr(mask, "any") || !nb::cast<bool>(nb::bool_(mask.attr("any")())))
    return;
  ThrowValueError("keys must not be masked: pass array.compressed() or array.filled(key)");
}

}  // namespace

KeyBatch::KeyBatch(nb::handle object) {
  if (nb::isinstance<Digests>(object)) {
    Take(nb::cast<Digests&>(object).array, Meaning::kDigests);
  } else if (nb::isinstance<Int32>(object)) {
    Take(nb::cast<Int32&>(object).array, Meaning::kInt32);
  } else {
    Take(object, Meaning::kKeys);
  }
}

KeyBatch::~KeyBatch() {
  if (buffer_.obj != nullptr) PyBuffer_Release(&buffer_);
}

void KeyBatch::Take(nb::handle object, Meaning meaning) {
  if (PyList_CheckExact(object.ptr()) || PyTuple_CheckExact(object.ptr())) {
    return TakeSequence(object, meaning);
  }
  if (object.is_none() || OneKey(object).has_value()) {
    ThrowTypeError("keys must be an array or a list; got " + TypeName(object) +
                   (object.is_none() ? "" : ": pass [key] for a batch of one"));
  }
  if (const nb::object columns = ColumnsOfTable(object); !columns.is_none()) {
    return TakeColumns(columns, meaning);
  }
  if (const nb::object dtype = Dtype(object); !dtype.is_none()) {
    return TakeOfDtype(object, dtype, meaning);
  }
  if (ArrowColumn::IsArrow(object)) return TakeArrow(object, meaning);
  if (PyObject_CheckBuffer(object.ptr()) != 0) return TakeBuffer(object, meaning);
  if (nb::hasattr(object, "__array__")) {
    const nb::object array = nb::module_::import_("numpy").attr("asarray")(object);
    return Take(array, meaning);
  }
  const nb::object iterator = nb::steal(OrSleep([&] { return PyObject_GetIter(object.ptr()); }));
  if (!iterator.is_valid()) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw nb::python_error();
    PyErr_Clear();
    ThrowTypeError("keys must be an array or a list; got " + TypeName(object));
  }
  TakeSequence(iterator, meaning);
}

void KeyBatch::TakeOfDtype(nb::handle object, nb::handle dtype, Meaning meaning) {
  const nb::object name_of_kind = dtype.attr("kind");
  const std::string_view kind = nb::cast<std::string_view>(name_of_kind);
  const bool is_numpy = nb::hasattr(dtype, "isnative");  // else a dtype of pandas, with nulls
  const bool is_array = is_numpy && PyObject_CheckBuffer(object.ptr()) != 0;
  const bool has_integers = kind == "i" || kind == "u";
  if (has_integers && is_array) {
    CheckMask(object);
    return TakeBuffer(object, meaning);
  }
  if (has_integers && is_numpy) {
    const nb::object array = nb::module_::import_("numpy").attr("asarray")(object);
    return TakeBuffer(array, meaning);
  }
  const bool has_objects = kind == "O" || kind == "U" || kind == "S" || kind == "T";
  if (!has_integers && !has_objects) {
    ThrowTypeError("keys must be integers, str or bytes; got an array of " +
                   std::string(nb::str(dtype).c_str()) +
                   (kind == "M" || kind == "m" ? ": pass array.view('int64')" : ""));
  }
  if (nb::cast<int>(nb::getattr(object, "ndim", nb::int_(1))) != 1) {
    ThrowValueError("keys must have one dimension; got the shape " + Shown(object.attr("shape")));
  }
  if (!is_array && ArrowColumn::IsArrow(object)) {
    try {
      return TakeArrow(object, meaning);
    } catch (nb::python_error& error) {
      // pandas exports nothing without pyarrow.
      if (!error.matches(PyExc_ImportError)) throw;
    }
  }
  TakeSequence(object.attr("tolist")(), meaning);
}

void KeyBatch::TakeBuffer(nb::handle object, Meaning meaning) {
  if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
    throw nb::python_error();
  }
  const int width = SignedWidth(buffer_);
  if (width == 0) {
    ThrowTypeError(std::string("keys must be integers of native byte order, str or bytes; got the "
                               "buffer format '") +
                   (buffer_.format != nullptr ? buffer_.format : "") + "': pass astype('int64')");
  }
  if (buffer_.ndim != 1) {
    ThrowValueError("keys must have one dimension; got " + std::to_string(buffer_.ndim) +
                    ": pass array.ravel()");
  }
  has_signed_ = width < 0;
  const size_t size = static_cast<size_t>(buffer_.shape[0]);
  const bool is_whole =
      size < 2 || buffer_.strides == nullptr || buffer_.strides[0] == buffer_.itemsize;
  const bool is_aligned = reinterpret_cast<uintptr_t>(buffer_.buf) % sizeof(uint64_t) == 0;
  if (meaning == Meaning::kDigests && std::abs(width) != 8) {
    ThrowTypeError("digests have 64 bits; got integers of " + std::to_string(8 * std::abs(width)));
  }
  if (meaning == Meaning::kInt32 && std::abs(width) != 4) {
    ThrowTypeError("Int32 takes integers of 32 bits; got " + std::to_string(8 * std::abs(width)));
  }
  if (std::abs(width) == 8 && is_whole && is_aligned) {
    return View(static_cast<const uint64_t*>(buffer_.buf), size, meaning);
  }
  integers_ = UnwrittenArray<uint64_t>(size);
  switch (width) {
    case -1:
      CopyStrided<int8_t>(buffer_, integers_.span());
      break;
    case 1:
      CopyStrided<uint8_t>(buffer_, integers_.span());
      break;
    case -2:
      CopyStrided<int16_t>(buffer_, integers_.span());
      break;
    case 2:
      CopyStrided<uint16_t>(buffer_, integers_.span());
      break;
    case -4:
      CopyStrided<int32_t>(buffer_, integers_.span());
      break;
    case 4:
      CopyStrided<uint32_t>(buffer_, integers_.span());
      break;
    default:
      CopyStrided<uint64_t>(buffer_, integers_.span());
      break;
  }
  View(integers_.data(), size, meaning);
}

void KeyBatch::TakeArrow(nb::handle object, Meaning meaning) {
  arrow_.emplace(object);
  arrow_->CheckType();
  arrow_->CheckNulls();
  has_signed_ = arrow_->format() == "l" || arrow_->format() == "i" || arrow_->format() == "s" ||
                arrow_->format() == "c";
  const WithoutGil without_gil;
  if (!arrow_->has_integers()) {
    if (meaning != Meaning::kKeys) ThrowTypeError("digests must be integers; got strings");
    strings_ = UnwrittenArray<std::string_view>(static_cast<size_t>(arrow_->length()));
    arrow_->ViewStrings(strings_.data());
    view_ = Keys(strings_.span());
    return;
  }
  const bool has_64_bits = arrow_->format() == "l" || arrow_->format() == "L";
  const bool has_32_bits = arrow_->format() == "i" || arrow_->format() == "I";
  if (meaning == Meaning::kDigests && !has_64_bits) ThrowTypeError("digests have 64 bits");
  if (meaning == Meaning::kInt32 && !has_32_bits) ThrowTypeError("Int32 takes integers of 32 bits");
  if (const uint64_t* whole = arrow_->integers()) {
    return View(whole, static_cast<size_t>(arrow_->length()), meaning);
  }
  integers_ = UnwrittenArray<uint64_t>(static_cast<size_t>(arrow_->length()));
  arrow_->CopyIntegers(integers_.data());
  View(integers_.data(), integers_.size(), meaning);
}

void KeyBatch::TakeSequence(nb::handle object, Meaning meaning) {
  // A tuple of its own: the caller's list may change while the batch runs without the GIL.
  const nb::object tuple = nb::steal(OrSleep([&] { return PySequence_Tuple(object.ptr()); }));
  if (!tuple.is_valid()) throw nb::python_error();
  owner_ = tuple;
  if (PyTuple_Size(tuple.ptr()) == 0) return View(nullptr, 0, meaning);
  const nb::handle first = PyTuple_GetItem(tuple.ptr(), 0);
  if (PyUnicode_Check(first.ptr()) || PyBytes_Check(first.ptr())) {
    if (meaning != Meaning::kKeys) ThrowTypeError("digests must be integers; got strings");
    return TakeStrings(tuple);
  }
  if (IsColumn(first)) return TakeColumns(tuple, meaning);
  TakeIntegers(tuple);
  View(integers_.data(), integers_.size(), meaning);
}

void KeyBatch::TakeIntegers(nb::handle tuple) {
  const size_t size = static_cast<size_t>(PyTuple_Size(tuple.ptr()));
  integers_ = UnwrittenArray<uint64_t>(size);
  for (size_t i = 0; i < size; ++i) {
    const nb::handle item = PyTuple_GetItem(tuple.ptr(), static_cast<Py_ssize_t>(i));
    const std::string place = PyLong_CheckExact(item.ptr()) ? "" : " at index " + std::to_string(i);
    if (PyLong_CheckExact(item.ptr())) {
      integers_.data()[i] = IntegerOf(item);
      continue;
    }
    if (PyUnicode_Check(item.ptr()) || PyBytes_Check(item.ptr())) {
      ThrowTypeError("keys must be all integers or all str and bytes; got " + TypeName(item) +
                     place);
    }
    const std::optional<Key> key =
        IsIndexScalar(item) && !PyBool_Check(item.ptr()) ? OneKey(item) : std::nullopt;
    if (!key) ThrowNotAKey(item, place);
    integers_.data()[i] = key->integer();
  }
}

void KeyBatch::TakeStrings(nb::handle tuple) {
  const size_t size = static_cast<size_t>(PyTuple_Size(tuple.ptr()));
  strings_ = UnwrittenArray<std::string_view>(size);
  for (size_t i = 0; i < size; ++i) {
    const nb::handle item = PyTuple_GetItem(tuple.ptr(), static_cast<Py_ssize_t>(i));
    if (PyUnicode_Check(item.ptr())) {
      strings_.data()[i] = TextOf(item);
    } else if (PyBytes_Check(item.ptr())) {
      strings_.data()[i] = BytesOf(item);
    } else if (PyLong_Check(item.ptr())) {
      ThrowTypeError("keys must be all integers or all str and bytes; got " + TypeName(item) +
                     " at index " + std::to_string(i));
    } else {
      ThrowNotAKey(item, " at index " + std::to_string(i));
    }
  }
  view_ = Keys(strings_.span());
}

void KeyBatch::TakeColumns(nb::handle columns, Meaning meaning) {
  if (meaning != Meaning::kKeys) ThrowTypeError("digests and Int32 are of one array; got a table");
  std::deque<KeyBatch> batches;
  std::vector<TupleColumn> values;
  for (nb::handle column : nb::iter(columns)) {
    const std::string place = "column " + std::to_string(values.size());
    if (!IsColumn(column)) {
      ThrowTypeError("the columns of keys must be arrays; " + place + " is " + TypeName(column));
    }
    // pandas returns a frame for a name that several columns have: perhaps the table itself again.
    if (!ColumnsOfTable(column).is_none()) {
      ThrowTypeError("the columns of keys must have different names; " + place + " is several");
    }
    const KeyBatch& batch = batches.emplace_back(column);
    if (batch.size() != batches.front().size()) {
      ThrowValueError("the columns of keys must have one length; column 0 has " +
                      std::to_string(batches.front().size()) + ", " + place + " has " +
                      std::to_string(batch.size()));
    }
    // Objects may be integers of either sign and beyond int64, which have no one type.
    if (batch.size() > 0 && batch.owner_.is_valid() && batch.view_.kind() != KeyKind::kViews) {
      ThrowTypeError("integers in a column of keys must be an array of integers; " + place +
                     " is an array of objects");
    }
    values.emplace_back(batch.view_, batch.has_signed_);
  }
  if (values.empty()) ThrowValueError("a table of keys must have a column");
  const size_t num_rows = batches.front().size();
  strings_ = UnwrittenArray<std::string_view>(num_rows);
  const WithoutGil without_gil;
  size_t most_bytes = 0;
  for (const TupleColumn& column : values) {
    for (size_t row = 0; row < num_rows; ++row) most_bytes += column.MostBytes(row);
  }
  tuples_ = UnwrittenArray<char>(most_bytes);
  char* end = tuples_.data();
  for (size_t row = 0; row < num_rows; ++row) {
    char* const begin = end;
    for (size_t i = 0; i < values.size(); ++i) {
      end = values[i].Write(row, i + 1 == values.size(), end);
    }
    strings_.data()[row] = {begin, static_cast<size_t>(end - begin)};
  }
  view_ = Keys(strings_.span());
}

void KeyBatch::View(const uint64_t* data, size_t size, Meaning meaning) {
  const std::span<const uint64_t> integers(data, size);
  switch (meaning) {
    case Meaning::kKeys:
      view_ = Keys(integers);
      return;
    case Meaning::kDigests:
      view_ = Keys::Digests(integers);
      return;
    case Meaning::kInt32:
      break;
  }
  words_ = UnwrittenArray<uint32_t>(size);
  for (size_t i = 0; i < size; ++i) {
    const int64_t value = static_cast<int64_t>(integers[i]);
    if (value < std::numeric_limits<int32_t>::min() ||
        value > std::numeric_limits<uint32_t>::max()) {
      ThrowValueError("Int32 takes integers of 32 bits; got " + std::to_string(value));
    }
    words_.data()[i] = static_cast<uint32_t>(value);
  }
  view_ = Keys::Int32(std::span<const uint32_t>(words_.span()));
}

nb::object Dtype(nb::handle object) {
  const nb::object dtype = nb::getattr(object, "dtype", nb::none());
  return nb::hasattr(dtype, "kind") ? dtype : nb::none();
}

bool IsColumn(nb::handle object) {
  if (IsIndexScalar(object) || PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr())) {
    return false;
  }
  if (!nb::hasattr(object, "__len__")) return false;
  return !Dtype(object).is_none() || ArrowColumn::IsArrow(object);
}

nb::object ColumnsOfTable(nb::handle object) {
  for (const char* member : {"column_names", "columns"}) {
    // Of the type: pandas has the members of a series, and columns of a frame, as attributes, too.
    if (!nb::hasattr(object.type(), member) || !nb::hasattr(object, "__getitem__")) continue;
    nb::list columns;
    for (nb::handle name : nb::iter(nb::object(object.attr(member)))) columns.append(object[name]);
    return columns;
  }
  return nb::none();
}

}  // namespace trommel::python
