// KeyBatch: a piece of input as records and keys, and what was found out about them. No memory is
// taken per key, and none for a batch that follows one as large.
#ifndef TROMMEL_TOOLS_KEY_BATCH_H_
#define TROMMEL_TOOLS_KEY_BATCH_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/trommel/input/key_format.h"
#include "tools/trommel/input/piece_reader.h"
#include "trommel/digest.h"
#include "trommel/keys.h"
#include "trommel/result.h"

namespace trommel::tool {

// Not thread-safe; different batches are independent.
class KeyBatch {
 public:
  // Cuts the piece into records and keys, up to the first malformed key. Views of keys and records
  // live until the piece changes or it is cut again.
  void Split(const KeyOptions& options);

  // Takes this record and all behind it out again, for which the error is from now on: what is
  // wrong with it shows only beside those before. Its line is the last that was cut.
  void RefuseFrom(size_t record_idx, Error error);

  // The keys: integers for kU64 and kRaw64, string views otherwise.
  Keys keys() const noexcept;
  // The same as a filter of this policy takes them: under kCaller, integers are digests.
  Keys KeysFor(const DigestPolicy& policy) const noexcept;
  // Writes the keys' digests to `digests`.
  void Hash(const DigestPolicy& policy);
  // The keys' integers; only for kU64 and kRaw64.
  std::span<const uint64_t> integers() const noexcept { return integers_; }
  // The record of each key as it stands in the input, without its terminator; kHosts: the name.
  std::span<const std::string_view> records() const noexcept { return records_; }

  // When each key came, in ticks (number_text.h); empty where times are not read.
  std::span<const uint64_t> times() const noexcept {
    return std::span(times_).first(std::min(times_.size(), records_.size()));
  }

  uint64_t num_lines() const noexcept { return num_lines_; }  // cut, whether keys or not
  uint64_t num_empty() const noexcept { return num_empty_; }  // skipped: empty or comments
  // "FILE:LINE: 'RECORD'" of a record, or "FILE, key NUMBER: INTEGER" of kRaw64, for the last
  // stage.
  std::string Naming(size_t record_idx, KeyFormat format) const;
  // What is wrong with the last line that was cut; behind it there may be more.
  const std::optional<Error>& error() const noexcept { return error_; }

  Piece piece;
  std::string header;  // to be passed on before these records; empty: nothing to pass on

  // For stages that work on several batches at a time: what they computed of this one.
  std::vector<uint64_t> digests;
  std::vector<uint64_t> bitmap;
  std::vector<uint64_t> counts;
  uint64_t num_present = 0;

 private:
  // Adds the records of `text` from `begin` on that end at the offsets `ends` from `at`, and moves
  // `begin` behind the last. False behind a malformed key.
  bool AddRecords(std::string_view text, size_t at, std::span<const uint32_t> ends,
                  const KeyOptions& options, size_t& begin);
  // The same where a record is a key.
  void AddWholeRecords(std::string_view text, size_t at, std::span<const uint32_t> ends,
                       bool keep_empty, size_t& begin);
  Status AddRecord(std::string_view record, const KeyOptions& options);
  Status AddNames(std::string_view line);
  Status AddKey(std::string_view key, const KeyOptions& options);
  // Adds the key of the piece's columns of the line, of which there are several.
  Status AddTuple(std::string_view line);
  Status AddTime(std::string_view line, const KeyOptions& options);
  void SplitRaw();

  std::vector<std::string_view> records_;
  std::vector<std::string_view> views_;  // keys that are not whole records
  std::vector<uint64_t> integers_;
  std::vector<uint64_t> times_;
  std::vector<char> decoded_;  // bytes of hex keys and of tuples
  size_t num_decoded_ = 0;
  bool are_integers_ = false;
  bool are_records_ = true;
  uint64_t num_lines_ = 0;
  uint64_t num_empty_ = 0;
  std::optional<Error> error_;
};

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_KEY_BATCH_H_
