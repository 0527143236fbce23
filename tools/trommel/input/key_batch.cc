// KeyBatch: one pass over a piece.
#include "tools/trommel/input/key_batch.h"

#include <fmt/core.h>

#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "tools/trommel/input/find_bytes.h"
#include "tools/trommel/input/key_format.h"
#include "tools/trommel/output/report.h"
#include "trommel/tuples.h"

namespace trommel::tool {
namespace {

// Ends of records are found in so many bytes at a time: they stay in the first-level cache.
constexpr size_t kSectionBytes = 4096;

Error NoColumn(size_t column_idx, std::string_view line) {
  return {ErrorCode::kInvalidArgument,
          fmt::format("no column {}: {}", column_idx + 1, Quoted(line))};
}

}  // namespace

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
                 options.format == KeyFormat::kNul || options.format == KeyFormat::kHosts;
  if (options.format == KeyFormat::kRaw64) return SplitRaw();

  const std::string_view text = piece.text();
  if (options.format == KeyFormat::kHex) decoded_.resize(text.size() / 2 + 1);
  // Each byte may become two, and each separator does.
  if (options.columns.size() > 1) decoded_.resize(2 * text.size());
  const char terminator = Terminator(options.format).front();
  FindBytes* const find = FindBytesForTarget();
  std::array<uint32_t, kSectionBytes> ends;
  size_t begin = 0;  // of the next record
  for (size_t at = 0; at < text.size(); at += kSectionBytes) {
    const size_t num_ends = find(text.substr(at, kSectionBytes), terminator, ends.data());
    if (!AddRecords(text, at, std::span(ends).first(num_ends), options, begin)) return;
  }
  // The last record may do without its terminator.
  ends[0] = static_cast<uint32_t>(text.size() - begin);
  if (begin < text.size()) AddRecords(text, begin, std::span(ends).first(1), options, begin);
}

void KeyBatch::RefuseFrom(size_t record_idx, Error error) {
  const std::string_view text = piece.text();
  const char* const begin = text.data();
  const std::string_view before(begin, static_cast<size_t>(records_[record_idx].data() - begin));
  num_lines_ = static_cast<uint64_t>(std::ranges::count(before, '\n')) + 1;
  records_.resize(record_idx);
  views_.resize(std::min(views_.size(), record_idx));
  integers_.resize(std::min(integers_.size(), record_idx));
  times_.resize(std::min(times_.size(), record_idx));
  digests.resize(std::min(digests.size(), record_idx));
  error_ = std::move(error);
}

bool KeyBatch::AddRecords(std::string_view text, size_t at, std::span<const uint32_t> ends,
                          const KeyOptions& options, size_t& begin) {
  if (are_records_ && options.format != KeyFormat::kHosts && options.comment.empty()) {
    AddWholeRecords(text, at, ends, options.keep_empty, begin);
    return true;
  }
  for (const uint32_t end : ends) {
    const std::string_view record = text.substr(begin, at + end - begin);
    begin = at + end + 1;
    ++num_lines_;
    if (Status added = AddRecord(record, options); !added.ok()) {
      error_ = added.error();
      return false;
    }
  }
  return true;
}

// Without a branch per record: a record that is skipped gives its place to the next.
void KeyBatch::AddWholeRecords(std::string_view text, size_t at, std::span<const uint32_t> ends,
                               bool keep_empty, size_t& begin) {
  size_t num_records = records_.size();
  num_lines_ += ends.size();
  num_empty_ += num_records + ends.size();
  records_.resize(num_records + ends.size());
  std::string_view* const records = records_.data();
  size_t next = begin;
  for (const uint32_t end : ends) {
    const size_t num_bytes = at + end - next;
    records[num_records] = {text.data() + next, num_bytes};
    num_records += keep_empty || num_bytes > 0 ? 1 : 0;
    next = at + end + 1;
  }
  begin = next;
  records_.resize(num_records);
  num_empty_ -= num_records;
}

std::string KeyBatch::Naming(size_t record_idx, KeyFormat format) const {
  if (format != KeyFormat::kRaw64) {
    return piece.Naming(records_[record_idx], Terminator(format).front());
  }
  return fmt::format("{}, key {}: {}", piece.file_name, piece.line_before + record_idx + 1,
                     integers_[record_idx]);
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
  if (IsComment(line, options.comment)) {
    ++num_empty_;
    return Ok();
  }
  if (options.format == KeyFormat::kHosts) return AddNames(line);
  std::string_view key = line;
  // An empty line is not a short row: it is skipped as an empty key is.
  const bool has_columns =
      options.format == KeyFormat::kTsv && (!key.empty() || options.keep_empty);
  const bool is_tuple = has_columns && piece.column_idxs.size() > 1;
  if (has_columns && !is_tuple) {
    const std::optional<std::string_view> column = Column(key, piece.column_idxs[0]);
    if (!column) return NoColumn(piece.column_idxs[0], key);
    key = *column;
  }
  if (key.empty() && !options.keep_empty) {
    ++num_empty_;
    return Ok();
  }
  if (options.time_column) {
    if (Status added = AddTime(line, options); !added.ok()) return added;
  }
  Status added = is_tuple ? AddTuple(line) : AddKey(key, options);
  if (!added.ok()) return added;
  records_.push_back(record);
  return Ok();
}

Status KeyBatch::AddNames(std::string_view line) {
  const size_t num_before = records_.size();
  if (Status added = AddHostNames(line, records_); !added.ok()) return added;
  if (records_.size() == num_before) ++num_empty_;
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

Status KeyBatch::AddTuple(std::string_view line) {
  char* const begin = decoded_.data() + num_decoded_;
  char* end = begin;
  const size_t num_values = piece.column_idxs.size();
  for (size_t i = 0; i < num_values; ++i) {
    const std::optional<std::string_view> value = Column(line, piece.column_idxs[i]);
    if (!value) return NoColumn(piece.column_idxs[i], line);
    end = WriteTupleValue(*value, i + 1 == num_values, end);
  }
  const auto num_bytes = static_cast<size_t>(end - begin);
  views_.emplace_back(begin, num_bytes);
  num_decoded_ += num_bytes;
  return Ok();
}

Status KeyBatch::AddTime(std::string_view line, const KeyOptions& options) {
  const std::optional<std::string_view> column = Column(line, piece.time_column_idx);
  if (!column) return NoColumn(piece.time_column_idx, line);
  const Result<uint64_t> time = ParseTime(*column, options.time_unit);
  if (!time.ok()) {
    const bool is_first_line =
        piece.is_first && !piece.has_header && line.data() == piece.text().data();
    if (!is_first_line) return time.error();
    return Error{time.error().code,
                 time.error().message + "; is this line a header? --header skips it"};
  }
  times_.push_back(*time);
  return Ok();
}

}  // namespace trommel::tool
