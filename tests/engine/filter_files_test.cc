// Saving and loading as they are for all types: one reading of the header, and errors that are
// values and name the file.
#include "engine/src/snapshots/filter_files.h"

#include <new>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "support/catch.h"
#include "support/every_type.h"
#include "support/scratch_folder.h"
#include "trommel/any_filter.h"

namespace trommel {
namespace {

using tests::ScratchFolder;

// Counts the reads that touch the first 256 bytes.
class HeaderReads final : public ByteSource {
 public:
  explicit HeaderReads(std::span<const std::byte> bytes) : bytes_(bytes) {}

  uint64_t num_bytes() const override { return bytes_.num_bytes(); }
  Status ReadAt(uint64_t offset, std::span<std::byte> into) const override {
    count_ += offset < kHeaderBytes ? 1 : 0;
    return bytes_.ReadAt(offset, into);
  }
  int count() const { return count_; }

 private:
  SpanSource bytes_;
  mutable int count_ = 0;
};

TEST_CASE("a header is read once, whatever the type", "[engine][snapshot]") {
  for (const auto& [name, filter] : tests::EveryType()) {
    INFO(name);
    const std::vector<std::byte> bytes = SerializeAny(filter);
    const HeaderReads source(bytes);
    std::visit(
        [&source]<class Filter>(const Filter&) {
          const auto read = [](const OpenedSnapshot& snapshot) {
            return FilterFiles::Read<Filter>(snapshot, 0, {});
          };
          CHECK(FilterFiles::ReadBytes(source, read).ok());
        },
        filter);
    CHECK(source.count() == 1);
  }
}

TEST_CASE("what a reader finds wrong in a file names the file", "[engine][snapshot]") {
  const ScratchFolder folder;
  const std::filesystem::path path = folder / "window";
  REQUIRE(WindowFilter::Create({.window = 100, .capacity = 100}).value().Save(path).ok());
  const Result<ScalableFilter> scalable = ScalableFilter::Load(path);
  REQUIRE_FALSE(scalable.ok());
  CHECK(scalable.error().message ==
        path.string() + ": this is a window filter's snapshot, not a scalable filter's");
  CHECK(WindowFilter::Load(folder / "none").error().code == ErrorCode::kIo);

  std::vector<std::byte> bytes = tests::ReadFile(path);
  bytes.resize(300);
  tests::WriteFile(path, bytes);
  const Error cut = LoadAny(path).error();
  CHECK(cut.code == ErrorCode::kCorrupt);
  CHECK_THAT(cut.message,
             Catch::StartsWith(path.string() + ": file is 300 bytes, its header says "));
  CHECK_THAT(cut.message, Catch::EndsWith(": truncated?"));
  tests::WriteFile(path, tests::BytesOfText("PNG, perhaps"));
  CHECK(LoadAny(path).error().message == path.string() + ": not a Trommel file (bad magic)");
}

// A filter for which there is no memory.
struct Starved {
  Status WriteTo(ByteSink& sink) const {
    (void)sink.Append({});
    throw std::bad_alloc();
  }
};

TEST_CASE("memory that the system refuses is an error of loading and saving",
          "[engine][snapshot]") {
  const ScratchFolder folder;
  const std::filesystem::path path = folder / "filter";
  const Status saved = FilterFiles::Save(Starved{}, path, {});
  REQUIRE_FALSE(saved.ok());
  CHECK(saved.error().code == ErrorCode::kOutOfMemory);
  CHECK(folder.num_files() == 0);
  CHECK_THROWS_AS(FilterFiles::Serialize(Starved{}), std::bad_alloc);

  REQUIRE(CountingFilter::Create({.capacity = 10}).value().Save(path).ok());
  const auto starved = [](const OpenedSnapshot&) -> Result<int> { throw std::bad_alloc(); };
  const Result<int> read = FilterFiles::ReadFile(path, starved);
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().code == ErrorCode::kOutOfMemory);
  CHECK_THAT(read.error().message, Catch::StartsWith(path.string()));
}

}  // namespace
}  // namespace trommel
