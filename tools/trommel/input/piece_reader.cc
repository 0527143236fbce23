// PieceReader: read a block, cut behind its last terminator, keep the rest for the next piece.
//
//   buffer  [ begun before | whole records ... | begun record |  free  ]
//                                             end
#include "tools/trommel/input/piece_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <utility>

#include "tools/trommel/input/input_kind.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {

std::string Piece::PlaceOf(std::string_view record, char terminator) const {
  const auto line =
      line_before + 1 + static_cast<uint64_t>(std::count(text().data(), record.data(), terminator));
  return fmt::format("{}:{}", file_name, line);
}

std::string Piece::Naming(std::string_view record, char terminator) const {
  return fmt::format("{}: {}", PlaceOf(record, terminator), Quoted(record));
}

PieceReader::PieceReader(std::vector<std::string> paths, const KeyOptions& options,
                         const ReaderLimits& limits)
    : paths_(paths.empty() ? std::vector<std::string>{"-"} : std::move(paths)),
      options_(options),
      limits_(limits),
      time_column_idx_(options.time_column.value_or(ColumnChoice{}).idx) {
  for (const ColumnChoice& column : options.columns) column_idxs_.push_back(column.idx);
}

bool PieceReader::Next(Piece& piece) {
  piece.begin = piece.end = 0;
  piece.is_first = piece.has_header = piece.is_input_idle = piece.is_error_of_line = false;
  piece.num_header_lines = 0;
  piece.header.clear();
  piece.notes.clear();
  piece.num_bytes = 0;
  piece.error.reset();
  if (has_failed_ || (!file_ && next_path_idx_ == paths_.size())) return false;
  Status made = file_ ? Ok() : OpenNext(piece);
  if (made.ok()) made = Fill(piece);
  if (!made.ok()) {
    piece.error = made.error();
    has_failed_ = true;
  }
  if (awaits_header_ && piece.end > 0) TakeHeader(piece);
  piece.column_idxs = column_idxs_;
  piece.time_column_idx = time_column_idx_;
  return true;
}

Status PieceReader::OpenNext(Piece& piece) {
  Result<InputFile> file = InputFile::Open(paths_[next_path_idx_++]);
  if (!file.ok()) return file.error();
  file_ = std::move(file).value();
  file_bytes_ = 0;
  awaits_start_ = options_.format != KeyFormat::kRaw64 && !options_.as_lines;
  awaits_header_ = options_.has_header;
  piece.is_first = true;
  return Ok();
}

Status PieceReader::Fill(Piece& piece) {
  piece.file_name = file_->name();
  // At least half of the buffer is free, unless only a record near the limit would fit.
  size_t room = std::max<size_t>(limits_.block_bytes, 1);
  while (room < 2 * begun_.size() && room < limits_.record_bytes) room *= 2;
  // What one long record took is given back.
  if (piece.buffer.size() > 4 * room) std::vector<char>().swap(piece.buffer);
  if (piece.buffer.size() < room) piece.buffer.resize(room);
  std::copy(begun_.begin(), begun_.end(), piece.buffer.begin());
  size_t num_bytes = begun_.size();
  begun_.clear();

  for (;;) {
    if (num_bytes == room) {
      if (num_bytes >= limits_.record_bytes) {
        piece.is_error_of_line = true;
        return Error{ErrorCode::kInvalidArgument,
                     fmt::format("no end of record within {} bytes: another format?", num_bytes)};
      }
      room *= 2;
      piece.buffer.resize(std::max(room, piece.buffer.size()));
    }
    // Keys may be typed: their answers are due before this waits for more.
    if (!is_idle_ && !file_->HasMoreNow()) break;
    // No more than a decompressor can be handed back, as long as it may need to be.
    const size_t most = awaits_start_ ? std::min(room, kStartBytes) : room;
    const Result<size_t> num_read =
        file_->Read(std::span(piece.buffer).subspan(num_bytes, most - num_bytes));
    if (!num_read.ok()) return num_read.error();
    if (*num_read == 0) {
      const size_t num_left = piece.end = num_bytes;
      if (Status judged = JudgeStart(piece, num_bytes); !judged.ok()) return judged;
      if (num_left > 0 && num_bytes == 0) continue;  // behind it is what it decompresses to
      return EndFile(piece, num_bytes);
    }
    const size_t scanned = num_bytes;
    num_bytes += *num_read;
    piece.num_bytes += *num_read;
    file_bytes_ += *num_read;
    piece.end = EndOfRecords(piece, scanned, num_bytes);
    if (Status judged = JudgeStart(piece, num_bytes); !judged.ok()) return judged;
    if (piece.end > 0) break;
  }
  const char* const buffer = piece.buffer.data();
  begun_.assign(buffer + piece.end, buffer + num_bytes);
  is_idle_ = piece.is_input_idle = !file_->HasMoreNow();
  return Ok();
}

