// Pieces: whole records only, nothing lost, and told when the next would have to wait; and where a
// byte is, on every target.
#include "tools/trommel/input/piece_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.h"
#include "support/digests.h"
#include "support/targets.h"
#include "support/words.h"
#include "tools/run_tool.h"
#include "tools/trommel/input/find_bytes.h"
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

std::vector<uint32_t> OffsetsOf(std::string_view text, char wanted) {
  std::vector<uint32_t> offsets;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == wanted) offsets.push_back(static_cast<uint32_t>(i));
  }
  return offsets;
}

// The text lies in memory of its own, so that sanitizers see a byte too many.
void CheckFound(const std::string& text, char wanted) {
  const std::vector<char> bytes(text.begin(), text.end());
  tests::Guarded<uint32_t> offsets(text.size());
  const size_t num_found =
      FindBytesForTarget()({bytes.data(), bytes.size()}, wanted, offsets.data());
  const std::vector<uint32_t> want = OffsetsOf(text, wanted);
  REQUIRE(num_found == want.size());
  CHECK(std::equal(want.begin(), want.end(), offsets.data()));
  CHECK(offsets.GuardsIntact());
}

TEST_CASE("all bytes of one value are found in texts of any length on every target",
          "[tools][find_bytes]") {
  tests::ForEachRunnableTarget([] {
    for (const size_t size : tests::EdgeSizes()) {
      INFO("size " << size);
      for (const uint64_t one_in : {1, 2, 10, 100}) {
        std::string text;
        for (const uint64_t random : tests::DrawnDigests(size, size + 1, Catch::rngSeed())) {
          text += random % one_in == 0 ? '\n' : static_cast<char>(random >> 32);
        }
        CheckFound(text, '\n');
        CheckFound(text, '\0');
        CheckFound(text, '\xff');
      }
    }
  });
}

}  // namespace
}  // namespace trommel::tool
