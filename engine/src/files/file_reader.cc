// Files: read, and believed step by step. The order of the checks tells damage from what a later
// library wrote.
#include "engine/src/files/file_reader.h"

#include <array>
#include <cstring>
#include <tuple>

#include "engine/src/base/grouped_text.h"
#include "engine/src/base/rounding.h"
#include "engine/src/keys/digest_policy.h"

namespace trommel {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 16;

// What stands in the header of files that were made before 0.1, beside a version of 1 to 3.
constexpr uint32_t kHeaderBytesBefore = 256;
constexpr uint32_t kLastVersionBefore = 3;

// Magic and version: what every version keeps.
Status CheckBeginning(const FileHeader& header, uint64_t num_bytes) {
  const size_t magic_bytes = std::min<uint64_t>(num_bytes, kFileMagic.size());
  const auto found = std::span(header.magic).first(magic_bytes);
  const auto same =
      static_cast<size_t>(std::ranges::mismatch(found, kFileMagic).in1 - found.begin());
  if (same < std::min<size_t>(magic_bytes, 4)) {
    return Error{ErrorCode::kCorrupt, "not a Trommel file (bad magic)"};
  }
  if (same < magic_bytes) {
    return CorruptAt(same, "line ends were translated: this file was copied as text");
  }
  if (num_bytes < offsetof(FileHeader, type)) return Ok();
  if (header.version >= 1 && header.version <= kLastVersionBefore &&
      header.header_bytes == kHeaderBytesBefore) {
    return Error{ErrorCode::kVersion, "made by a version before 0.1: build it again"};
  }
  if (header.version == kContainerVersion) return Ok();
  return Error{ErrorCode::kVersion, "file of container version " + std::to_string(header.version) +
                                        "; this library reads 1"};
}

Status CheckZeros(const ByteSource& source, uint64_t begin, uint64_t end) {
  std::array<std::byte, kPageAlignment> buffer;
  const auto gap = std::span(buffer).first(end - begin);
  if (Status read = source.ReadAt(begin, gap); !read.ok()) return read;
  const auto stray = std::ranges::find_if(gap, [](std::byte byte) { return byte != std::byte{0}; });
  if (stray == gap.end()) return Ok();
  return CorruptAt(begin + static_cast<uint64_t>(stray - gap.begin()), "padding is not zero");
}

// One to 16 of a-z, 0-9 and _, then zeros.
bool IsName(const SectionRecord& record) {
  const std::string_view name = NameOf(record);
  const auto is_of_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && std::ranges::all_of(name, is_of_name) &&
         std::all_of(record.name.begin() + static_cast<std::ptrdiff_t>(name.size()),
                     record.name.end(), [](char c) { return c == '\0'; });
}

std::string Quoted(const SectionRecord& record) {
  std::string name = "section '" + std::string(NameOf(record)) + "'";
  if (record.store != 0) name += " of store " + std::to_string(record.store);
  return name;
}

}  // namespace

// --- Sections.

std::string FileSection::Name() const { return Quoted(record_); }

Error FileSection::CorruptAt(uint64_t at, std::string_view what) const {
  return trommel::CorruptAt(record_.offset + at, Name() + ": " + std::string(what));
}

Status FileSection::CheckBytes(uint64_t wanted) const {
  if (num_bytes() == wanted) return Ok();
  if (num_bytes() == 0) return trommel::CorruptAt(record_.offset, Name() + " is missing");
  return trommel::CorruptAt(record_.offset, Name() + " has " + GroupedText(num_bytes()) +
                                                " bytes, where " + GroupedText(wanted) +
                                                " are wanted");
}

Status FileSection::ReadInto(std::span<std::byte> into) const {
  if (into.empty()) return Ok();
  Checksum sum;
  for (uint64_t done = 0; done < into.size();) {
    const auto piece = into.subspan(done, std::min<uint64_t>(into.size() - done, kPieceBytes));
    if (Status read = source_->ReadAt(record_.offset + done, piece); !read.ok()) return read;
    sum.Add(piece);
    done += piece.size();
  }
  return CheckSum(sum.Value());
}

Status FileSection::CheckSum(uint64_t checksum) const {
  if (num_bytes() == 0 || checksum == record_.checksum) return Ok();
  return trommel::CorruptAt(record_.offset, Name() + " (" + GroupedText(num_bytes()) +
                                                " bytes) does not match its checksum");
}

Status FileSection::CheckSum() const {
  std::vector<std::byte> buffer(std::min<uint64_t>(num_bytes(), kPieceBytes));
  Checksum sum;
  for (uint64_t done = 0; done < num_bytes();) {
    const auto piece =
        std::span(buffer).first(std::min<uint64_t>(num_bytes() - done, buffer.size()));
    if (Status read = source_->ReadAt(record_.offset + done, piece); !read.ok()) return read;
    sum.Add(piece);
    done += piece.size();
  }
  return CheckSum(sum.Value());
}

