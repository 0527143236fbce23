// One input of the tool: a file, a pipe or standard input, read in large pieces.
#ifndef TROMMEL_TOOLS_INPUT_FILE_H_
#define TROMMEL_TOOLS_INPUT_FILE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trommel/result.h"

namespace trommel::tool {

class InputFile {
 public:
  // Opens a path for reading; "-" is standard input. Fails with kIo, naming the path.
  static Result<InputFile> Open(const std::string& path);

  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  ~InputFile();

  // The path, or "(stdin)": what error messages call it.
  const std::string& name() const noexcept { return name_; }

  // Reads at least one byte and as many more as are there without waiting; 0 at the end. Fails with
  // kIo, naming the path, and when interrupted (interrupt.h).
  Result<size_t> Read(std::span<char> buffer);

  // Returns false if the next Read would have to wait.
  bool HasMoreNow() const noexcept;

 private:
  InputFile(int fd, std::string name, bool is_regular) noexcept;
  Result<size_t> ReadOnce(std::span<char> buffer);

  int fd_;
  std::string name_;
  bool is_regular_;
};

// The bytes of all paths together, or nothing if one is not a regular file (a pipe, standard input)
// or cannot be looked at.
std::optional<uint64_t> TotalBytes(const std::vector<std::string>& paths);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INPUT_FILE_H_
