// The names of errors, and the end of programs that misread a Result.
#include "trommel/result.h"

#include <cstdio>
#include <cstdlib>

namespace trommel {

std::string_view ErrorCodeName(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "InvalidArgument";
    case ErrorCode::kOutOfMemory:
      return "OutOfMemory";
    case ErrorCode::kMismatch:
      return "Mismatch";
    case ErrorCode::kCorrupt:
      return "Corrupt";
    case ErrorCode::kVersion:
      return "Version";
    case ErrorCode::kIo:
      return "Io";
    case ErrorCode::kExists:
      return "Exists";
    case ErrorCode::kNotFlushed:
      return "NotFlushed";
  }
  return "Unknown";
}

namespace internal {

void DieOfMissingValue(const Error& error) noexcept {
  std::fprintf(stderr, "trommel: misuse: a Result was read that holds an error: %s\n",
               error.message.c_str());
  std::abort();
}

void DieOfMissingError() noexcept {
  std::fputs("trommel: misuse: a Result was asked for its error and holds a value\n", stderr);
  std::abort();
}

}  // namespace internal
}  // namespace trommel
