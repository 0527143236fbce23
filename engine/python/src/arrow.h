// Arrow arrays through the C data interface: any library's, and none is needed to build or to run
// this. The structures are those of the specification (arrow.apache.org, "The Arrow C data
// interface" and "The Arrow C stream interface").
#ifndef TROMMEL_ENGINE_PYTHON_SRC_ARROW_H_
#define TROMMEL_ENGINE_PYTHON_SRC_ARROW_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trommel::python {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

// A column: one array or the chunks of a stream, of one type. Owns the arrays.
class ArrowColumn {
 public:
  // Whether the object has one of the interface's methods.
  static bool IsArrow(nanobind::handle object);
  // Takes over what the object exports. Throws nanobind::python_error if the object's method does.
  explicit ArrowColumn(nanobind::handle object);
  ArrowColumn(ArrowColumn&&) noexcept = default;
  ArrowColumn& operator=(ArrowColumn&&) noexcept = default;
  ~ArrowColumn();

  // The type, as the specification's format string; of a dictionary's values, if it is one.
  const std::string& format() const { return format_; }
  int64_t length() const { return length_; }
  // Whether the type is one of integers of 8 to 64 bits; all other types that are taken are of
  // strings or bytes.
  bool has_integers() const;
  // Throws, naming the type, unless integers or bytes can be read from it.
  void CheckType() const;
  // Throws if there are nulls, with their number and the first one's index.
  void CheckNulls() const;

  // The integers' array where it is one aligned array of 64-bit integers, else null.
  const uint64_t* integers() const;
  // Writes length() integers, widened to 64 bits. Requires has_integers(). Needs no GIL.
  void CopyIntegers(uint64_t* next) const;
  // Writes length() views of the strings. Requires that CheckType passed and not has_integers().
  // Throws ValueError for offsets, views and indices that cannot be. Needs no GIL.
  void ViewStrings(std::string_view* next) const;

 private:
  struct Released {
    void operator()(ArrowArray* array) const;
  };
  void TakeArray(nanobind::handle capsule);
  void TakeSchema(const ArrowSchema& schema);
  void TakeStream(nanobind::handle capsule);

  std::string format_;
  std::string index_format_;  // of a dictionary's indices; empty: not a dictionary
  std::string refused_type_;  // the type's name; empty: keys can be read from it
  int64_t length_ = 0;
  std::vector<std::unique_ptr<ArrowArray, Released>> arrays_;
};

// Names of Arrow's types, for messages about those that are no keys.

// Returns the type's name as Arrow's libraries print it, without the names of fields:
// "list<int64>", "timestamp[us]", "struct". A format that the specification does not have names
// itself.
std::string ArrowTypeName(const ArrowSchema& schema);

}  // namespace trommel::python

#endif  // TROMMEL_ENGINE_PYTHON_SRC_ARROW_H_