Status SectionStream::Fill() {
  buffer_.resize(std::min<uint64_t>(section_.num_bytes() - filled_, kBufferBytes));
  used_ = 0;
  Status read = section_.source().ReadAt(section_.record().offset + filled_, buffer_);
  if (!read.ok()) return read;
  sum_.Add(buffer_);
  filled_ += buffer_.size();
  return Ok();
}

Status SectionStream::Read(std::span<std::byte> into) {
  if (into.size() > left()) return Fail(at_, "ends within an entry");
  at_ += into.size();
  while (!into.empty()) {
    if (used_ == buffer_.size()) {
      if (Status filled = Fill(); !filled.ok()) return filled;
    }
    const size_t size = std::min(into.size(), buffer_.size() - used_);
    std::memcpy(into.data(), buffer_.data() + used_, size);
    used_ += size;
    into = into.subspan(size);
  }
  return Ok();
}

Error SectionStream::Fail(uint64_t entry_at, std::string_view what) {
  while (filled_ < section_.num_bytes()) {
    if (Status filled = Fill(); !filled.ok()) return filled.error();
  }
  if (Status holds = End(); !holds.ok()) return holds.error();
  return section_.CorruptAt(entry_at, what);
}

// --- The file.

Result<FileReader> FileReader::Open(const ByteSource& source) {
  FileReader file(source);
  if (Status read = file.ReadHeader(); !read.ok()) return read.error();
  if (Status read = file.ReadDirectory(); !read.ok()) return read.error();
  return file;
}

Status FileReader::ReadHeader() {
  const uint64_t num_bytes = source_->num_bytes();
  const auto all = std::as_writable_bytes(std::span(&header_, 1));
  const auto header = all.first(std::min<uint64_t>(num_bytes, all.size()));
  if (Status read = source_->ReadAt(0, header); !read.ok()) return read;
  if (Status known = CheckBeginning(header_, num_bytes); !known.ok()) return known;
  if (num_bytes < sizeof(FileHeader)) {
    return Error{ErrorCode::kCorrupt, "file is " + GroupedText(num_bytes) +
                                          " bytes, and its header alone takes 64: truncated?"};
  }
  if (header_.checksum != Checksum::Of(all.first(offsetof(FileHeader, checksum)))) {
    return CorruptAt(offsetof(FileHeader, checksum), "the header does not match its checksum");
  }
  if (header_.header_bytes != sizeof(FileHeader)) {
    return CorruptAt(offsetof(FileHeader, header_bytes), "the header is not 64 bytes long");
  }
  if (header_.reserved != 0) {
    return CorruptAt(offsetof(FileHeader, reserved), "reserved bytes are not zero");
  }
  if (header_.file_bytes != num_bytes) {
    return Error{ErrorCode::kCorrupt, "file is " + GroupedText(num_bytes) +
                                          " bytes, its header says " +
                                          GroupedText(header_.file_bytes) +
                                          (num_bytes < header_.file_bytes ? ": truncated?" : "")};
  }
  if (SectionsOf(type()).empty()) {
    return UnknownAt(offsetof(FileHeader, type), "the type", header_.type,
                     "1 (counting filter), 2 (scalable filter), 3 (window filter), 6 (attribute "
                     "filter), 7 (column of a map) and 8 (directory of an index)");
  }
  if (header_.digest_kind > static_cast<uint32_t>(kLastDigestKind)) {
    return UnknownAt(offsetof(FileHeader, digest_kind), "the digest kind", header_.digest_kind,
                     "0 (xxh64), 1 (xxh3), 2 (caller) and 3 (siphash)");
  }
  return Ok();
}

Status FileReader::ReadDirectory() {
  const uint64_t most = (header_.file_bytes - sizeof(FileHeader)) / sizeof(SectionRecord);
  if (header_.num_sections == 0 || header_.num_sections > most) {
    return CorruptAt(offsetof(FileHeader, num_sections),
                     std::to_string(header_.num_sections) + " sections in a file of " +
                         GroupedText(header_.file_bytes) + " bytes");
  }
  directory_.resize(header_.num_sections);
  const auto bytes = std::as_writable_bytes(std::span(directory_));
  if (Status read = source_->ReadAt(directory_at(), bytes); !read.ok()) return read;
  if (header_.directory_checksum != Checksum::Of(bytes)) {
    return CorruptAt(directory_at(), "the directory does not match its checksum");
  }
  known_.reserve(directory_.size());
  uint64_t end = sizeof(FileHeader);
  for (size_t i = 0; i < directory_.size(); ++i) {
    if (Status good = CheckRecord(i, end); !good.ok()) return good;
    end = directory_[i].offset + directory_[i].num_bytes;
  }
  if (RoundUp(end, kSectionAlignment) == directory_at()) return Ok();
  return CorruptAt(directory_at(), "the directory is not right behind the last section");
}

