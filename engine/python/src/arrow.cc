#include "engine/python/src/arrow.h"

#include <nanobind/nanobind.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/python/src/errors.h"

namespace nb = nanobind;

namespace trommel::python {
namespace {

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

template <class T>
T* FromCapsule(nb::handle capsule, const char* name) {
  void* pointer = PyCapsule_GetPointer(capsule.ptr(), name);
  if (pointer == nullptr) throw nb::python_error();
  return static_cast<T*>(pointer);
}

bool IsIntegerFormat(std::string_view format) {
  return format.size() == 1 &&
         std::string_view("cCsSiIlL").find(format[0]) != std::string_view::npos;
}

// The bytes of each value of format "w:N", or -1 for any other format.
int64_t FixedWidth(std::string_view format) {
  if (!format.starts_with("w:")) return -1;
  int64_t width = -1;
  std::from_chars(format.data() + 2, format.data() + format.size(), width);
  return width;
}

bool IsBytesFormat(std::string_view format) {
  return format == "u" || format == "z" || format == "U" || format == "Z" || format == "vu" ||
         format == "vz" || FixedWidth(format) >= 0;
}

// Value i of a buffer, which need not be aligned.
template <class T>
T ValueAt(const void* buffer, int64_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(buffer) + i * int64_t{sizeof(T)}, sizeof(T));
  return value;
}

// Calls take(i, value) for each integer of the array, widened to 64 bits (signed ones by sign).
template <class T, class Take>
void EachOf(const ArrowArray& array, Take&& take) {
  for (int64_t i = 0; i < array.length; ++i) {
    const T value = ValueAt<T>(array.buffers[1], array.offset + i);
    take(i, static_cast<uint64_t>(static_cast<int64_t>(value)));
  }
}
template <class Take>
void EachInteger(const ArrowArray& array, char format, Take&& take) {
  switch (format) {
    case 'c':
      return EachOf<int8_t>(array, take);
    case 'C':
      return EachOf<uint8_t>(array, take);
    case 's':
      return EachOf<int16_t>(array, take);
    case 'S':
      return EachOf<uint16_t>(array, take);
    case 'i':
      return EachOf<int32_t>(array, take);
    case 'I':
      return EachOf<uint32_t>(array, take);
    default:
      return EachOf<uint64_t>(array, take);
  }
}

[[noreturn]] void ThrowDamaged(const char* what) {
  ThrowValueError(std::string("the Arrow array is damaged: ") + what);
}

template <class Offset>
void ViewOffsets(const ArrowArray& array, std::string_view* views) {
  const char* bytes = static_cast<const char*>(array.buffers[2]);
  // Each is read once, the last one first: another thread may write to the others.
  const Offset last = ValueAt<Offset>(array.buffers[1], array.offset + array.length);
  Offset begin = ValueAt<Offset>(array.buffers[1], array.offset);
  if (begin < 0) ThrowDamaged("its first offset is negative");
  for (int64_t i = 0; i < array.length; ++i) {
    const Offset end = ValueAt<Offset>(array.buffers[1], array.offset + i + 1);
    if (end < begin || end > last) ThrowDamaged("its offsets are not ascending");
    // Where all are empty there may be no bytes.
    views[i] = begin == end ? std::string_view()
                            : std::string_view(bytes + begin, static_cast<size_t>(end - begin));
    begin = end;
  }
}

// String views: 16 bytes each, a length of 32 bits and then either up to 12 bytes in place, or
// 4 bytes of prefix, the number of a buffer and the offset in it. The sizes of these buffers, of
// 64 bits, are the array's last buffer.
void ViewInlined(const ArrowArray& array, std::string_view* views) {
  constexpr int32_t kMostInPlace = 12;
  const int64_t num_behind = array.n_buffers - 3;
  const char* entries = static_cast<const char*>(array.buffers[1]) + array.offset * 16;
  for (int64_t i = 0; i < array.length; ++i, entries += 16) {
    int32_t fields[4];
    std::memcpy(fields, entries, sizeof(fields));
    const auto [size, prefix, buffer_idx, offset] = fields;
    if (size >= 0 && size <= kMostInPlace) {
      views[i] = {entries + 4, static_cast<size_t>(size)};
      continue;
    }
    if (size < 0 || buffer_idx < 0 || buffer_idx >= num_behind || offset < 0 ||
        int64_t{offset} + size > ValueAt<int64_t>(array.buffers[array.n_buffers - 1], buffer_idx)) {
      ThrowDamaged("a view lies outside of its buffer");
    }
    views[i] = {static_cast<const char*>(array.buffers[2 + buffer_idx]) + offset,
                static_cast<size_t>(size)};
  }
}

void ViewArray(const ArrowArray& array, std::string_view format, std::string_view* views) {
  if (array.length == 0) return;
  if (format == "u" || format == "z") return ViewOffsets<int32_t>(array, views);
  if (format == "U" || format == "Z") return ViewOffsets<int64_t>(array, views);
  if (format == "vu" || format == "vz") return ViewInlined(array, views);
  const int64_t width = FixedWidth(format);
  const char* bytes = static_cast<const char*>(array.buffers[1]) + array.offset * width;
  for (int64_t i = 0; i < array.length; ++i) {
    views[i] = {bytes + i * width, static_cast<size_t>(width)};
  }
}

int64_t NumNulls(const ArrowArray& array) {
  if (array.null_count >= 0) return array.null_count;
  if (array.n_buffers == 0 || array.buffers[0] == nullptr) return 0;
  const uint8_t* valid = static_cast<const uint8_t*>(array.buffers[0]);
  int64_t num_nulls = 0;
  for (int64_t i = array.offset; i < array.offset + array.length; ++i) {
    num_nulls += (valid[i / 8] >> (i % 8) & 1) == 0 ? 1 : 0;
  }
  return num_nulls;
}

// The index of the first null, or -1.
int64_t FirstNull(const ArrowArray& array) {
  if (array.null_count == 0 || array.n_buffers == 0 || array.buffers[0] == nullptr) return -1;
  const uint8_t* valid = static_cast<const uint8_t*>(array.buffers[0]);
  for (int64_t i = 0; i < array.length; ++i) {
    const int64_t bit = array.offset + i;
    if ((valid[bit / 8] >> (bit % 8) & 1) == 0) return i;
  }
  return -1;
}

}  // namespace

