// Lines come out in order and whole, whatever the buffer.
#include "tools/trommel/output/line_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tool {
namespace {

using tests::TempFolder;

TEST_CASE("selected lines are written for every buffer size", "[tools][line_writer]") {
  const TempFolder folder;
  std::vector<std::string> lines;
  for (size_t i = 0; i < 130; ++i) lines.emplace_back(i % 7, static_cast<char>('a' + i % 26));
  const std::vector<std::string_view> views(lines.begin(), lines.end());
  std::vector<uint64_t> bitmap = {0x8000000000000001, 0x00ff00ff00ff00ff, 2};
  const bool wanted = GENERATE(true, false);
  const size_t buffer_bytes = GENERATE(size_t{1}, size_t{3}, size_t{8}, size_t{4096});
  std::string want;
  uint64_t num_wanted = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (((bitmap[i / 64] >> (i % 64) & 1) == 1) != wanted) continue;
    want += lines[i] + ";\n";
    ++num_wanted;
  }

  const int fd = open(folder.Path("out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  REQUIRE(fd >= 0);
  LineWriter writer(fd, ";\n", buffer_bytes);
  const Result<uint64_t> num_written = writer.WriteSelected(views, bitmap, wanted);
  REQUIRE(num_written.ok());
  CHECK(*num_written == num_wanted);
  REQUIRE(writer.Flush().ok());
  close(fd);
  CHECK(folder.Read("out") == want);
}

TEST_CASE("a full disk is an error", "[tools][line_writer]") {
  const int fd = open("/dev/full", O_WRONLY);
  if (fd < 0) return;  // not every system has it
  LineWriter writer(fd, "\n");
  CHECK(writer.Write("line").ok());
  const Status flushed = writer.Flush();
  close(fd);
  REQUIRE_FALSE(flushed.ok());
  CHECK(flushed.error().code == ErrorCode::kIo);
}

}  // namespace
}  // namespace trommel::tool
