// The names of errors and refusals, and the aborts of programs that read a result's missing value
// or error.
#include "trommel/result.h"

#include <cstdio>
#include <cstdlib>

#include "trommel/outcomes.h"

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
    case ErrorCode::kBusy:
      return "Busy";
    case ErrorCode::kUnsupported:
      return "Unsupported";
  }
  return "Unknown";
}

std::string_view GrowthRefusalText(GrowthRefusal refusal) noexcept {
  switch (refusal) {
    case GrowthRefusal::kNone:
      return "";
    case GrowthRefusal::kLargestCapacity:
      return "it has reached its largest capacity";
    case GrowthRefusal::kMemoryLimit:
      return "growth would exceed its memory limit";
    case GrowthRefusal::kOutOfMemory:
      return "the system refused memory for growth";
    case GrowthRefusal::kSideMemoryLimit:
      return "its side memory has no space for them";
  }
  return "unknown";
}

namespace internal {

void DieOfMissingValue(const Error& error) noexcept {
  std::fprintf(stderr, "trommel: misuse: a Result was read that holds an error: %s\n",
               error.message.c_str());
  std::abort();
}

void DieOfMissingError() noexcept {
  std::fputs("trommel: misuse: the error of a Result was read that holds a value\n", stderr);
  std::abort();
}

}  // namespace internal
}  // namespace trommel
