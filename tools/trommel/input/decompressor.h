// Decompressor: compressed input becomes text through the program that everyone has for it (gzip,
// bzip2, xz, zstd), as a child process. It runs on another core than the work on its output, needs
// no library, and a damaged file cannot harm this process.
#ifndef TROMMEL_TOOLS_DECOMPRESSOR_H_
#define TROMMEL_TOOLS_DECOMPRESSOR_H_

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "tools/trommel/input/input_kind.h"
#include "trommel/result.h"

namespace trommel::tool {

class Decompressor {
 public:
  // Starts the program of `kind`, which must be a compressed one, on what `fd` has behind `start`,
  // and on `start` before it: all that was read of it, kStartBytes at most. `name` is what messages
  // call the input. Fails with kIo where there is no such program.
  static Result<Decompressor> Start(InputKind kind, int fd, bool is_regular, std::string_view start,
                                    const std::string& name);

  Decompressor(Decompressor&& other) noexcept;
  Decompressor& operator=(Decompressor&& other) noexcept;
  ~Decompressor();  // ends the program, whatever it does

  int output() const noexcept { return output_; }  // a pipe to read from

  // To be called at the output's end: fails with kCorrupt if the program did, in its words.
  Status Finish();

 private:
  Decompressor() = default;
  Status Spawn(const std::vector<const char*>& arguments, int input, int output, int errors);

  std::string name_;
  std::string what_;  // "gzip data"
  std::vector<pid_t> children_;
  int output_ = -1;
  int errors_ = -1;
};

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_DECOMPRESSOR_H_
