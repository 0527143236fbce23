// AtomicFile: a new file that appears at its path whole, or not at all.
//
// The bytes go to a file without a name (O_TMPFILE) in the folder of `path`. Commit flushes them,
// gives them a name and flushes the folder. If `path` is free the first name is `path` itself. If a
// file is there and may be replaced, a name beside it comes first and is then renamed over it,
// because linking cannot replace: only between those two calls could a SIGKILL leave debris,
// ".trommel-<16 hex digits>.tmp", a whole snapshot. Where the file system has no O_TMPFILE the
// temporary file has that name all along. At every moment `path` is either what it was or the whole
// new file, and no signal handler is needed.
//
// A file that must be new takes its name in one step that fails if the name is taken: link, or
// rename with RENAME_NOREPLACE. Where a file system offers neither, an empty file claims the name
// right before the rename, and a reader may see that one.
#ifndef TROMMEL_ENGINE_SRC_DISK_ATOMIC_FILE_H_
#define TROMMEL_ENGINE_SRC_DISK_ATOMIC_FILE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "engine/src/disk/byte_sink.h"
#include "engine/src/disk/file_descriptor.h"
#include "trommel/result.h"
#include "trommel/save_options.h"

namespace trommel {

class AtomicFile final : public ByteSink {
 public:
  // Follows symbolic links that lead somewhere. A file that is replaced keeps its mode and, where
  // permitted, its owner (not its ACLs); a new one gets 0666 less the umask. kIo for a folder, a
  // device or a pipe at `path`, and for a folder that takes no files; kExists for a file at `path`
  // that is not to be replaced.
  static Result<AtomicFile> Create(const std::filesystem::path& path, SaveOptions options = {});

  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile() override;  // not committed: as if it had never been

  Status Append(std::span<const std::byte> bytes) override;
  Status Overwrite(uint64_t offset, std::span<const std::byte> bytes) override;

  // Nothing may be written after it. Fails with kIo, kExists and what the options' check returns:
  // `path` is as it was. Fails with kNotFlushed when the file is in place, but its folder could not
  // be flushed.
  Status Commit();

 private:
  AtomicFile(FileDescriptor fd, FileDescriptor folder, std::filesystem::path path,
             std::filesystem::path temporary, SaveOptions options);

  Status TakeAfterReplaced();
  Status GiveName();
  // As system calls: 0, or -1 and errno, EEXIST where the name is taken.
  int LinkAs(const std::filesystem::path& name) const;
  int TakeFreeName() const;

  FileDescriptor fd_;
  FileDescriptor folder_;
  std::filesystem::path path_;
  std::filesystem::path temporary_;  // to be removed; empty while the file has no name
  SaveOptions options_;
  uint64_t end_ = 0;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_DISK_ATOMIC_FILE_H_
