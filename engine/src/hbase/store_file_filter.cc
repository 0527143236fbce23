#include "trommel/hbase/store_file_filter.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/src/base/check.h"

namespace trommel::hbase {

StoreFileFilter::StoreFileFilter(uint64_t num_cells, std::optional<CompoundFilter> general,
                                 uint64_t num_deletions,
                                 std::optional<CompoundFilter> delete_family)
    : num_cells_(num_cells),
      num_deletions_(num_deletions),
      general_(std::move(general)),
      delete_family_(std::move(delete_family)) {}

bool StoreFileFilter::MayHoldRow(std::string_view row) const {
  if (is_empty()) return false;
  return !general_ || general_->MayContainRow(row);
}

bool StoreFileFilter::MayHold(CellName cell) const {
  if (is_empty()) return false;
  return !general_ || general_->MayContain(cell);
}

bool StoreFileFilter::MayHoldRange(std::string_view start, std::string_view stop) const {
  if (is_empty()) return false;
  if (!general_ || general_->type() != BloomType::kRowPrefixFixedLength) return true;
  const std::string_view prefix = RowPrefix(start, general_->prefix_length());
  // A shorter row, or another prefix of `stop`: keys of several prefixes lie between them.
  if (prefix.size() < general_->prefix_length() || !stop.starts_with(prefix)) return true;
  return general_->MayContainRow(prefix);
}

bool StoreFileFilter::MayHoldDeleteFamily(std::string_view row) const {
  if (num_deletions_ == 0) return false;
  return !delete_family_ || delete_family_->MayContainRow(row);
}

uint64_t StoreFileFilter::num_bytes() const noexcept {
  return (general_ ? general_->num_bytes() : 0) +
         (delete_family_ ? delete_family_->num_bytes() : 0);
}

Result<StoreFileFilterWriter> StoreFileFilterWriter::Create(const FilterOptions& options) {
  StoreFileFilterWriter writer;
  if (options.type != BloomType::kNone) {
    auto general = CompoundFilterWriter::Create(options);
    if (!general.ok()) return general.error();
    writer.general_ = std::move(general).value();
  }
  if (options.type != BloomType::kRowCol) {
    FilterOptions of_rows = options;
    of_rows.type = BloomType::kRow;
    auto delete_family = CompoundFilterWriter::Create(of_rows);
    if (!delete_family.ok()) return delete_family.error();
    writer.delete_family_ = std::move(delete_family).value();
  }
  return writer;
}

Status StoreFileFilterWriter::Append(CellName cell) {
  if (general_) {
    if (Status added = general_->Append(cell); !added.ok()) return added;
  }
  ++file_.num_cells_;
  return Ok();
}

Status StoreFileFilterWriter::AppendDeleteFamily(std::string_view row) {
  if (Status added = Append({row, {}}); !added.ok()) return added;
  ++file_.num_deletions_;
  return delete_family_ ? delete_family_->Append({row, {}}) : Ok();
}

StoreFileFilter StoreFileFilterWriter::Finish() && {
  if (general_ && general_->num_keys() > 0) file_.general_ = std::move(*general_).Finish();
  if (delete_family_ && delete_family_->num_keys() > 0) {
    file_.delete_family_ = std::move(*delete_family_).Finish();
  }
  return std::move(file_);
}

namespace {

// What keys a group of files has: all its filters hash the same bytes.
struct KeyForm {
  BloomType type;
  uint32_t prefix_length;
  friend bool operator==(const KeyForm&, const KeyForm&) = default;
};

// The files' forms, each once, and which one each file has; kNoForm for files that are decided
// without a key.
struct Forms {
  static constexpr size_t kNoForm = ~size_t{0};
  std::vector<KeyForm> forms;
  std::vector<size_t> of_file;

  explicit Forms(std::span<const StoreFileFilter* const> files) {
    for (const StoreFileFilter* file : files) {
      TROMMEL_CHECK(file != nullptr, "a file is null");
      const CompoundFilter* general = file->general();
      if (general == nullptr) {
        of_file.push_back(kNoForm);
        continue;
      }
      const KeyForm form{general->type(), general->prefix_length()};
      const auto found = std::ranges::find(forms, form);
      of_file.push_back(static_cast<size_t>(found - forms.begin()));
      if (found == forms.end()) forms.push_back(form);
    }
  }
};

template <class CellAt>
size_t Prune(std::span<const StoreFileFilter* const> files, size_t num_gets, bool by_row,
             const CellAt& cell_at, std::span<uint64_t> maybe_held) {
  const size_t num_words = PrunedWords(files.size());
  TROMMEL_CHECK(maybe_held.size() >= num_gets * num_words, "maybe_held is too small");
  std::ranges::fill(maybe_held, 0);
  const Forms forms(files);
  std::vector<CellProbe> probes(forms.forms.size());
  std::string scratch;
  size_t num_held = 0;
  for (size_t i = 0; i < num_gets; ++i) {
    const CellName cell = cell_at(i);
    for (size_t form = 0; form < probes.size(); ++form) {
      const auto& [type, prefix_length] = forms.forms[form];
      probes[form] = ProbeFor(type, prefix_length, cell, scratch);
    }
    for (size_t f = 0; f < files.size(); ++f) {
      const CompoundFilter* filter = files[f]->general();
      bool held = !files[f]->is_empty();
      if (filter != nullptr && held) {
        held = by_row && filter->type() == BloomType::kRowCol
                   ? filter->MayContainRow(cell.row)
                   : filter->ShowsProbe(probes[forms.of_file[f]]);
      }
      maybe_held[i * num_words + f / 64] |= static_cast<uint64_t>(held) << (f % 64);
      num_held += held;
    }
  }
  return num_held;
}

}  // namespace

size_t PruneFilesByRow(std::span<const StoreFileFilter* const> files,
                       std::span<const std::string_view> rows, std::span<uint64_t> maybe_held) {
  return Prune(
      files, rows.size(), true,
      [&](size_t i) {
        return CellName{rows[i], {}};
      },
      maybe_held);
}

size_t PruneFilesByCell(std::span<const StoreFileFilter* const> files,
                        std::span<const CellName> cells, std::span<uint64_t> maybe_held) {
  return Prune(
      files, cells.size(), false, [&](size_t i) { return cells[i]; }, maybe_held);
}

}  // namespace trommel::hbase
