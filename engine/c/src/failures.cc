#include "engine/c/src/failures.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "trommel/c.h"
#include "trommel/result.h"
#include "trommel/version.h"

namespace trommel::c_abi {

void Throw(trommel_code code, std::string message) { throw Failure{code, std::move(message)}; }

void Throw(const Error& error) {
  const auto code = [&]() -> trommel_code {
    switch (error.code) {
      case ErrorCode::kInvalidArgument:
        return TROMMEL_INVALID_ARGUMENT;
      case ErrorCode::kOutOfMemory:
        return TROMMEL_OUT_OF_MEMORY;
      case ErrorCode::kMismatch:
        return TROMMEL_MISMATCH;
      case ErrorCode::kCorrupt:
        return TROMMEL_CORRUPT;
      case ErrorCode::kVersion:
        return TROMMEL_VERSION;
      case ErrorCode::kIo:
        return TROMMEL_IO;
      case ErrorCode::kExists:
        return TROMMEL_EXISTS;
      case ErrorCode::kNotFlushed:
        return TROMMEL_NOT_FLUSHED;
      case ErrorCode::kBusy:
        return TROMMEL_BUSY;
      case ErrorCode::kUnsupported:
        return TROMMEL_UNSUPPORTED;
    }
    return TROMMEL_INTERNAL;
  }();
  Throw(code, error.message);
}

trommel_code Report(trommel_error* error, trommel_code code, std::string_view message) noexcept {
  if (error == nullptr) return code;
  error->code = code;
  const size_t num_bytes = std::min(message.size(), sizeof(error->message) - 1);
  std::memcpy(error->message, message.data(), num_bytes);
  error->message[num_bytes] = '\0';
  return code;
}

}  // namespace trommel::c_abi

int32_t trommel_c_abi_version() { return TROMMEL_C_ABI_VERSION; }

const char* trommel_c_version() { return trommel::LinkedVersion().data(); }

const char* trommel_code_name(trommel_code code) {
  switch (code) {
    case TROMMEL_OK:
      return "ok";
    case TROMMEL_INVALID_ARGUMENT:
      return "invalid_argument";
    case TROMMEL_OUT_OF_MEMORY:
      return "out_of_memory";
    case TROMMEL_MISMATCH:
      return "mismatch";
    case TROMMEL_CORRUPT:
      return "corrupt";
    case TROMMEL_VERSION:
      return "version";
    case TROMMEL_IO:
      return "io";
    case TROMMEL_EXISTS:
      return "exists";
    case TROMMEL_NOT_FLUSHED:
      return "not_flushed";
    case TROMMEL_BUSY:
      return "busy";
    case TROMMEL_UNSUPPORTED:
      return "unsupported";
    case TROMMEL_BUFFER_TOO_SMALL:
      return "buffer_too_small";
    case TROMMEL_INTERNAL:
      return "internal";
    default:
      return "unknown";
  }
}