void ArrowColumn::Released::operator()(ArrowArray* array) const {
  if (array->release != nullptr) array->release(array);
  delete array;
}

ArrowColumn::~ArrowColumn() = default;

bool ArrowColumn::IsArrow(nb::handle object) {
  return nb::hasattr(object, "__arrow_c_array__") || nb::hasattr(object, "__arrow_c_stream__");
}

ArrowColumn::ArrowColumn(nb::handle object) {
  if (nb::hasattr(object, "__arrow_c_array__")) {
    const nb::object pair = object.attr("__arrow_c_array__")();
    const nb::object schema = pair[0];
    const nb::object array = pair[1];
    TakeSchema(*FromCapsule<ArrowSchema>(schema, "arrow_schema"));
    TakeArray(array);
  } else {
    TakeStream(object.attr("__arrow_c_stream__")());
  }
}

void ArrowColumn::TakeSchema(const ArrowSchema& schema) {
  format_ = schema.format;
  bool is_taken = IsIntegerFormat(format_);
  if (schema.dictionary != nullptr) {
    index_format_ = format_;
    format_ = schema.dictionary->format;
    is_taken = is_taken && IsBytesFormat(format_);
  } else {
    is_taken = is_taken || IsBytesFormat(format_);
  }
  if (!is_taken) refused_type_ = ArrowTypeName(schema);
}

void ArrowColumn::TakeArray(nb::handle capsule) {
  ArrowArray* source = FromCapsule<ArrowArray>(capsule, "arrow_array");
  // Moved, as the specification has it: the capsule then has nothing to release.
  arrays_.emplace_back(new ArrowArray(*source));
  source->release = nullptr;
  length_ += arrays_.back()->length;
}

void ArrowColumn::TakeStream(nb::handle capsule) {
  ArrowArrayStream* stream = FromCapsule<ArrowArrayStream>(capsule, "arrow_array_stream");
  const auto check = [stream](int status) {
    if (status == 0) return;
    const char* message = stream->get_last_error(stream);
    ThrowValueError(std::string("the Arrow stream failed: ") +
                    (message != nullptr ? message : std::strerror(status)));
  };
  ArrowSchema schema{};
  check(stream->get_schema(stream, &schema));
  TakeSchema(schema);
  if (schema.release != nullptr) schema.release(&schema);
  for (;;) {
    std::unique_ptr<ArrowArray, Released> array(new ArrowArray{});
    check(stream->get_next(stream, array.get()));
    if (array->release == nullptr) break;  // the end
    length_ += array->length;
    arrays_.push_back(std::move(array));
  }
}

bool ArrowColumn::has_integers() const { return IsIntegerFormat(format_); }

void ArrowColumn::CheckType() const {
  if (refused_type_.empty()) return;
  ThrowTypeError("keys must be integers, strings or bytes; got an Arrow array of " + refused_type_ +
                 (format_.starts_with("t") ? ": cast it to int64" : ""));
}

void ArrowColumn::CheckNulls() const {
  int64_t num_nulls = 0;
  int64_t num_before = 0;
  std::string place = " in its dictionary";
  for (const auto& array : arrays_) {
    const int64_t first = FirstNull(*array);
    if (num_nulls == 0 && first >= 0) {
      place = ", the first at index " + std::to_string(num_before + first);
    }
    num_nulls += NumNulls(*array);
    num_before += array->length;
    if (array->dictionary != nullptr) num_nulls += NumNulls(*array->dictionary);
  }
  if (num_nulls == 0) return;
  ThrowValueError("keys must not be null; the Arrow array of " + std::to_string(length_) +
                  " has nulls (" + std::to_string(num_nulls) + ")" + place +
                  ": drop them, or fill them with a key");
}

