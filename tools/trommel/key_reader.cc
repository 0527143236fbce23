// KeyReader: fill the buffer, split what is whole, hand it out, move the rest to the front.
//
//   buffer  [ handed out | whole records ... | begun record |  free  ]
//                        begin_                scanned_    end_
#include "tools/trommel/key_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace trommel::tool {

KeyReader::KeyReader(std::vector<std::string> paths, const KeyOptions& options,
                     const ReaderLimits& limits)
    : paths_(paths.empty() ? std::vector<std::string>{"-"} : std::move(paths)),
      options_(options),
      limits_(limits),
      column_idx_(options.column_idx),
      buffer_(std::max<size_t>(limits.block_bytes, 1)) {}

Keys KeyReader::keys() const noexcept {
  if (IsInteger(options_.format)) return integers_;
  return keys_are_records() ? records_ : views_;
}

bool KeyReader::keys_are_records() const noexcept {
  return (options_.format == KeyFormat::kLines && !options_.strip_cr) ||
         options_.format == KeyFormat::kNul;
}

bool KeyReader::is_input_idle() const noexcept {
  return scanned_ == end_ && file_ && !file_->HasMoreNow();
}

Error KeyReader::At(std::string_view what) const {
  return {ErrorCode::kInvalidArgument, fmt::format("{}:{}: {}", file_->name(), line_, what)};
}

Result<bool> KeyReader::Next() {
  records_.clear();
  views_.clear();
  integers_.clear();
  num_decoded_ = 0;
  while (records_.empty()) {
    if (error_) return *error_;
    if (!file_) {
      if (next_path_idx_ == paths_.size()) return false;
      if (Status opened = OpenNext(); !opened.ok()) return opened.error();
    }
    Status split = options_.format == KeyFormat::kRaw64 ? SplitRaw() : Split();
    if (!split.ok()) {
      error_ = split.error();
    } else if (records_.empty() && file_ended_) {
      file_.reset();
    } else if (records_.empty()) {
      if (Status filled = Fill(); !filled.ok()) return filled.error();
    }
  }
  num_keys_ += records_.size();
  return true;
}

Status KeyReader::OpenNext() {
  Result<InputFile> file = InputFile::Open(paths_[next_path_idx_++]);
  if (!file.ok()) return file.error();
  file_ = std::move(file).value();
  file_ended_ = false;
  line_ = 0;
  file_bytes_ = 0;
  begin_ = scanned_ = end_ = 0;
  return Ok();
}

Status KeyReader::Fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    scanned_ -= begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) {
    if (end_ >= limits_.record_bytes) {
      ++line_;
      return At(fmt::format("no end of record within {} bytes: another format?", end_));
    }
    buffer_.resize(buffer_.size() * 2);
  }
  const Result<size_t> num_read = file_->Read(std::span(buffer_).subspan(end_));
  if (!num_read.ok()) return num_read.error();
  end_ += *num_read;
  num_bytes_ += *num_read;
  file_bytes_ += *num_read;
  file_ended_ = *num_read == 0;
  return Ok();
}

Status KeyReader::Split() {
  const char terminator = options_.format == KeyFormat::kNul ? '\0' : '\n';
  const bool is_plain = keys_are_records();  // a short way for what most inputs are
  if (options_.format == KeyFormat::kHex) decoded_.resize(buffer_.size() / 2 + 1);
  while (records_.size() < limits_.batch_keys && begin_ < end_) {
    const char* const begin = buffer_.data() + begin_;
    const void* found = std::memchr(buffer_.data() + scanned_, terminator, end_ - scanned_);
    if (found == nullptr && !file_ended_) {
      scanned_ = end_;
      break;
    }
    // The last record of a file may do without its terminator.
    const char* const stop =
        found == nullptr ? buffer_.data() + end_ : static_cast<const char*>(found);
    const auto num_bytes = static_cast<size_t>(stop - begin);
    begin_ = std::min(begin_ + num_bytes + 1, end_);
    scanned_ = begin_;
    ++line_;
    if (is_plain && (num_bytes > 0 || options_.keep_empty)) {
      records_.emplace_back(begin, num_bytes);
    } else if (Status added = AddRecord({begin, num_bytes}); !added.ok()) {
      return added;
    }
  }
  return Ok();
}

Status KeyReader::SplitRaw() {
  constexpr size_t kKeyBytes = sizeof(uint64_t);
  while (records_.size() < limits_.batch_keys && end_ - begin_ >= kKeyBytes) {
    const char* const bytes = buffer_.data() + begin_;
    uint64_t key = 0;
    std::memcpy(&key, bytes, kKeyBytes);
    if constexpr (std::endian::native == std::endian::big) key = __builtin_bswap64(key);
    integers_.push_back(key);
    records_.emplace_back(bytes, kKeyBytes);
    begin_ += kKeyBytes;
  }
  scanned_ = begin_;
  const size_t num_left = end_ - begin_;
  if (file_ended_ && num_left > 0 && num_left < kKeyBytes) {
    begin_ = scanned_ = end_;
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{}: byte {}: a raw64 key has 8 bytes, {} left", file_->name(),
                             file_bytes_ - num_left, num_left)};
  }
  return Ok();
}

Status KeyReader::AddHeader(std::string_view record) {
  if (!header_seen_) header_ = record;
  header_seen_ = true;
  if (options_.column_name.empty()) return Ok();
  if (options_.strip_cr && record.ends_with('\r')) record.remove_suffix(1);
  const std::optional<size_t> column_idx = ColumnIndex(record, options_.column_name);
  if (!column_idx) return At(fmt::format("no column named {}", Quoted(options_.column_name)));
  column_idx_ = *column_idx;
  return Ok();
}

Status KeyReader::AddRecord(std::string_view record) {
  if (options_.has_header && line_ == 1) return AddHeader(record);
  std::string_view key = record;
  if (options_.strip_cr && key.ends_with('\r')) key.remove_suffix(1);
  // An empty line is not a short row: it is skipped as an empty key is.
  if (key.empty() && !options_.keep_empty) {
    ++num_empty_;
    return Ok();
  }
  switch (options_.format) {
    case KeyFormat::kU64: {
      const Result<uint64_t> integer = ParseU64(key);
      if (!integer.ok()) return At(integer.error().message);
      integers_.push_back(*integer);
      break;
    }
    case KeyFormat::kHex: {
      char* const bytes = decoded_.data() + num_decoded_;
      const Result<size_t> num_bytes = DecodeHex(key, bytes);
      if (!num_bytes.ok()) return At(num_bytes.error().message);
      views_.emplace_back(bytes, *num_bytes);
      num_decoded_ += *num_bytes;
      break;
    }
    case KeyFormat::kTsv: {
      const std::optional<std::string_view> column = Column(key, column_idx_);
      if (!column) return At(fmt::format("no column {}: {}", column_idx_ + 1, Quoted(key)));
      if (column->empty() && !options_.keep_empty) {
        ++num_empty_;
        return Ok();
      }
      views_.push_back(*column);
      break;
    }
    default:
      if (!keys_are_records()) views_.push_back(key);
  }
  records_.push_back(record);
  return Ok();
}

}  // namespace trommel::tool
