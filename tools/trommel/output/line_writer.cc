// LineWriter: one copy into a buffer, one write(2) per buffer.
#include "tools/trommel/output/line_writer.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

namespace trommel::tool {

LineWriter::LineWriter(int fd, std::string_view terminator, size_t buffer_bytes)
    : fd_(fd), terminator_(terminator), buffer_(buffer_bytes) {}

void LineWriter::Append(std::string_view bytes) {
  if (bytes.empty()) return;  // an empty view may have no address to copy from
  std::memcpy(buffer_.data() + num_buffered_, bytes.data(), bytes.size());
  num_buffered_ += bytes.size();
}

Result<uint64_t> LineWriter::WriteSelected(std::span<const std::string_view> lines,
                                           std::span<const uint64_t> bitmap, bool wanted) {
  uint64_t num_written = 0;
  for (size_t first = 0; first < lines.size(); first += 64) {
    uint64_t word = wanted ? bitmap[first / 64] : ~bitmap[first / 64];
    const size_t num_lines = std::min<size_t>(64, lines.size() - first);
    if (num_lines < 64) word &= (uint64_t{1} << num_lines) - 1;
    for (; word != 0; word &= word - 1) {
      const auto line_idx = first + static_cast<size_t>(std::countr_zero(word));
      if (Status written = Write(lines[line_idx]); !written.ok()) return written.error();
      ++num_written;
    }
  }
  return num_written;
}

Status LineWriter::WriteSlowly(std::string_view line) {
  if (Status flushed = Flush(); !flushed.ok()) return flushed;
  if (line.size() + terminator_.size() <= buffer_.size()) {
    Append(line);
    Append(terminator_);
    return Ok();
  }
  if (Status written = WriteAll(line); !written.ok()) return written;
  return WriteAll(terminator_);
}

Status LineWriter::Flush() {
  const size_t num_bytes = num_buffered_;
  num_buffered_ = 0;
  return WriteAll({buffer_.data(), num_bytes});
}

Status LineWriter::WriteAll(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t num_written = write(fd_, bytes.data(), bytes.size());
    if (num_written < 0 && errno == EINTR) continue;
    if (num_written < 0) {
      return Error{ErrorCode::kIo, fmt::format("cannot write output: {}", std::strerror(errno))};
    }
    bytes.remove_prefix(static_cast<size_t>(num_written));
  }
  return Ok();
}

}  // namespace trommel::tool
