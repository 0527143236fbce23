#include "engine/src/files/file_format.h"

#include <string>

namespace trommel {

Error UnknownAt(uint64_t offset, std::string_view field, uint64_t found, std::string_view known) {
  return {.code = ErrorCode::kVersion,
          .message = "file of a later version: at byte " + std::to_string(offset) + " " +
                     std::string(field) + " is " + std::to_string(found) + "; this library reads " +
                     std::string(known)};
}

Error CorruptAt(uint64_t offset, std::string_view what) {
  return {.code = ErrorCode::kCorrupt,
          .message = "corrupt file at byte " + std::to_string(offset) + ": " + std::string(what)};
}

std::string_view FileTypeName(FileType type) {
  switch (type) {
    case FileType::kCounting:
      return "a counting filter";
    case FileType::kScalable:
      return "a scalable filter";
    case FileType::kWindow:
      return "a window filter";
    case FileType::kAttributes:
      return "an attribute filter";
    case FileType::kColumn:
      return "a column of a map";
    case FileType::kDirectory:
      return "the directory of an index";
  }
  return "";
}

}  // namespace trommel
