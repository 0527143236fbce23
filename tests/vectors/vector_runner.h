// Runs the calls of test vectors against the C++ library.
#ifndef TROMMEL_TESTS_VECTORS_VECTOR_RUNNER_H_
#define TROMMEL_TESTS_VECTORS_VECTOR_RUNNER_H_

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/layered_filter.h"
#include "trommel/scalable_filter.h"
#include "trommel/window_filter.h"
#include "vectors/vector_text.h"

namespace trommel::vectors {

class Runner {
 public:
  using Filter =
      std::variant<CountingFilter, ScalableFilter, WindowFilter, LayeredFilter, ConcurrentFilter>;

  // `samples` is the folder of "file" lines.
  explicit Runner(std::filesystem::path samples) : samples_(std::move(samples)) {}

  // Returns the call's result as the vectors spell it. Throws std::runtime_error for a call that is
  // none.
  std::string Run(const Line& line);

 private:
  std::string RunOnBytes(const Line& line);
  std::string RunOnFilter(const Line& line);
  std::string RunOnBatch(const Line& line);
  std::string RunOnEach(const Line& line);
  std::string Create(const Line& line);
  std::string Load(const Line& line);
  std::string Stats(const std::string& name);

  template <class T>
  std::string Keep(const std::string& name, Result<T> made);
  Filter& filter(const std::string& name) { return filters_.at(name); }
  std::vector<std::byte>& bytes(const std::string& name) { return bytes_.at(name); }

  std::filesystem::path samples_;
  std::map<std::string, VectorKeys> keys_;
  std::map<std::string, Filter> filters_;
  std::map<std::string, std::vector<std::byte>> bytes_;
};

}  // namespace trommel::vectors

#endif  // TROMMEL_TESTS_VECTORS_VECTOR_RUNNER_H_
