// Runs the calls of test vectors against the C++ library.
#ifndef TROMMEL_TESTS_VECTORS_VECTOR_RUNNER_H_
#define TROMMEL_TESTS_VECTORS_VECTOR_RUNNER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trommel/any_filter.h"
#include "trommel/attribute_filter.h"
#include "trommel/column_map.h"
#include "trommel/result.h"
#include "trommel/sizing.h"
#include "trommel/tuples.h"
#include "vectors/vector_text.h"

namespace trommel::vectors {

class Runner {
 public:
  // `samples` is the folder of "file" lines.
  explicit Runner(std::filesystem::path samples) : bytes_(std::move(samples)) {}

  // Returns the call's result as the vectors spell it. Throws std::runtime_error for a call that is
  // none.
  std::string Run(const Line& line);

 private:
  // Each runs the calls of one kind, and returns nothing for others.
  std::optional<std::string> RunOnBytes(const Line& line);
  std::optional<std::string> RunOnFilter(const Line& line);
  std::optional<std::string> RunOnBatch(const Line& line);
  std::optional<std::string> RunOnEach(const Line& line);
  std::optional<std::string> RunOnWindow(const Line& line);
  // In vector_sets.cc.
  std::optional<std::string> RunOnColumns(const Line& line);
  std::optional<std::string> RunOnTuples(const Line& line);
  std::string CreateColumnMap(const Line& line);
  std::string CreateAttributes(const Line& line);
  TupleDigests ColumnsOf(const AttributeFilter& filter, const std::string& names);
  std::string Create(const Line& line);
  std::string Load(const Line& line);
  std::string Stats(const std::string& name);

  std::string Keep(const std::string& name, Result<AnyFilterPtr> made);
  AnyFilter& filter(const std::string& name) { return *filters_.at(name); }
  Bytes& bytes(const std::string& name) { return bytes_.named[name]; }

  std::map<std::string, VectorKeys> keys_;
  std::map<std::string, AnyFilterPtr> filters_;
  std::map<std::string, ColumnMap> column_maps_;
  std::map<std::string, AttributeFilter> attributes_;
  NamedBytes bytes_;
};

// "ok", or "error CODE".
template <class T>
std::string StatusText(const Result<T>& result) {
  return result.ok() ? "ok" : ErrorText(result.error());
}
Encoding EncodingOption(const Line& line);

}  // namespace trommel::vectors

#endif  // TROMMEL_TESTS_VECTORS_VECTOR_RUNNER_H_
