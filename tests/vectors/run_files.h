// A main that compares the results of test vectors with those of a runner, or writes them:
// [--write] FILE...
#ifndef TROMMEL_TESTS_VECTORS_RUN_FILES_H_
#define TROMMEL_TESTS_VECTORS_RUN_FILES_H_

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "vectors/vector_text.h"

namespace trommel::vectors {

// Digests come from elsewhere and are never written.
inline bool IsWritten(const Line& line) { return line.has_result && line.words[0] != "digests"; }

// Returns how many results differ, or could not be made. A Runner is made of the folder of samples,
// and Run returns what a line's call returns, or throws.
template <class Runner>
int RunFile(const std::filesystem::path& path, bool write) {
  Runner runner(path.parent_path() / "../../engine/docs/samples");
  std::ifstream stream(path);
  std::vector<std::string> lines;
  for (std::string text; std::getline(stream, text);) lines.push_back(text);
  int num_wrong = lines.empty() ? 1 : 0;
  int line_idx = 0;
  for (std::string& text : lines) {
    ++line_idx;
    const Line line = ParseLine(text);
    if (line.words.empty()) continue;
    std::string result;
    try {
      result = runner.Run(line);
    } catch (const std::exception& error) {
      result = std::string("no result: ") + error.what();
    }
    if (write && IsWritten(line)) {
      text = line.call + " ->" + (result.empty() ? "" : " " + result);
    } else if (result != (line.has_result ? line.expected : "ok")) {
      std::fprintf(stderr, "%s:%d: %s\n", path.c_str(), line_idx, result.c_str());
      ++num_wrong;
    }
  }
  if (write && num_wrong == 0) {
    std::ofstream out(path);
    for (const std::string& text : lines) out << text << '\n';
  }
  return num_wrong;
}

template <class Runner>
int RunFiles(int argc, char** argv) {
  bool write = false;
  int num_wrong = 0;
  int num_files = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--write") {
      write = true;
      continue;
    }
    num_wrong += RunFile<Runner>(argv[i], write);
    ++num_files;
  }
  if (num_files == 0) {
    std::fprintf(stderr, "usage: %s [--write] FILE...\n", argv[0]);
    return 2;
  }
  return num_wrong == 0 ? 0 : 1;
}

}  // namespace trommel::vectors

#endif  // TROMMEL_TESTS_VECTORS_RUN_FILES_H_
