#include "engine/src/files/file_writer.h"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>

#include "engine/src/base/check.h"
#include "engine/src/base/grouped_text.h"
#include "engine/src/base/rounding.h"

namespace trommel {
namespace {

constexpr size_t kGatheredBytes = size_t{1} << 16;

}  // namespace

void FileWriter::Begin(FileType type, const DigestPolicy& policy, uint64_t about_bytes) {
  status_ = CheckMetadata(metadata_);
  if (!ok()) return;
  sink_.Reserve(about_bytes + metadata_.size());
  AppendZeros(sizeof(FileHeader));
  header_ = {.magic = kFileMagic,
             .version = kContainerVersion,
             .header_bytes = sizeof(FileHeader),
             .type = static_cast<uint32_t>(type),
             .digest_kind = static_cast<uint32_t>(policy.kind),
             .seed = policy.seed,
             .file_bytes = 0,
             .num_sections = 0,
             .reserved = 0,
             .directory_checksum = 0,
             .checksum = 0};
  // A copy, so that the checksum is of what is written, whatever another thread writes meanwhile.
  Add(sections::kMetadata, 0, std::vector<std::byte>(metadata_.begin(), metadata_.end()));
}

void FileWriter::BeginSection(const SectionRow& row, uint32_t store) {
  const auto table = SectionsOf(static_cast<FileType>(header_.type));
  const size_t rank = RankOf(table, row.name);
  TROMMEL_CHECK(!ok() || rank < table.size(), "a section that files of the type do not have");
  TROMMEL_CHECK(
      directory_.empty() || std::tie(directory_.back().store, last_rank_) < std::tie(store, rank),
      "a section is not behind those that stand before it in the type's table");
  section_ = {.name = {},
              .store = store,
              .flags = row.flags,
              .offset = RoundUp(end_, AlignmentOf(row.flags)),
              .num_bytes = 0,
              .checksum = 0};
  std::ranges::copy(row.name, section_.name.begin());
  sum_ = Checksum();
}

void FileWriter::Append(std::span<const std::byte> bytes) {
  if (bytes.empty() || !ok()) return;
  if (end_ < section_.offset) AppendZeros(section_.offset - end_);
  section_.num_bytes += bytes.size();
  end_ += bytes.size();
  if (gathered_.size() + bytes.size() <= kGatheredBytes) {
    gathered_.insert(gathered_.end(), bytes.begin(), bytes.end());
    return;
  }
  Flush();
  while (!bytes.empty() && ok()) {
    const auto piece = bytes.first(std::min(bytes.size(), kPieceBytes));
    sum_.Add(piece);
    status_ = sink_.Append(piece);
    bytes = bytes.subspan(piece.size());
  }
}

void FileWriter::Flush() {
  if (gathered_.empty()) return;
  sum_.Add(gathered_);
  if (ok()) status_ = sink_.Append(gathered_);
  gathered_.clear();
}

void FileWriter::EndSection() {
  Flush();
  if (section_.num_bytes == 0 || !ok()) return;
  section_.checksum = sum_.Value();
  directory_.push_back(section_);
  last_rank_ = RankOf(SectionsOf(static_cast<FileType>(header_.type)), NameOf(section_));
}

void FileWriter::AppendZeros(uint64_t num_bytes) {
  static constexpr std::array<std::byte, kPageAlignment> kZeros{};
  if (ok()) status_ = sink_.Append(std::span(kZeros).first(num_bytes));
  end_ += num_bytes;
}

Status FileWriter::Finish() {
  if (!ok()) return status_;
  AppendZeros(RoundUp(end_, kSectionAlignment) - end_);
  const auto directory = std::as_bytes(std::span(directory_));
  if (ok()) status_ = sink_.Append(directory);
  if (!ok()) return status_;
  header_.file_bytes = end_ + directory.size();
  header_.num_sections = static_cast<uint32_t>(directory_.size());
  header_.directory_checksum = Checksum::Of(directory);
  header_.checksum = Checksum::Of(BytesOf(header_).first(offsetof(FileHeader, checksum)));
  return sink_.Overwrite(0, BytesOf(header_));
}

Status CheckMetadata(std::span<const std::byte> metadata) {
  if (metadata.size() <= kMaxMetadataBytes) return Ok();
  return Error{ErrorCode::kInvalidArgument, "metadata has " + GroupedText(metadata.size()) +
                                                " bytes; it may have at most 65,536"};
}

}  // namespace trommel
