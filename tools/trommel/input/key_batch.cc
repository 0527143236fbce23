// KeyBatch: one pass over a piece.
#include "tools/trommel/input/key_batch.h"

#include <fmt/core.h>

#include <bit>
#include <cstring>

#include "tools/trommel/output/report.h"

namespace trommel::tool {

Keys KeyBatch::keys() const noexcept {
  if (are_integers_) return integers_;
  return are_records_ ? records_ : views_;
}

Keys KeyBatch::KeysFor(const DigestPolicy& policy) const noexcept {
  return policy.kind == DigestKind::kCaller ? Keys::Digests(integers_) : keys();
}

void KeyBatch::Hash(const DigestPolicy& policy) {
  digests.resize(records_.size());
  policy.Digests(KeysFor(policy), digests);
}

void KeyBatch::Split(const KeyOptions& options) {
  records_.clear();
  views_.clear();
  integers_.clear();
  times_.clear();
  num_decoded_ = 0;
  num_lines_ = num_empty_ = 0;
  error_.reset();
  are_integers_ = IsInteger(options.format);
  are_records_ = (options.format == KeyFormat::kLines && !options.strip_cr) ||
                 options.format == KeyFormat::kNul;
  if (options.format == KeyFormat::kRaw64) return SplitRaw();

  const std::string_view text = piece.text();
  if (options.format == KeyFormat::kHex) decoded_.resize(text.size() / 2 + 1);
  const char terminator = Terminator(options.format).front();
  const char* const end = text.data() + text.size();
  for (const char* begin = text.data(); begin < end;) {
    const void* found = std::memchr(begin, terminator, static_cast<size_t>(end - begin));
    const char* const stop = found == nullptr ? end : static_cast<const char*>(found);
    const std::string_view record(begin, static_cast<size_t>(stop - begin));
    begin = stop + (found == nullptr ? 0 : 1);
    ++num_lines_;
    if (are_records_ && (!record.empty() || options.keep_empty)) {
      records_.push_back(record);  // a short way for what most inputs are
    } else if (Status added = AddRecord(record, options); !added.ok()) {
      error_ = added.error();
      return;
    }
  }
}

void KeyBatch::SplitRaw() {
  constexpr size_t kKeyBytes = sizeof(uint64_t);
  const std::string_view text = piece.text();
  for (size_t begin = 0; begin + kKeyBytes <= text.size(); begin += kKeyBytes) {
    uint64_t key = 0;
    std::memcpy(&key, text.data() + begin, kKeyBytes);
    if constexpr (std::endian::native == std::endian::big) key = __builtin_bswap64(key);
    integers_.push_back(key);
    records_.push_back(text.substr(begin, kKeyBytes));
  }
}

Status KeyBatch::AddRecord(std::string_view record, const KeyOptions& options) {
  std::string_view line = record;
  if (options.strip_cr && line.ends_with('\r')) line.remove_suffix(1);
  std::string_view key = line;
  // An empty line is not a short row: it is skipped as an empty key is.
  if (options.format == KeyFormat::kTsv && (!key.empty() || options.keep_empty)) {
    const std::optional<std::string_view> column = Column(key, piece.column_idx);
    if (!column) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("no column {}: {}", piece.column_idx + 1, Quoted(key))};
    }
    key = *column;
  }
  if (key.empty() && !options.keep_empty) {
    ++num_empty_;
    return Ok();
  }
  if (options.time_column) {
    if (Status added = AddTime(line, options); !added.ok()) return added;
  }
  if (Status added = AddKey(key, options); !added.ok()) return added;
  records_.push_back(record);
  return Ok();
}

Status KeyBatch::AddKey(std::string_view key, const KeyOptions& options) {
  if (options.format == KeyFormat::kU64) {
    const Result<uint64_t> integer = ParseU64(key);
    if (!integer.ok()) return integer.error();
    integers_.push_back(*integer);
  } else if (options.format == KeyFormat::kHex) {
    char* const bytes = decoded_.data() + num_decoded_;
    const Result<size_t> num_bytes = DecodeHex(key, bytes);
    if (!num_bytes.ok()) return num_bytes.error();
    views_.emplace_back(bytes, *num_bytes);
    num_decoded_ += *num_bytes;
  } else if (!are_records_) {
    views_.push_back(key);
  }
  return Ok();
}

Status KeyBatch::AddTime(std::string_view line, const KeyOptions& options) {
  const std::optional<std::string_view> column = Column(line, piece.time_column_idx);
  if (!column) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("no column {}: {}", piece.time_column_idx + 1, Quoted(line))};
  }
  const Result<uint64_t> time = ParseTime(*column, options.time_unit);
  if (!time.ok()) return time.error();
  times_.push_back(*time);
  return Ok();
}

}  // namespace trommel::tool
