#include "engine/python/src/answers.h"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "trommel/outcomes.h"

namespace nb = nanobind;

namespace trommel::python {
namespace {

// A member of numpy, which is imported with the first answer. The references live as long as the
// process. Not a static object: its guard would be held while the import gives up the GIL.
nb::handle NumpyMember(PyObject*& cache, const char* name) {
  if (cache == nullptr)
    cache = nb::object(nb::module_::import_("numpy").attr(name)).release().ptr();
  return cache;
}
nb::handle Uint64() {
  static PyObject* cache = nullptr;
  return NumpyMember(cache, "uint64");
}
nb::handle Uint32() {
  static PyObject* cache = nullptr;
  return NumpyMember(cache, "uint32");
}
nb::handle Bool() { return reinterpret_cast<PyObject*>(&PyBool_Type); }

template <class T>
NewArray<T> Make(nb::handle shape, nb::handle dtype, size_t size) {
  NewArray<T> made;
  static PyObject* empty = nullptr;
  made.array = NumpyMember(empty, "empty")(shape, dtype);
  Py_buffer buffer;
  if (PyObject_GetBuffer(made.array.ptr(), &buffer, PyBUF_WRITABLE) != 0) throw nb::python_error();
  made.values = {static_cast<T*>(buffer.buf), size};
  PyBuffer_Release(&buffer);
  return made;
}

}  // namespace

NewArray<uint8_t> NewBools(size_t size) { return Make<uint8_t>(nb::int_(size), Bool(), size); }
NewArray<uint8_t> NewBools(size_t num_rows, size_t num_columns) {
  return Make<uint8_t>(nb::make_tuple(num_rows, num_columns), Bool(), num_rows * num_columns);
}
NewArray<uint32_t> NewUint32(size_t size) { return Make<uint32_t>(nb::int_(size), Uint32(), size); }
NewArray<uint64_t> NewUint64(size_t size) { return Make<uint64_t>(nb::int_(size), Uint64(), size); }
NewArray<uint64_t> NewUint64(size_t num_rows, size_t num_columns) {
  return Make<uint64_t>(nb::make_tuple(num_rows, num_columns), Uint64(), num_rows * num_columns);
}

nb::object FirstOf(const NewArray<uint32_t>& array, size_t size) {
  if (size == array.values.size()) return array.array;
  const nb::object first =
      nb::steal(PySequence_GetSlice(array.array.ptr(), 0, static_cast<Py_ssize_t>(size)));
  if (!first.is_valid()) throw nb::python_error();
  return first.attr("copy")();  // a view would keep the whole array
}

Bitmap::Bitmap(size_t size)
    : bools_(NewBools(size)),
      num_words_(BitmapWords(size)),
      words_(std::make_unique_for_overwrite<uint64_t[]>(num_words_)) {}

void Bitmap::Expand() { ExpandBits(words(), bools_.values); }

void ExpandBits(std::span<const uint64_t> words, std::span<uint8_t> bools) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  size_t done = 0;
  for (; done + 8 <= bools.size(); done += 8) {
    const uint64_t byte = words[done / 64] >> (done % 64) & 0xff;
    const uint64_t one_each = byte * kOnes & 0x8040201008040201;  // bit i alone in byte i
    // Adding 0x7f carries into a byte's top bit unless the byte is 0.
    const uint64_t bytes = (one_each + 0x7f * kOnes) >> 7 & kOnes;
    std::memcpy(bools.data() + done, &bytes, sizeof(bytes));
  }
  for (; done < bools.size(); ++done) {
    bools[done] = static_cast<uint8_t>(words[done / 64] >> (done % 64) & 1);
  }
}

}  // namespace trommel::python
