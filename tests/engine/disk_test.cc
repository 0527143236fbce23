// Files read by offset, what is no file to be read, and checksums against published values.
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "engine/src/disk/byte_source.h"
#include "engine/src/disk/checksum.h"
#include "support/catch.h"
#include "support/scratch_folder.h"

namespace trommel {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::BytesOfText;
using tests::ScratchFolder;

TEST_CASE("a file and a span give the same bytes", "[engine][io]") {
  const ScratchFolder folder;
  const std::vector<std::byte> text = BytesOfText("a sieve that turns");
  tests::WriteFile(folder / "file", text);
  const Result<FileSource> file = FileSource::Open(folder / "file");
  REQUIRE(file.ok());
  const SpanSource span(text);
  for (const ByteSource* source :
       {static_cast<const ByteSource*>(&*file), static_cast<const ByteSource*>(&span)}) {
    REQUIRE(source->num_bytes() == text.size());
    std::vector<std::byte> read(5);
    REQUIRE(source->ReadAt(2, read).ok());
    CHECK(read == BytesOfText("sieve"));
    CHECK(source->ReadAt(text.size(), {}).ok());
  }
}

TEST_CASE("what is no regular file is refused with its path and the reason", "[engine][io]") {
  const ScratchFolder folder;
  const auto error_of = [](const std::filesystem::path& path) {
    const Result<FileSource> source = FileSource::Open(path);
    REQUIRE_FALSE(source.ok());
    CHECK(source.error().code == ErrorCode::kIo);
    CHECK_THAT(source.error().message, ContainsSubstring(path.string()));
    return source.error().message;
  };
  CHECK_THAT(error_of(folder / "missing"), ContainsSubstring("No such file"));
  CHECK_THAT(error_of(folder.path()), ContainsSubstring("directory"));
  CHECK_THAT(error_of("/dev/null"), ContainsSubstring("not a regular file"));
  CHECK_THAT(error_of(""), ContainsSubstring("No such file"));
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK_THAT(error_of(folder / "pipe"), ContainsSubstring("not a regular file"));  // nor waited for
  if (geteuid() != 0) {  // root may read everything
    tests::WriteFile(folder / "secret", BytesOfText("x"));
    REQUIRE(chmod((folder / "secret").c_str(), 0) == 0);
    CHECK_THAT(error_of(folder / "secret"), ContainsSubstring("Permission denied"));
  }
}

TEST_CASE("a file that is cut while it is read is an error", "[engine][io]") {
  const ScratchFolder folder;
  tests::WriteFile(folder / "file", BytesOfText("0123456789"));
  const Result<FileSource> source = FileSource::Open(folder / "file");
  REQUIRE(source.ok());
  REQUIRE(truncate((folder / "file").c_str(), 4) == 0);
  std::array<std::byte, 10> read;
  const Status status = source->ReadAt(0, read);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code == ErrorCode::kIo);
  CHECK_THAT(status.error().message, ContainsSubstring("cut at byte 4"));
}

std::vector<std::byte> RandomBytes(size_t size) {
  std::mt19937_64 random(Catch::rngSeed());
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

TEST_CASE("the checksum is XXH3 with 64 bits and seed 0", "[engine][checksum]") {
  // xxHash's own self-test: the empty input.
  CHECK(Checksum::Of({}) == 0x2d06800538d394c2);
  CHECK(Checksum().Value() == 0x2d06800538d394c2);
}

TEST_CASE("the checksum of pieces is that of the whole", "[engine][checksum]") {
  const auto size = GENERATE(size_t{0}, 1, 16, 17, 128, 129, 240, 241, 256, 1024, 1025, 70000);
  const std::vector<std::byte> bytes = RandomBytes(size);
  const auto piece = GENERATE(size_t{1}, 7, 64, 256, 4096);
  Checksum sum;
  for (size_t done = 0; done < size; done += piece) {
    sum.Add(std::span(bytes).subspan(done, std::min(piece, size - done)));
  }
  CHECK(sum.Value() == Checksum::Of(bytes));
}

}  // namespace
}  // namespace trommel