Status FileReader::CheckRecord(size_t idx, uint64_t end) {
  const SectionRecord& record = directory_[idx];
  const uint64_t at = directory_at() + idx * sizeof(SectionRecord);
  if (!IsName(record))
    return CorruptAt(at, "a section's name has other characters than a-z, 0-9, _");
  const std::string name = Quoted(record);
  if ((record.flags & ~kKnownFlags) != 0) {
    return UnknownAt(at + offsetof(SectionRecord, flags), "the flags of " + name, record.flags,
                     "0 to 3");
  }
  const std::span<const SectionRow> table = SectionsOf(type());
  const size_t rank = RankOf(table, NameOf(record));
  const bool is_known = rank < table.size();
  if (!is_known && (record.flags & kSkippableFlag) == 0) {
    return Error{ErrorCode::kVersion, "file of a later version: at byte " + std::to_string(at) +
                                          " it has the " + name +
                                          ", which this library does not know"};
  }
  const uint64_t offset = RoundUp(end, AlignmentOf(record.flags));
  if (record.offset != offset || record.num_bytes == 0 || offset > directory_at() ||
      record.num_bytes > directory_at() - offset) {
    return CorruptAt(at + offsetof(SectionRecord, offset),
                     name + " has " + GroupedText(record.num_bytes) + " bytes at byte " +
                         GroupedText(record.offset) + ", where its place is byte " +
                         GroupedText(offset) + ", before the directory at byte " +
                         GroupedText(directory_at()));
  }
  if (!is_known) return Ok();
  const SectionRow& row = table[rank];
  if (record.flags != row.flags || row.is_of_store != (record.store != 0)) {
    return CorruptAt(at, name + " has flags or a store that such a section does not have");
  }
  if (record.num_bytes % row.entry_bytes != 0 || record.num_bytes > row.most_bytes) {
    return CorruptAt(at + offsetof(SectionRecord, num_bytes),
                     name + " has " + GroupedText(record.num_bytes) +
                         " bytes, which such a section does not have");
  }
  const Known known{record.store, static_cast<uint32_t>(rank), static_cast<uint32_t>(idx), false};
  if (!known_.empty() &&
      std::tie(known_.back().store, known_.back().rank) >= std::tie(known.store, known.rank)) {
    return CorruptAt(at, name + " is not behind those that stand before it in files of its type");
  }
  known_.push_back(known);
  return Ok();
}

Status FileReader::CheckType(FileType wanted) const {
  if (type() == wanted) return Ok();
  return Error{ErrorCode::kMismatch, "this is the file of " + std::string(FileTypeName(type())) +
                                         ", not of " + std::string(FileTypeName(wanted))};
}

Result<DigestPolicy> FileReader::Policy(const DigestKey& digest_key) const {
  return PolicyOfFile(header_.digest_kind, header_.seed, digest_key);
}

size_t FileReader::Find(const SectionRow& row, uint32_t store) const {
  const auto rank = static_cast<uint32_t>(RankOf(SectionsOf(type()), row.name));
  const auto at = std::ranges::lower_bound(
      known_, std::tuple(store, rank), {},
      [](const Known& known) { return std::tuple(known.store, known.rank); });
  const bool is_found = at != known_.end() && at->store == store && at->rank == rank;
  return is_found ? static_cast<size_t>(at - known_.begin()) : known_.size();
}

FileSection FileReader::Take(const SectionRow& row, uint32_t store) {
  const size_t idx = Find(row, store);
  if (idx < known_.size()) {
    known_[idx].is_taken = true;
    return {*source_, directory_[known_[idx].record_idx]};
  }
  SectionRecord none{.name = {},
                     .store = store,
                     .flags = row.flags,
                     .offset = directory_at(),
                     .num_bytes = 0,
                     .checksum = 0};
  std::ranges::copy(row.name, none.name.begin());
  return {*source_, none};
}

Status FileReader::CheckRest() {
  const std::span<const SectionRow> table = SectionsOf(type());
  uint64_t end = sizeof(FileHeader);
  for (const SectionRecord& record : directory_) {
    if (Status zero = CheckZeros(*source_, end, record.offset); !zero.ok()) return zero;
    end = record.offset + record.num_bytes;
    if (RankOf(table, NameOf(record)) < table.size()) continue;
    if (Status holds = FileSection(*source_, record).CheckSum(); !holds.ok()) return holds;
  }
  if (Status zero = CheckZeros(*source_, end, directory_at()); !zero.ok()) return zero;
  return Take(sections::kMetadata).CheckSum();
}

Status FileReader::CheckAllTaken() const {
  for (const Known& known : known_) {
    if (known.is_taken) continue;
    const SectionRecord& record = directory_[known.record_idx];
    return CorruptAt(record.offset, Quoted(record) + " does not belong to such a filter");
  }
  return Ok();
}

}  // namespace trommel
