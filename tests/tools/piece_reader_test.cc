// Pieces: whole records only, nothing lost, and told when the next would have to wait.
#include "tools/trommel/input/piece_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"
#include "tools/trommel/input/input_file.h"

namespace trommel::tool {
namespace {

using tests::TempFolder;
using Strings = std::vector<std::string>;

ReaderLimits Blocks(size_t block_bytes) {
  ReaderLimits limits;
  limits.block_bytes = block_bytes;
  return limits;
}

TEST_CASE("pieces are whole records and together the file", "[tools][piece_reader]") {
  const TempFolder folder;
  const std::string text = "a\n\nbc\nlonger than most blocks\nx\n\n\nlast without newline";
  const std::string path = folder.Write("keys", text);
  for (size_t block_bytes = 1; block_bytes <= text.size() + 1; ++block_bytes) {
    INFO(block_bytes << " bytes");
    PieceReader reader({path, path}, KeyOptions{}, Blocks(block_bytes));
    std::string joined;
    uint64_t num_bytes = 0;
    int num_first = 0;
    for (Piece piece; reader.Next(piece);) {
      REQUIRE_FALSE(piece.error);
      CHECK(piece.file_name == path);
      if (piece.is_first) CHECK(joined.size() == (num_first++ == 0 ? 0 : text.size()));
      joined += piece.text();
      num_bytes += piece.num_bytes;
      CHECK((joined.empty() || joined.ends_with('\n') || joined.ends_with("without newline")));
    }
    CHECK(num_first == 2);
    CHECK(joined == text + text);
    CHECK(num_bytes == 2 * text.size());
  }
}

TEST_CASE("a header is no part of the text, and names each file's column",
          "[tools][piece_reader]") {
  const TempFolder folder;
  KeyOptions options;
  options.format = KeyFormat::kTsv;
  options.has_header = true;
  options.columns[0].name = "key";
  options.strip_cr = true;
  const Strings paths = {folder.Write("1", "key\tb\r\n1\t2\n"), folder.Write("2", ""),
                         folder.Write("3", "a\tb\tkey"), folder.Write("4", "other\n1\n")};
  PieceReader reader(paths, options, Blocks(GENERATE(1, 4, 100)));
  Piece piece;
  std::string text;
  Strings headers;
  std::vector<size_t> columns;
  std::string error;
  while (reader.Next(piece)) {
    text += piece.text();
    if (!piece.header.empty()) headers.push_back(piece.header);
    if (piece.has_header) columns.push_back(piece.column_idxs.at(0));
    if (piece.error) error = piece.error->message;
    if (piece.error) CHECK(piece.is_error_of_line);
  }
  CHECK(text == "1\t2\n");
  CHECK(headers == Strings{"key\tb\r"});
  CHECK(columns == std::vector<size_t>{0, 2});
  CHECK(error == "no column named 'key'");
}

TEST_CASE("raw keys are cut every eight bytes", "[tools][piece_reader]") {
  const TempFolder folder;
  KeyOptions options;
  options.format = KeyFormat::kRaw64;
  const std::string path = folder.Write("keys", "12345678abcdefghxyz");
  PieceReader reader({path}, options, Blocks(GENERATE(1, 5, 8, 9, 100)));
  std::string text;
  std::string error;
  for (Piece piece; reader.Next(piece);) {
    CHECK(piece.text().size() % 8 == 0);
    text += piece.text();
    if (piece.error) error = piece.error->message;
    CHECK_FALSE(piece.is_error_of_line);
  }
  CHECK(text == "12345678abcdefgh");
  CHECK(error == path + ": byte 16: a raw64 key has 8 bytes, 3 left");
}

TEST_CASE("what one long record took is given back", "[tools][piece_reader]") {
  const TempFolder folder;
  PieceReader reader({folder.Write("keys", std::string(100000, 'x') + tests::Lines("\n", 50000))},
                     KeyOptions{}, Blocks(64));
  Piece piece;
  REQUIRE(reader.Next(piece));
  CHECK(piece.text().size() > 100000);
  for (int i = 0; i < 3; ++i) REQUIRE(reader.Next(piece));
  CHECK(piece.buffer.size() < 100000);
}

TEST_CASE("a mark comes before each wait for input", "[tools][piece_reader]") {
  const TempFolder folder;
  const std::string fifo = folder.Path("fifo");
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  const int fd = open(fifo.c_str(), O_RDWR);  // a writer is there all the time
  REQUIRE(fd >= 0);
  const auto type = [fd](std::string_view text) {
    REQUIRE(write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  };
  PieceReader reader({folder.Write("keys", "x\n"), fifo}, KeyOptions{}, Blocks(100));
  CHECK(reader.is_idle());  // nothing was handed on
  Piece piece;
  for (const char* text : {"x\n", ""}) {
    REQUIRE(reader.Next(piece));
    CHECK(piece.text() == text);
    CHECK_FALSE(piece.is_input_idle);
    CHECK_FALSE(reader.is_idle());
  }
  REQUIRE(reader.Next(piece));
  CHECK(piece.text().empty());
  CHECK(piece.is_input_idle);

  type("a\nb");
  REQUIRE(reader.Next(piece));
  CHECK(piece.text() == "a\n");
  CHECK(piece.is_input_idle);
  CHECK(reader.is_idle());
  type("c\n");
  REQUIRE(reader.Next(piece));
  CHECK(piece.text() == "bc\n");
  close(fd);
}

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
