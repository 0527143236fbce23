// Filter files: nothing is overwritten by accident, and no other program's change is lost.
#include "tools/trommel/filters/filter_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "support/catch.h"
#include "tools/run_tool.h"
#include "tools/trommel/filters/key_file.h"
#include "trommel/counting_filter.h"

namespace trommel::tool {
namespace {

using tests::TempFolder;

AnyFilterPtr Small(DigestKind kind = DigestPolicy{}.kind) {
  return AnyFilter::Create(FilterType::kCounting, {{"capacity", uint64_t{100}}}, {.kind = kind})
      .value();
}

void InsertOne(FilterFile& file, Key key) { file.filter().InsertOne(key, nullptr); }

bool HasKey(const std::string& path, Key key) {
  return CountingFilter::Load(path).value().MayContain(key);
}

TEST_CASE("a file that was changed meanwhile is not replaced", "[tools][filter_file]") {
  const TempFolder folder;
  const std::string path = folder.Path("filter");
  REQUIRE(SaveFilter(*Small(), path).ok());
  const FileLock lock = FileLock::Take(path, {}).value();
  Result<FilterFile> mine = FilterFile::Load(path);
  Result<FilterFile> theirs = FilterFile::Load(path);
  REQUIRE(mine.ok());
  REQUIRE(theirs.ok());
  InsertOne(*theirs, "theirs");
  REQUIRE(SaveFilter(theirs->filter(), path).ok());  // takes no lock
  InsertOne(*mine, "mine");
  const Status saved = mine->SaveBack(lock);
  REQUIRE_FALSE(saved.ok());
  CHECK_THAT(saved.error().message, Catch::Matchers::ContainsSubstring("another program"));
  CHECK(HasKey(path, "theirs"));
}

TEST_CASE("a file that is not the one that was locked is not replaced", "[tools][filter_file]") {
  const TempFolder folder;
  const std::string path = folder.Path("filter");
  REQUIRE(SaveFilter(*Small(), path).ok());
  const FileLock lock = FileLock::Take(path, {}).value();
  REQUIRE(SaveFilter(*Small(), path).ok());  // another file by that name, and unlocked
  const Result<FilterFile> file = FilterFile::Load(path);
  REQUIRE(file.ok());
  CHECK(file->SaveBack(lock).error().code == ErrorCode::kIo);
}

TEST_CASE("saving back keeps links and permissions", "[tools][filter_file]") {
  const TempFolder folder;
  REQUIRE(SaveFilter(*Small(), folder.Path("filter")).ok());
  REQUIRE(chmod(folder.Path("filter").c_str(), 0640) == 0);
  std::filesystem::create_symlink("filter", folder.Path("link"));
  const FileLock lock = FileLock::Take(folder.Path("link"), {}).value();
  Result<FilterFile> file = FilterFile::Load(folder.Path("link"));
  REQUIRE(file.ok());
  InsertOne(*file, "key");
  REQUIRE(file->SaveBack(lock).ok());
  CHECK(std::filesystem::is_symlink(folder.Path("link")));
  CHECK(HasKey(folder.Path("filter"), "key"));
  struct stat status = {};
  REQUIRE(stat(folder.Path("filter").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0640);
}

TEST_CASE("saving back extends the rights of no user or group", "[tools][filter_file]") {
  const TempFolder folder;
  const std::string path = folder.Path("filter");
  REQUIRE(SaveFilter(*Small(), path).ok());
  const auto mode_after_saving = [&] {
    const FileLock lock = FileLock::Take(path, {}).value();
    const Result<FilterFile> file = FilterFile::Load(path);
    struct stat status = {};
    const bool is_saved =
        file.ok() && file->SaveBack(lock).ok() && stat(path.c_str(), &status) == 0;
    return is_saved ? status.st_mode & 07777 : 0;
  };
  REQUIRE(chmod(path.c_str(), 06750) == 0);
  CHECK(mode_after_saving() == 0750);
  // Only root makes others' files, and becomes others.
  if (geteuid() != 0 || chown(path.c_str(), 0, 54321) != 0) return;
  const gid_t group = getegid();
  REQUIRE(chmod(folder.Path("").c_str(), 0777) == 0);
  REQUIRE(chmod(path.c_str(), 0664) == 0);
  REQUIRE(setegid(12345) == 0);
  REQUIRE(seteuid(12345) == 0);
  const mode_t mode = mode_after_saving();
  REQUIRE(seteuid(0) == 0);
  REQUIRE(setegid(group) == 0);
  CHECK((mode & S_IRWXG) == 0);
}

TEST_CASE("filters of the caller's digests take integers as digests", "[tools][filter_file]") {
  const TempFolder folder;
  const std::string path = folder.Path("filter");
  CHECK(CheckCanHash({}, KeyFormat::kLines).ok());
  CHECK_FALSE(CheckCanHash({.kind = DigestKind::kCaller}, KeyFormat::kLines).ok());
  REQUIRE(SaveFilter(*Small(DigestKind::kCaller), path).ok());
  CHECK(tests::RunTool({"insert", path}, "a\n").exit_code == 2);
  const std::string digest = "1234567890123456789";
  CHECK(tests::RunTool({"insert", path, "--keys", "u64"}, digest + "\n").exit_code == 0);
  CHECK(HasKey(path, Key::Digest(1234567890123456789)));
  CHECK(tests::RunTool({"query", path, "--keys", "u64", "-c"}, digest + "\n").out == "1\n");
}

TEST_CASE("an output that is an input by any name is refused", "[tools][filter_file]") {
  const TempFolder folder;
  const std::string keys = folder.Write("keys", "a\nb\n");
  std::filesystem::create_symlink("keys", folder.Path("link"));
  CHECK_FALSE(CheckNoInput(keys, {folder.Path("none"), folder.Path("link")}).ok());
  CHECK_FALSE(CheckNoInput(folder.Path("link"), {keys}).ok());
  CHECK(CheckNoInput(folder.Path("new"), {keys}).ok());
  CHECK(CheckNoInput(keys, {keys}, "filter").error().message ==
        "the filter " + keys + " is also an input");
  CHECK(tests::RunTool({"build", "-f", "-o", keys, keys}).exit_code == 2);
  CHECK(folder.Read("keys") == "a\nb\n");
}

TEST_CASE("a file may be replaced if it may be written", "[tools][filter_file]") {
  const TempFolder folder;
  const std::string file = folder.Write("file", "");
  CHECK(CheckWritable(file).ok());
  CHECK(CheckWritable(folder.Path("none")).ok());
  REQUIRE(chmod(file.c_str(), 0444) == 0);
  if (access(file.c_str(), W_OK) == 0) return;  // root writes to everything
  CHECK(CheckWritable(file).error().code == ErrorCode::kIo);
}

}  // namespace
}  // namespace trommel::tool