size_t PieceReader::EndOfRecords(const Piece& piece, size_t scanned, size_t num_bytes) const {
  if (options_.format == KeyFormat::kRaw64) return num_bytes - num_bytes % sizeof(uint64_t);
  const std::string_view news(piece.buffer.data() + scanned, num_bytes - scanned);
  const size_t last = news.rfind(Terminator(options_.format));
  return last == std::string_view::npos ? 0 : scanned + last + 1;
}

Status PieceReader::JudgeStart(Piece& piece, size_t& num_bytes) {
  if (!awaits_start_ || (piece.end == 0 && num_bytes < kStartBytes)) return Ok();
  awaits_start_ = false;
  const std::string_view start(piece.buffer.data(), num_bytes);
  const bool are_lines = options_.format != KeyFormat::kNul;
  const InputKind kind = are_lines ? KindOfInput(start) : KindOfNulRecords(start);
  const bool was_compressed = file_->is_decompressed();
  if (FindCompressed(kind) != nullptr && !was_compressed) {
    awaits_start_ = true;  // of what it decompresses to
    piece.end = 0;
    piece.num_bytes = file_bytes_ = 0;
    return file_->Decompress(kind, start.substr(0, std::exchange(num_bytes, 0)));
  }
  if (kind != InputKind::kText) {
    piece.end = 0;
    return Error{ErrorCode::kInvalidArgument, RefusalOf(kind, piece.file_name, ProgramName(),
                                                        options_.are_rows, was_compressed)};
  }
  const bool keeps_cr = are_lines && options_.format != KeyFormat::kHosts && !options_.strip_cr;
  if (keeps_cr && HasOnlyCrLf(start.substr(0, piece.end))) {
    piece.notes.push_back(
        fmt::format("{}: lines end in CR LF, and the CR is taken as part of them: --crlf strips it",
                    piece.file_name));
  }
  if (start.starts_with(kUtf8Mark)) {
    piece.notes.push_back(
        fmt::format("{}: skipped the byte order mark before the first line", piece.file_name));
    std::copy(start.begin() + kUtf8Mark.size(), start.end(), piece.buffer.begin());
    num_bytes -= kUtf8Mark.size();
    piece.end -= std::min(piece.end, kUtf8Mark.size());
  }
  return Ok();
}

Status PieceReader::EndFile(Piece& piece, size_t num_bytes) {
  const std::string name = file_->name();
  file_.reset();
  piece.end = num_bytes;
  if (num_bytes > 0) is_idle_ = false;
  if (options_.format != KeyFormat::kRaw64 || num_bytes == 0) return Ok();
  // Whole keys were handed on as they came: what is left is no key.
  piece.end = 0;
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("{}: byte {}: a raw64 key has 8 bytes, {} left", name,
                           file_bytes_ - num_bytes, num_bytes)};
}

void PieceReader::TakeHeader(Piece& piece) {
  std::string_view header = piece.text();
  size_t begin = 0;
  while (IsComment(header, options_.comment)) {
    begin += std::min(header.find('\n'), header.size() - 1) + 1;
    header = piece.text().substr(begin);
    ++piece.num_header_lines;
  }
  if (header.empty()) {  // comments alone, which are skipped as others are
    piece.num_header_lines = 0;
    return;
  }
  awaits_header_ = false;
  header = header.substr(0, header.find('\n'));
  if (!header_seen_) piece.header = header;
  header_seen_ = true;
  std::string_view names = header;
  if (options_.strip_cr && names.ends_with('\r')) names.remove_suffix(1);
  if (Status found = FindColumns(names); !found.ok()) {
    piece.error = found.error();
    piece.is_error_of_line = true;
    piece.end = 0;
    has_failed_ = true;
    return;
  }
  ++piece.num_header_lines;
  piece.has_header = true;
  piece.header_begin = begin;
  piece.begin = std::min(begin + header.size() + 1, piece.end);
}

Status PieceReader::FindColumns(std::string_view names) {
  const auto find = [&](const ColumnChoice& column, size_t& column_idx) -> Status {
    if (column.name.empty()) return Ok();
    const std::optional<size_t> found = ColumnIndex(names, column.name);
    if (!found) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("no column named {}", Quoted(column.name))};
    }
    column_idx = *found;
    return Ok();
  };
  for (size_t i = 0; i < column_idxs_.size(); ++i) {
    if (Status found = find(options_.columns[i], column_idxs_[i]); !found.ok()) return found;
    const auto key = std::span(column_idxs_).first(i);
    if (std::ranges::find(key, column_idxs_[i]) != key.end()) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("column {} is chosen twice for the key", column_idxs_[i] + 1)};
    }
  }
  return options_.time_column ? find(*options_.time_column, time_column_idx_) : Ok();
}

}  // namespace trommel::tool
