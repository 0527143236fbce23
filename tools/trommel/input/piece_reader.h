// PieceReader: the tool's inputs as pieces of whole records, at disk or pipe speed. It looks only
// for where a piece can end; records and keys are found by others, several pieces at a time
// (key_batch.h).
#ifndef TROMMEL_TOOLS_PIECE_READER_H_
#define TROMMEL_TOOLS_PIECE_READER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/trommel/input/input_file.h"
#include "tools/trommel/input/key_format.h"
#include "trommel/result.h"

namespace trommel::tool {

// How much is read at a time. A piece grows for a record that does not fit.
struct ReaderLimits {
  // A piece, its records and digests fit a second-level cache; handing it on costs nothing beside.
  size_t block_bytes = size_t{1} << 18;
  size_t record_bytes = size_t{1} << 30;  // a longer record is an error: surely a wrong format
};

// Whole records of one file; the last one of a file may do without its terminator. A piece may be
// empty.
struct Piece {
  std::string_view text() const { return {buffer.data() + begin, end - begin}; }
  // "FILE:LINE" of a record of the text, whose records end in `terminator`; and "FILE:LINE:
  // 'RECORD'". Require line_before.
  std::string PlaceOf(std::string_view record, char terminator) const;
  std::string Naming(std::string_view record, char terminator) const;

  std::vector<char> buffer;  // reused from piece to piece
  size_t begin = 0;          // the header line, if any, is before it
  size_t end = 0;
  std::string file_name;
  bool is_first = false;    // of its file
  bool has_header = false;  // before the text, from header_begin on, behind comments
  size_t header_begin = 0;
  uint64_t num_header_lines = 0;  // of comments and header, before the text
  uint64_t line_before = 0;  // lines of its file before the text, as the stage that counts says
  std::string header;        // of the first file, in the piece behind it
  std::vector<std::string> notes;   // on how its file begins, for people
  std::vector<size_t> column_idxs;  // kTsv: the key's
  size_t time_column_idx = 0;       // kTsv: its time's, if there is one
  uint64_t num_bytes = 0;           // read for it
  bool is_input_idle = false;       // the next piece would have to wait for its input

  // What ends the inputs behind the text. It belongs to the line that begins there, or to none.
  std::optional<Error> error;
  bool is_error_of_line = false;
};

// Not thread-safe.
class PieceReader {
 public:
  // Paths are read one after the other; "-" is standard input, and so is an empty list. A file is
  // opened when its turn comes.
  PieceReader(std::vector<std::string> paths, const KeyOptions& options,
              const ReaderLimits& limits);

  // Makes the next piece; false at the end of all inputs, and after an error. It waits for input
  // only after records that were followed by a piece marked is_input_idle.
  bool Next(Piece& piece);

  // True if all records so far were followed by such a mark: Next may have to wait.
  bool is_idle() const noexcept { return is_idle_; }

 private:
  Status OpenNext(Piece& piece);
  Status Fill(Piece& piece);
  size_t EndOfRecords(const Piece& piece, size_t scanned, size_t num_bytes) const;
  // Judges how a file begins, of which the buffer has so many bytes: as soon as these reach to the
  // end of a record or are kStartBytes, or at the end of the file. Fails for what are no lines,
  // takes a byte order mark out of the buffer, and all of it if it has to be decompressed.
  Status JudgeStart(Piece& piece, size_t& num_bytes);
  Status EndFile(Piece& piece, size_t num_bytes);
  void TakeHeader(Piece& piece);
  // Finds where the columns are by the header. Fails for a name that is not there, and for a column
  // of the key that is chosen twice.
  Status FindColumns(std::string_view names);

  const std::vector<std::string> paths_;
  const KeyOptions options_;
  const ReaderLimits limits_;

  size_t next_path_idx_ = 0;
  std::optional<InputFile> file_;
  uint64_t file_bytes_ = 0;     // read of this file
  bool awaits_start_ = false;   // of this file: how it begins was not judged yet
  bool awaits_header_ = false;  // of this file
  bool header_seen_ = false;    // of any
  std::vector<size_t> column_idxs_;
  size_t time_column_idx_ = 0;
  bool is_idle_ = true;
  bool has_failed_ = false;
  std::vector<char> begun_;  // the record that the next piece begins with, as far as it was read
};

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_PIECE_READER_H_
