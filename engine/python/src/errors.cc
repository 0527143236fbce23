#include "engine/python/src/errors.h"

#include <nanobind/nanobind.h>

#include <exception>

#include "engine/python/src/without_gil.h"
#include "trommel/result.h"

namespace nb = nanobind;

namespace trommel::python {
namespace {

const char* ClassOf(const Failure& failure) {
  if (failure.kind() == FailureKind::kType) return "KeyTypeError";
  if (failure.kind() == FailureKind::kClosed) return "ClosedError";
  switch (failure.error().code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kUnsupported:
      return "InvalidArgumentError";
    case ErrorCode::kOutOfMemory:
      return "OutOfMemoryError";
    case ErrorCode::kMismatch:
      return "MismatchError";
    case ErrorCode::kCorrupt:
      return "CorruptError";
    case ErrorCode::kVersion:
      return "VersionError";
    case ErrorCode::kIo:
      return "FileError";
    case ErrorCode::kExists:
      return "ExistsError";
    case ErrorCode::kNotFlushed:
      return "NotFlushedError";
    case ErrorCode::kBusy:
      return "BusyError";
  }
  return "Error";
}

}  // namespace

void SetPythonError(const Failure& failure) {
  // Imported when needed: the module of the classes is plain Python, and errors are rare.
  PyObject* module = PyImport_ImportModule("trommel_filters.errors");
  if (module == nullptr) return;
  PyObject* type = PyObject_GetAttrString(module, ClassOf(failure));
  Py_DECREF(module);
  if (type == nullptr) return;
  PyErr_SetString(type, failure.what());
  Py_DECREF(type);
}

void RegisterErrors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    // nanobind has caught what is no exception: the unwinding of a thread that Python ends.
    if (!thrown) SleepUntilProcessEnds();
    try {
      std::rethrow_exception(thrown);
    } catch (const Failure& failure) {
      SetPythonError(failure);
    }
  });
}

}  // namespace trommel::python
