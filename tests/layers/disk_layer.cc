// Files and checksums know no filter: an atomic file is read as it was written.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

#include "engine/src/disk/atomic_file.h"
#include "engine/src/disk/byte_source.h"
#include "engine/src/disk/checksum.h"

int main() {
  using namespace trommel;
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("trommel-layer-" + std::to_string(getpid()));
  const std::array<std::byte, 5> written = {std::byte{1}, std::byte{2}, std::byte{3}};
  Result<AtomicFile> file = AtomicFile::Create(path);
  bool is_good = file.ok() && file->Append(written).ok() && file->Commit().ok();
  const Result<FileSource> source = FileSource::Open(path);
  std::array<std::byte, 5> read{};
  is_good = is_good && source.ok() && source->num_bytes() == read.size() &&
            source->ReadAt(0, read).ok() && read == written &&
            Checksum::Of(read) == Checksum::Of(written);
  std::filesystem::remove(path);
  std::puts(is_good ? "the file came back" : "the file did not come back");
  return is_good ? 0 : 1;
}
