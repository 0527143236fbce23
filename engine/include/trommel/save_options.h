/// @file
/// SaveOptions, what Save does if its path exists already.
#ifndef TROMMEL_SAVE_OPTIONS_H_
#define TROMMEL_SAVE_OPTIONS_H_

#include <cstddef>
#include <functional>
#include <span>

#include "trommel/result.h"

namespace trommel {

/// What Save does if its path exists already.
struct SaveOptions {
  /// Whether to replace an existing file. If false, Save fails with kExists, changing nothing,
  /// where anything has that name, even a symbolic link without a target. Of any number of programs
  /// that save to one new path at the same time, exactly one succeeds.
  bool replace = true;

  /// Whether a filter that threads may change meanwhile is saved as it is at one moment, instead of
  /// each shard at a moment of its own. For ConcurrentFilter, whose writers then wait while all of
  /// it is copied in memory (queries do not); saving any other filter that threads may change
  /// fails with kInvalidArgument. What one thread has to itself is always saved at one moment.
  bool point_in_time = false;

  /// If set, Save calls it once or twice, when the new file is complete and flushed, right before
  /// it takes its name. Save fails with the error that it returns, and the path stays unchanged:
  /// for programs that must not replace what another one has changed meanwhile. Called on the
  /// thread that saves. Must not throw.
  std::function<Status()> check = {};

  /// Bytes of the caller's own to keep beside the filter in its file, for example where its keys
  /// came from: LoadMetadata (trommel/metadata.h) returns them. At most kMaxMetadataBytes, else
  /// Save fails with kInvalidArgument. They must outlive the call. Not part of the filter: loading
  /// checks and skips them, and a filter that is saved again has those that are given then.
  std::span<const std::byte> metadata = {};
};

/// What the filters' private ReadFrom and WriteTo work with, inside the library.
class FileReader;
class FileWriter;
struct FilterFiles;

}  // namespace trommel

#endif  // TROMMEL_SAVE_OPTIONS_H_
