// One input of the tool: a file, a pipe or standard input, read in large pieces, and decompressed
// if its reader finds that it must be; and which files there are in folders.
#ifndef TROMMEL_TOOLS_INPUT_FILE_H_
#define TROMMEL_TOOLS_INPUT_FILE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/trommel/input/decompressor.h"
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
  // kIo, naming the path, and when interrupted (interrupt.h); with kCorrupt at the end of what
  // cannot be decompressed.
  Result<size_t> Read(std::span<char> buffer);

  // Makes the bytes that follow those of the file decompressed, from its beginning on. Requires a
  // compressed kind, and that `start` is all that was read, kStartBytes at most. Fails as
  // Decompressor::Start does.
  Status Decompress(InputKind kind, std::string_view start);
  bool is_decompressed() const noexcept { return decompressor_.has_value(); }

  // Returns false if the next Read would have to wait for its writer.
  bool HasMoreNow() const noexcept;

 private:
  InputFile(int fd, std::string name, bool is_regular) noexcept;
  Result<size_t> ReadOnce(std::span<char> buffer);

  int fd_;
  std::string name_;
  bool is_regular_;
  std::optional<Decompressor> decompressor_;  // of which fd_ is the output
};

// Returns `paths` with each folder replaced by the regular files below it in the order of their
// names. Links below a folder are not followed. What the user may not read stays in the list: it
// fails, by its name, when it is opened. Fails with kIo for a folder that cannot be listed.
Result<std::vector<std::string>> FilesBelow(const std::vector<std::string>& paths);

// The bytes of all paths together, or nothing if one is not a regular file (a pipe, standard input)
// or cannot be looked at.
std::optional<uint64_t> TotalBytes(const std::vector<std::string>& paths);

// The same of the lines in them: nothing, too, if one of the files is compressed.
std::optional<uint64_t> TotalTextBytes(const std::vector<std::string>& paths);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INPUT_FILE_H_
