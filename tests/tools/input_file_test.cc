// Files and pipes read in large pieces.
#include "tools/trommel/input_file.h"

#include <array>
#include <string>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tool {
namespace {

using tests::TempFolder;

TEST_CASE("a file is read to its end, whatever the buffer", "[tools][input_file]") {
  const TempFolder folder;
  const std::string text = tests::Lines("line ", 100);
  const std::string path = folder.Write("file", text);
  std::vector<char> buffer(GENERATE(size_t{1}, size_t{7}, size_t{4096}));
  Result<InputFile> file = InputFile::Open(path);
  REQUIRE(file.ok());
  CHECK(file->name() == path);
  std::string read;
  for (;;) {
    const Result<size_t> num_read = file->Read(buffer);
    REQUIRE(num_read.ok());
    if (*num_read == 0) break;
    read.append(buffer.data(), *num_read);
  }
  CHECK(read == text);
}

TEST_CASE("what cannot be opened is named", "[tools][input_file]") {
  const TempFolder folder;
  CHECK(InputFile::Open(folder.Path("none")).error().message ==
        "cannot open " + folder.Path("none") + ": No such file or directory");
  CHECK(InputFile::Open(folder.Path("")).error().code == ErrorCode::kIo);
}

TEST_CASE("total bytes are known for regular files only", "[tools][input_file]") {
  const TempFolder folder;
  const std::string a = folder.Write("a", "12345");
  const std::string b = folder.Write("b", "123");
  CHECK(TotalBytes({a, b}) == 8);
  CHECK_FALSE(TotalBytes({}).has_value());
  CHECK_FALSE(TotalBytes({a, "-"}).has_value());
  CHECK_FALSE(TotalBytes({a, folder.Path("none")}).has_value());
  CHECK_FALSE(TotalBytes({"/dev/null"}).has_value());
}

}  // namespace
}  // namespace trommel::tool
