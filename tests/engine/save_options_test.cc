// What a save does about a file that is at its path already, on any file system.
#include "trommel/save_options.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/src/disk/atomic_file.h"
#include "support/catch.h"
#include "support/refuse_call.h"
#include "support/scratch_folder.h"

namespace trommel {
namespace {

using tests::BytesOfText;
using tests::ReadFile;
using tests::RefuseCall;
using tests::RefusedCall;
using tests::ScratchFolder;

Status SaveText(const std::filesystem::path& path, std::string_view text,
                const SaveOptions& options) {
  Result<AtomicFile> file = AtomicFile::Create(path, options);
  if (!file) return file.error();
  if (Status done = file->Append(BytesOfText(text)); !done) return done;
  return file->Commit();
}

TEST_CASE("a file that must be new is made only where nothing is", "[engine][io]") {
  const ScratchFolder folder;
  const SaveOptions is_new = {.replace = false};
  REQUIRE(SaveText(folder / "file", "first", is_new).ok());
  CHECK(SaveText(folder / "file", "second", is_new).error().code == ErrorCode::kExists);
  CHECK(ReadFile(folder / "file") == BytesOfText("first"));

  std::filesystem::create_symlink("nowhere", folder / "link");
  CHECK(SaveText(folder / "link", "x", is_new).error().code == ErrorCode::kExists);
  CHECK(std::filesystem::is_symlink(folder / "link"));

  Result<AtomicFile> late = AtomicFile::Create(folder / "late", is_new);
  REQUIRE(late.ok());
  tests::WriteFile(folder / "late", BytesOfText("theirs"));
  CHECK(late->Commit().error().code == ErrorCode::kExists);
  CHECK(ReadFile(folder / "late") == BytesOfText("theirs"));
  CHECK(folder.num_files() == 3);
}

TEST_CASE("of all threads that make one new file exactly one succeeds", "[engine][io]") {
  const ScratchFolder folder;
  constexpr int kWriters = 4;
  for (int round = 0; round < 25; ++round) {
    const std::filesystem::path path = folder.path() / std::to_string(round);
    std::atomic<int> num_made = 0;
    std::atomic<int> num_late = 0;
    std::vector<std::thread> writers;
    for (int i = 0; i < kWriters; ++i) {
      writers.emplace_back([&] {
        const Status made = SaveText(path, "whole", {.replace = false});
        if (made.ok()) ++num_made;
        if (!made.ok() && made.error().code == ErrorCode::kExists) ++num_late;
      });
    }
    for (std::thread& writer : writers) writer.join();
    REQUIRE(num_made == 1);
    REQUIRE(num_late == kWriters - 1);
    REQUIRE(ReadFile(path) == BytesOfText("whole"));
  }
}

TEST_CASE("what the check refuses stays as it was", "[engine][io]") {
  const ScratchFolder folder;
  const SaveOptions refused = {.check = [] { return Error{ErrorCode::kMismatch, "not now"}; }};
  CHECK(SaveText(folder / "new", "x", refused).error().message == "not now");
  CHECK(folder.num_files() == 0);
  tests::WriteFile(folder / "file", BytesOfText("old"));
  CHECK(SaveText(folder / "file", "x", refused).error().code == ErrorCode::kMismatch);
  CHECK(ReadFile(folder / "file") == BytesOfText("old"));
  CHECK(folder.num_files() == 1);
}

TEST_CASE("a file that appears after the check is seen by another check", "[engine][io]") {
  const ScratchFolder folder;
  const std::filesystem::path path = folder / "file";
  const bool has_nameless_files = AtomicFile::Create(path).ok() && folder.num_files() == 0;
  if (!has_nameless_files) return;  // then a rename asks once, whatever it replaces
  const auto appear = [&path]() -> Status {
    if (exists(path)) return Error{ErrorCode::kMismatch, "theirs"};
    tests::WriteFile(path, BytesOfText("theirs"));
    return Ok();
  };
  CHECK(SaveText(path, "mine", {.check = appear}).error().code == ErrorCode::kMismatch);
  CHECK(ReadFile(path) == BytesOfText("theirs"));
  CHECK(folder.num_files() == 1);
}

constexpr int kCannotRefuse = 99;  // the system lets no process refuse calls

// What the body returns in a child that refuses these calls.
int InChild(const std::vector<RefusedCall>& refused, const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    for (const RefusedCall& call : refused) {
      if (!RefuseCall(call)) _exit(kCannotRefuse);
    }
    _exit(body());
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

TEST_CASE("new files are new on file systems that can do less", "[engine][io]") {
  constexpr uint32_t kTmpFile = O_TMPFILE & ~O_DIRECTORY;
  const std::vector<RefusedCall> all = {
      {.number = SYS_openat,
       .error = EOPNOTSUPP,
       .argument_idx = 2,
       .mask = kTmpFile,
       .bits = kTmpFile},
      {.number = SYS_renameat2, .error = EINVAL},  // NFS
      {.number = SYS_linkat, .error = EPERM},      // some FUSE file systems
  };
  const int num_refused = GENERATE(1, 2, 3);
  const ScratchFolder folder;
  const std::filesystem::path path = folder / "file";
  const auto make_twice = [&] {
    Result<AtomicFile> late = AtomicFile::Create(path, {.replace = false});
    if (!late.ok()) return 1;
    if (!SaveText(path, "first", {.replace = false}).ok()) return 2;
    if (late->Commit().ok()) return 3;
    if (SaveText(path, "second", {.replace = false}).ok()) return 4;
    if (ReadFile(path) != BytesOfText("first")) return 5;
    if (!SaveText(path, "third", {}).ok()) return 6;
    return ReadFile(path) == BytesOfText("third") ? 0 : 7;
  };
  const int code = InChild({all.begin(), all.begin() + num_refused}, make_twice);
  if (code == kCannotRefuse) {
    WARN("no seccomp: not tried");
    return;
  }
  CHECK(code == 0);
  CHECK(folder.num_files() == 1);
}

TEST_CASE("a file that is in place and not flushed is told by its code", "[engine][io]") {
  const ScratchFolder folder;
  const int first_free = dup(STDIN_FILENO);  // the folder's descriptor is the next to be opened
  REQUIRE(first_free >= 0);
  close(first_free);
  const auto write = [&] {
    const Status written = SaveText(folder / "file", "whole", {});
    return !written.ok() && written.error().code == ErrorCode::kNotFlushed ? 0 : 1;
  };
  const RefusedCall flush = {.number = SYS_fsync,
                             .error = EIO,
                             .argument_idx = 0,
                             .mask = UINT32_MAX,
                             .bits = static_cast<uint32_t>(first_free)};
  const int code = InChild({flush}, write);
  if (code == kCannotRefuse) {
    WARN("no seccomp: not tried");
    return;
  }
  CHECK(code == 0);
  CHECK(ReadFile(folder / "file") == BytesOfText("whole"));
}

}  // namespace
}  // namespace trommel