const uint64_t* ArrowColumn::integers() const {
  if (arrays_.size() != 1 || (format_ != "l" && format_ != "L")) return nullptr;
  const void* values = arrays_[0]->buffers[1];
  const bool is_aligned = reinterpret_cast<uintptr_t>(values) % alignof(uint64_t) == 0;
  if (values == nullptr || !is_aligned) return nullptr;
  return static_cast<const uint64_t*>(values) + arrays_[0]->offset;
}

void ArrowColumn::CopyIntegers(uint64_t* next) const {
  for (const auto& array : arrays_) {
    EachInteger(*array, format_[0], [next](int64_t i, uint64_t value) { next[i] = value; });
    next += array->length;
  }
}

void ArrowColumn::ViewStrings(std::string_view* next) const {
  std::vector<std::string_view> values;
  for (const auto& array : arrays_) {
    if (index_format_.empty()) {
      ViewArray(*array, format_, next);
    } else if (array->length > 0) {
      const uint64_t num_values = static_cast<uint64_t>(array->dictionary->length);
      values.resize(static_cast<size_t>(num_values));
      ViewArray(*array->dictionary, format_, values.data());
      EachInteger(*array, index_format_[0], [&](int64_t i, uint64_t index) {
        if (index >= num_values) ThrowDamaged("an index is too large");
        next[i] = values[static_cast<size_t>(index)];
      });
    }
    next += array->length;
  }
}

namespace {

// Format strings (the Arrow C data interface, "Data type description") and names.
constexpr std::array<std::pair<std::string_view, std::string_view>, 42> kNames = {{
    {"n", "null"},
    {"b", "bool"},
    {"c", "int8"},
    {"C", "uint8"},
    {"s", "int16"},
    {"S", "uint16"},
    {"i", "int32"},
    {"I", "uint32"},
    {"l", "int64"},
    {"L", "uint64"},
    {"e", "halffloat"},
    {"f", "float"},
    {"g", "double"},
    {"z", "binary"},
    {"Z", "large_binary"},
    {"vz", "binary_view"},
    {"u", "string"},
    {"U", "large_string"},
    {"vu", "string_view"},
    {"tdD", "date32"},
    {"tdm", "date64"},
    {"tts", "time32[s]"},
    {"ttm", "time32[ms]"},
    {"ttu", "time64[us]"},
    {"ttn", "time64[ns]"},
    {"tss:", "timestamp[s]"},
    {"tsm:", "timestamp[ms]"},
    {"tsu:", "timestamp[us]"},
    {"tsn:", "timestamp[ns]"},
    {"tDs", "duration[s]"},
    {"tDm", "duration[ms]"},
    {"tDu", "duration[us]"},
    {"tDn", "duration[ns]"},
    {"tiM", "month_interval"},
    {"tiD", "day_time_interval"},
    {"tin", "month_day_nano_interval"},
    {"+s", "struct"},
    {"+l", "list"},
    {"+L", "large_list"},
    {"+vl", "list_view"},
    {"+vL", "large_list_view"},
    {"+m", "map"},
}};

// Formats with parameters behind a colon, which the name leaves out.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kPrefixes = {{
    {"d:", "decimal"},
    {"w:", "fixed_size_binary"},
    {"tss:", "timestamp[s, tz]"},
    {"tsm:", "timestamp[ms, tz]"},
    {"tsu:", "timestamp[us, tz]"},
    {"tsn:", "timestamp[ns, tz]"},
    {"+w:", "fixed_size_list"},
    {"+ud:", "dense_union"},
    {"+us:", "sparse_union"},
}};

std::string NameWithoutChildren(std::string_view format) {
  for (const auto& [known, name] : kNames) {
    if (format == known) return std::string(name);
  }
  for (const auto& [prefix, name] : kPrefixes) {
    if (format.starts_with(prefix)) return std::string(name);
  }
  return "format \"" + std::string(format) + "\"";
}

}  // namespace

std::string ArrowTypeName(const ArrowSchema& schema) {
  if (schema.dictionary != nullptr) return "dictionary<" + ArrowTypeName(*schema.dictionary) + ">";
  const std::string_view format = schema.format;
  if (format == "+r" && schema.n_children == 2) {
    return "run_end_encoded<" + ArrowTypeName(*schema.children[1]) + ">";
  }
  const std::string name = NameWithoutChildren(format);
  const bool is_list = name.find("list") != std::string::npos && schema.n_children == 1;
  return is_list ? name + "<" + ArrowTypeName(*schema.children[0]) + ">" : name;
}

}  // namespace trommel::python
