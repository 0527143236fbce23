#include "trommel/result.h"

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
  }
  return "Unknown";
}

}  // namespace trommel
