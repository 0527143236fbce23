// KeyReader: the tool's inputs as batches of keys, at disk or pipe speed. Keys and records are
// views into one large buffer; no memory is taken per key.
#ifndef TROMMEL_TOOLS_KEY_READER_H_
#define TROMMEL_TOOLS_KEY_READER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/trommel/input_file.h"
#include "tools/trommel/key_format.h"
#include "trommel/keys.h"
#include "trommel/result.h"

namespace trommel::tool {

// How much is read and handed on at a time. The buffer grows for a record that does not fit.
struct ReaderLimits {
  size_t block_bytes = size_t{1} << 20;
  size_t batch_keys = size_t{1} << 16;
  size_t record_bytes = size_t{1} << 30;  // a longer record is an error: surely a wrong format
};

// Not thread-safe. After an error only the destructor may be called.
class KeyReader {
 public:
  // Paths are read one after the other; "-" is standard input, and so is an empty list. A file is
  // opened when its turn comes.
  KeyReader(std::vector<std::string> paths, const KeyOptions& options,
            const ReaderLimits& limits = {});

  // Makes the next batch: true if it holds at least one key, false at the end of all inputs. Views
  // of the batch before are gone. Fails with kInvalidArgument for a malformed key (with file name
  // and line, or byte offset where there are no lines) and with kIo; keys before the bad one are
  // handed out first.
  Result<bool> Next();

  // The batch's keys: integers for kU64 and kRaw64, string views otherwise.
  Keys keys() const noexcept;
  // The batch's integers; only for kU64 and kRaw64.
  std::span<const uint64_t> integers() const noexcept { return integers_; }
  // The record of each key as it stands in the input, without its terminator.
  std::span<const std::string_view> records() const noexcept { return records_; }
  // True if the next batch would have to wait for its input, as far as is known.
  bool is_input_idle() const noexcept;
  // The first file's header line; empty before it was read and when there is none.
  const std::string& header() const noexcept { return header_; }

  uint64_t num_keys() const noexcept { return num_keys_; }    // so far, this batch included
  uint64_t num_empty() const noexcept { return num_empty_; }  // empty keys skipped so far
  uint64_t num_bytes() const noexcept { return num_bytes_; }  // read so far

 private:
  bool keys_are_records() const noexcept;
  Status OpenNext();
  Status Fill();
  Status Split();
  Status SplitRaw();
  Status AddRecord(std::string_view record);
  Status AddHeader(std::string_view record);
  Error At(std::string_view what) const;

  const std::vector<std::string> paths_;
  const KeyOptions options_;
  const ReaderLimits limits_;

  size_t next_path_idx_ = 0;
  std::optional<InputFile> file_;
  bool file_ended_ = false;
  uint64_t line_ = 0;        // records begun in this file
  uint64_t file_bytes_ = 0;  // read of this file
  size_t column_idx_ = 0;
  std::optional<Error> error_;  // waits until the keys before it are handed out

  std::vector<char> buffer_;
  size_t begin_ = 0;    // first byte not handed out
  size_t scanned_ = 0;  // no terminator between begin_ and here
  size_t end_ = 0;      // end of what was read

  std::vector<std::string_view> records_;
  std::vector<std::string_view> views_;  // keys that are not whole records
  std::vector<uint64_t> integers_;
  std::vector<char> decoded_;  // bytes of hex keys
  size_t num_decoded_ = 0;
  std::string header_;
  bool header_seen_ = false;

  uint64_t num_keys_ = 0;
  uint64_t num_empty_ = 0;
  uint64_t num_bytes_ = 0;
};

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_KEY_READER_H_
