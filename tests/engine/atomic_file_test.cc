// A file that appears whole or not at all.
#include "engine/src/disk/atomic_file.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "support/catch.h"
#include "support/scratch_folder.h"

namespace trommel {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::BytesOfText;
using tests::ReadFile;
using tests::ScratchFolder;

Status WriteText(const std::filesystem::path& path, std::string_view text) {
  Result<AtomicFile> file = AtomicFile::Create(path);
  if (!file) return file.error();
  if (Status done = file->Append(BytesOfText(text)); !done) return done;
  return file->Commit();
}

mode_t ModeOf(const std::filesystem::path& path) {
  struct stat status = {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

// For the time of a test, files cannot grow beyond a few bytes: what a full disk is to others.
class TinyFiles {
 public:
  explicit TinyFiles(rlim_t num_bytes) {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = num_bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~TinyFiles() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, SIG_DFL);
  }

 private:
  rlimit before_ = {};
};

TEST_CASE("a committed file is whole and alone", "[engine][io]") {
  const ScratchFolder folder;
  REQUIRE(WriteText(folder / "new", "first").ok());
  CHECK(ReadFile(folder / "new") == BytesOfText("first"));
  REQUIRE(WriteText(folder / "new", "second, over it").ok());
  CHECK(ReadFile(folder / "new") == BytesOfText("second, over it"));
  CHECK(folder.num_files() == 1);
}

TEST_CASE("what is overwritten before the commit is not seen", "[engine][io]") {
  const ScratchFolder folder;
  Result<AtomicFile> file = AtomicFile::Create(folder / "new");
  REQUIRE(file.ok());
  REQUIRE(file->Append(BytesOfText("....then more")).ok());
  REQUIRE(file->Append(BytesOfText(", and more")).ok());
  REQUIRE(file->Overwrite(0, BytesOfText("now ")).ok());
  CHECK_FALSE(exists(folder / "new"));
  REQUIRE(file->Commit().ok());
  CHECK(ReadFile(folder / "new") == BytesOfText("now then more, and more"));
}

TEST_CASE("a file that is not committed leaves no trace", "[engine][io]") {
  const ScratchFolder folder;
  tests::WriteFile(folder / "old", BytesOfText("old"));
  for (const char* name : {"old", "new"}) {
    Result<AtomicFile> file = AtomicFile::Create(folder / name);
    REQUIRE(file.ok());
    REQUIRE(file->Append(BytesOfText("half")).ok());
  }
  CHECK(ReadFile(folder / "old") == BytesOfText("old"));
  CHECK(folder.num_files() == 1);
}

TEST_CASE("a killed writer leaves the old file and no trace", "[engine][io]") {
  const ScratchFolder folder;
  tests::WriteFile(folder / "file", BytesOfText("old"));
  const pid_t child = fork();
  if (child == 0) {
    Result<AtomicFile> file = AtomicFile::Create(folder / "file");
    if (file.ok()) (void)file->Append(BytesOfText("half")).ok();
    kill(getpid(), SIGKILL);
  }
  REQUIRE(child > 0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  CHECK(ReadFile(folder / "file") == BytesOfText("old"));
  // Where the file system has no nameless files, one with a telling name is left.
  const size_t num_files = folder.num_files();
  CHECK(num_files <= 2);
  if (num_files == 2) WARN("no O_TMPFILE in " << folder.path());
}

TEST_CASE("a failed write leaves the old file and no trace", "[engine][io]") {
  const ScratchFolder folder;
  tests::WriteFile(folder / "file", BytesOfText("old"));
  Status written = Ok();
  {
    const TinyFiles limit(1000);
    written = WriteText(folder / "file", std::string(5000, 'x'));
  }
  REQUIRE_FALSE(written.ok());
  CHECK(written.error().code == ErrorCode::kIo);
  CHECK_THAT(written.error().message, ContainsSubstring((folder / "file").string()));
  CHECK_THAT(written.error().message, ContainsSubstring("File too large"));
  CHECK(ReadFile(folder / "file") == BytesOfText("old"));
  CHECK(folder.num_files() == 1);
}

TEST_CASE("a replaced file keeps its mode, a new one follows the umask", "[engine][io]") {
  const ScratchFolder folder;
  const mode_t before = umask(027);
  const Status new_file = WriteText(folder / "new", "x");
  umask(before);
  REQUIRE(new_file.ok());
  CHECK(ModeOf(folder / "new") == 0640);
  REQUIRE(chmod((folder / "new").c_str(), 0604) == 0);
  REQUIRE(WriteText(folder / "new", "y").ok());
  CHECK(ModeOf(folder / "new") == 0604);
}

TEST_CASE("a link is followed to the file it stands for", "[engine][io]") {
  const ScratchFolder folder;
  create_directory(folder / "far");
  tests::WriteFile(folder / "far/file", BytesOfText("old"));
  create_symlink("far/file", folder / "link");
  REQUIRE(WriteText(folder / "link", "new").ok());
  CHECK(is_symlink(folder / "link"));
  CHECK(ReadFile(folder / "far/file") == BytesOfText("new"));
}

TEST_CASE("a name as long as allowed leaves room for a temporary one", "[engine][io]") {
  const ScratchFolder folder;
  const std::string name(255, 'n');
  REQUIRE(WriteText(folder.path() / name, "1").ok());
  REQUIRE(WriteText(folder.path() / name, "2").ok());
  CHECK(ReadFile(folder.path() / name) == BytesOfText("2"));
}

TEST_CASE("a relative path is in the working folder", "[engine][io]") {
  const ScratchFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const bool both = WriteText("plain", "1").ok() && WriteText("plain", "2").ok();
  std::filesystem::current_path(before);
  REQUIRE(both);
  CHECK(ReadFile(folder / "plain") == BytesOfText("2"));
  CHECK(folder.num_files() == 1);
}

TEST_CASE("what no file can replace is refused with its path and the reason", "[engine][io]") {
  const ScratchFolder folder;
  const auto error_of = [](const std::filesystem::path& path) {
    const Status written = WriteText(path, "x");
    REQUIRE_FALSE(written.ok());
    CHECK(written.error().code == ErrorCode::kIo);
    CHECK_THAT(written.error().message, ContainsSubstring(path.string()));
    return written.error().message;
  };
  CHECK_THAT(error_of(folder.path()), ContainsSubstring("Is a directory"));
  CHECK_THAT(error_of(folder / "new/"), ContainsSubstring("Is a directory"));
  CHECK_THAT(error_of(folder / "missing/file"), ContainsSubstring("No such file"));
  CHECK_THAT(error_of(""), ContainsSubstring("No such file"));
  CHECK_THAT(error_of("/dev/full"), ContainsSubstring("not a regular file"));
  CHECK_THAT(error_of("/dev/null"), ContainsSubstring("not a regular file"));
  tests::WriteFile(folder / "file", BytesOfText("x"));
  CHECK_THAT(error_of(folder / "file/below"), ContainsSubstring("Not a directory"));
  CHECK(folder.num_files() == 1);
  if (geteuid() != 0) {  // root may write everywhere
    REQUIRE(chmod(folder.path().c_str(), 0500) == 0);
    CHECK_THAT(error_of(folder / "new"), ContainsSubstring("Permission denied"));
    REQUIRE(chmod(folder.path().c_str(), 0700) == 0);
  }
}

}  // namespace
}  // namespace trommel
