// LineWriter: standard output in large writes, for subcommands that print the lines of their input.
#ifndef TROMMEL_TOOLS_LINE_WRITER_H_
#define TROMMEL_TOOLS_LINE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "trommel/result.h"

namespace trommel::tool {

// Not thread-safe. A reader that went away ends the program by SIGPIPE, silently, as with grep.
class LineWriter {
 public:
  // Writes to `fd`; each line is followed by `terminator`, whose bytes must outlive the writer.
  explicit LineWriter(int fd, std::string_view terminator, size_t buffer_bytes = size_t{1} << 20);

  // Fails with kIo (disk full, say) when the buffer had to be written and could not be.
  Status Write(std::string_view line) {
    if (line.size() + terminator_.size() > buffer_.size() - num_buffered_) return WriteSlowly(line);
    Append(line);
    Append(terminator_);
    return Ok();
  }

  // The lines whose bit in `bitmap` is `wanted` (bit i % 64 of word i / 64 is line i's). Returns
  // how many; fails as Write does.
  Result<uint64_t> WriteSelected(std::span<const std::string_view> lines,
                                 std::span<const uint64_t> bitmap, bool wanted);

  // Writes what is buffered. Must be called at the end.
  Status Flush();

 private:
  void Append(std::string_view bytes);
  Status WriteSlowly(std::string_view line);
  Status WriteAll(std::string_view bytes) const;

  const int fd_;
  const std::string_view terminator_;
  std::vector<char> buffer_;
  size_t num_buffered_ = 0;
};

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_LINE_WRITER_H_
