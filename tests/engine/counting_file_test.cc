// CountingFilter::Save, Load, Serialize and Deserialize.
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "engine/src/base/grouped_text.h"
#include "support/catch.h"
#include "support/file_forge.h"
#include "support/sample_filters.h"
#include "support/scratch_folder.h"
#include "support/shapes.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::Bytes;
using tests::ScratchFolder;

Error ErrorOf(const Result<CountingFilter>& filter) {
  REQUIRE_FALSE(filter.ok());
  return filter.error();
}

TEST_CASE("a filter comes back from a file with all it was", "[engine][files]") {
  const ScratchFolder folder;
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const CountingConfig config{.capacity = 1000,
                              .target_fpr = 0.003,
                              .digest = {.kind = DigestKind::kXxh3, .seed = 77},
                              .num_slices = static_cast<uint32_t>(shape.num_slices),
                              .encoding = tests::GeometryOf(shape, 1).encoding,
                              .power_of_two_blocks = true};
  CountingFilter filter = std::move(CountingFilter::Create(config)).value();
  tests::InsertIntegers(filter, 900);
  for (int i = 0; i < 300; ++i) filter.Insert("hot");
  filter.Erase("never inserted, most probably");
  REQUIRE(filter.Save(folder / "filter").ok());
  CHECK((tests::ReadFile(folder / "filter") == filter.Serialize()));

  Result<CountingFilter> loaded = CountingFilter::Load(folder / "filter");
  REQUIRE(loaded.ok());
  CHECK(loaded->geometry() == filter.geometry());
  CHECK(loaded->digest_policy() == config.digest);
  CHECK(loaded->capacity() == 1000);
  CHECK(loaded->target_fpr() == 0.003);
  CHECK(loaded->num_keys() == 1200);
  CHECK(loaded->CountEstimate("hot") == 300);
  CHECK(loaded->GetStats().num_promoted == filter.GetStats().num_promoted);
  CHECK(loaded->GetStats().num_refused_erases == 0);  // wear stays behind
  CHECK(loaded->MayContain(899));

  // It works on: both take the same keys and stay the same.
  filter.Insert("after");
  loaded->Insert("after");
  for (int i = 0; i < 300; ++i) REQUIRE((filter.Erase("hot") && loaded->Erase("hot")));
  CHECK((loaded->Serialize() == filter.Serialize()));
}

TEST_CASE("the memory limit holds for what is loaded", "[engine][files]") {
  for (const tests::Sample& sample : tests::SampleFilters()) {
    INFO("sample " << sample.name);
    const Bytes bytes = sample.filter.Serialize();
    const uint64_t needed = CountingFilter::Deserialize(bytes)->GetStats().num_bytes;
    CHECK(CountingFilter::Deserialize(bytes, needed).ok());
    for (const uint64_t limit : {needed - 1, uint64_t{1}}) {
      const Error error = ErrorOf(CountingFilter::Deserialize(bytes, limit));
      CHECK(error.code == ErrorCode::kOutOfMemory);
      CHECK_THAT(error.message, ContainsSubstring("limit of " + GroupedText(limit) + " bytes"));
    }
  }
}

TEST_CASE("what cannot fit the memory limit is refused before it is read", "[engine][files]") {
  const CountingFilter filter = std::move(tests::SampleFilters().back().filter);
  Bytes bytes = filter.Serialize();
  // Reading the side table would find this.
  bytes[tests::FileForge(bytes).At("side", 1).record.offset] ^= std::byte{1};
  const uint64_t too_few = filter.geometry().num_bytes() - 1;
  CHECK(ErrorOf(CountingFilter::Deserialize(bytes, too_few)).code == ErrorCode::kOutOfMemory);
  CHECK(ErrorOf(CountingFilter::Deserialize(bytes)).code == ErrorCode::kCorrupt);
}

TEST_CASE("loading what is not there or no file says so", "[engine][files]") {
  const ScratchFolder folder;
  const auto check = [](const std::filesystem::path& path, const char* reason) {
    const Error error = ErrorOf(CountingFilter::Load(path));
    CHECK(error.code == ErrorCode::kIo);
    CHECK_THAT(error.message, ContainsSubstring(path.string()) && ContainsSubstring(reason));
  };
  check(folder / "missing", "No such file");
  check(folder.path(), "Is a directory");
  check("/dev/zero", "not a regular file");
}

TEST_CASE("what is no whole file is refused with its path", "[engine][files]") {
  const ScratchFolder folder;
  const std::filesystem::path path = folder / "file";
  const Bytes good = tests::SampleFilters().back().filter.Serialize();
  const auto load = [&path](std::span<const std::byte> bytes) {
    tests::WriteFile(path, bytes);
    const Error error = ErrorOf(CountingFilter::Load(path));
    CHECK_THAT(error.message, ContainsSubstring(path.string() + ": "));
    return error;
  };
  CHECK(load({}).code == ErrorCode::kCorrupt);
  const Error half = load(std::span(good).first(good.size() / 2));
  CHECK(half.code == ErrorCode::kCorrupt);
  CHECK_THAT(half.message, ContainsSubstring("file is " + GroupedText(good.size() / 2) + " bytes"));
  CHECK(load(tests::BytesOfText("not a filter at all\n")).code == ErrorCode::kCorrupt);
}

TEST_CASE("a failed save leaves the old file as it was", "[engine][files]") {
  const ScratchFolder folder;
  CountingFilter filter = tests::MakeFilter({.num_slices = 8, .num_blocks = 1000});
  tests::InsertIntegers(filter, 100);
  REQUIRE(filter.Save(folder / "file").ok());
  const Bytes before = filter.Serialize();
  tests::InsertIntegers(filter, 100);

  signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit = {};
  getrlimit(RLIMIT_FSIZE, &old_limit);
  rlimit limit = old_limit;
  limit.rlim_cur = 10000;  // as on a full disk
  setrlimit(RLIMIT_FSIZE, &limit);
  const Status saved = filter.Save(folder / "file");
  setrlimit(RLIMIT_FSIZE, &old_limit);
  signal(SIGXFSZ, SIG_DFL);

  REQUIRE_FALSE(saved.ok());
  CHECK(saved.error().code == ErrorCode::kIo);
  CHECK_THAT(saved.error().message, ContainsSubstring((folder / "file").string()));
  CHECK((tests::ReadFile(folder / "file") == before));
  CHECK(folder.num_files() == 1);
  REQUIRE(filter.Save(folder / "file").ok());
  CHECK((tests::ReadFile(folder / "file") == filter.Serialize()));
}

}  // namespace
}  // namespace trommel
