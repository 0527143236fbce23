#include "bench/paper/reads/region.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

namespace trommel::paper {
namespace {

// A row's key. The view is of the object.
class RowKey {
 public:
  explicit RowKey(uint64_t row) {
    for (size_t i = 0; i < bytes_.size(); ++i) {
      bytes_[i] = static_cast<char>(row >> (8 * (bytes_.size() - 1 - i)));
    }
  }
  std::string_view view() const { return {bytes_.data(), bytes_.size()}; }

 private:
  std::array<char, 8> bytes_ = {};
};

}  // namespace

uint64_t RowsPerBlock(const RegionOptions& options) {
  return (options.block_bytes + options.row_bytes - 1) / options.row_bytes;
}

void Region::Put(uint64_t row) {
  memstore_.insert(row);
  if (memstore_.size() == options_.flush_rows) Flush();
}

void Region::Flush() {
  if (memstore_.empty()) return;
  files_.push_back(MakeFile({memstore_.begin(), memstore_.end()}));
  memstore_.clear();
  CompactLatest();
}

Region::File Region::MakeFile(std::vector<uint64_t> rows) {
  auto writer = hbase::StoreFileFilterWriter::Create(options_.filter).value();
  for (const uint64_t row : rows) {
    // Rows ascend, so this cannot fail.
    static_cast<void>(writer.Append({RowKey(row).view(), "q"}).value());
  }
  return {next_id_++, std::move(rows), std::move(writer).Finish()};
}

void Region::CompactLatest() {
  auto first = files_.end();
  while (first != files_.begin() && std::prev(first)->rows.size() < options_.largest_file_rows) {
    --first;
  }
  if (static_cast<uint64_t>(files_.end() - first) < options_.files_to_merge) return;
  std::vector<uint64_t> rows;
  for (auto file = first; file != files_.end(); ++file) {
    std::vector<uint64_t> merged;
    merged.reserve(rows.size() + file->rows.size());
    std::ranges::set_union(rows, file->rows, std::back_inserter(merged));
    rows = std::move(merged);
    cache_.Drop(file->id);
  }
  files_.erase(first, files_.end());
  files_.push_back(MakeFile(std::move(rows)));
  ++num_merges_;
}

bool Region::MayHold(const File& file, uint64_t row) {
  const RowKey key(row);
  if (const hbase::CompoundFilter* filter = file.filter.general()) {
    const size_t chunk = filter->ChunkOf({key.view(), {}});
    if (chunk < filter->num_chunks()) {
      ++counts_.num_meta_blocks;
      counts_.num_meta_loads +=
          !cache_.Read({file.id, BlockKind::kMeta, chunk}, filter->chunk(chunk).size());
    }
  }
  return file.filter.MayHoldRow(key.view());
}

void Region::Get(uint64_t row) {
  ++counts_.num_gets;
  const uint64_t rows_per_block = RowsPerBlock(options_);
  for (const File& file : files_) {
    if (row < file.rows.front() || row > file.rows.back()) continue;
    ++counts_.num_in_range;
    if (!MayHold(file, row)) {
      ++counts_.num_skipped;
      continue;
    }
    // The block index has each block's first row; it is in memory since the file was opened.
    const auto behind = std::ranges::upper_bound(file.rows, row);
    const auto last = static_cast<uint64_t>(behind - file.rows.begin()) - 1;
    const uint64_t block = last / rows_per_block;
    const uint64_t num_rows =
        std::min<uint64_t>(rows_per_block, file.rows.size() - block * rows_per_block);
    ++counts_.num_data_blocks;
    counts_.num_data_loads +=
        !cache_.Read({file.id, BlockKind::kData, block}, num_rows * options_.row_bytes);
    counts_.num_found += file.rows[last] == row;
  }
}

std::vector<uint64_t> Region::Prune(std::span<const uint64_t> rows) const {
  std::vector<const hbase::StoreFileFilter*> filters;
  for (const File& file : files_) filters.push_back(&file.filter);
  std::vector<RowKey> keys;
  std::vector<std::string_view> views;
  keys.reserve(rows.size());
  for (const uint64_t row : rows) views.push_back(keys.emplace_back(row).view());
  std::vector<uint64_t> maybe_held(rows.size() * hbase::PrunedWords(files_.size()));
  hbase::PruneFilesByRow(filters, views, maybe_held);
  return maybe_held;
}

uint64_t Region::num_rows() const {
  uint64_t sum = 0;
  for (const File& file : files_) sum += file.rows.size();
  return sum;
}

uint64_t Region::num_filter_bytes() const {
  uint64_t sum = 0;
  for (const File& file : files_) sum += file.filter.num_bytes();
  return sum;
}

std::vector<Region::FileShape> Region::Shapes() const {
  const uint64_t rows_per_block = RowsPerBlock(options_);
  std::vector<FileShape> shapes;
  for (const File& file : files_) {
    const hbase::CompoundFilter* filter = file.filter.general();
    shapes.push_back({.num_rows = file.rows.size(),
                      .num_blocks = (file.rows.size() + rows_per_block - 1) / rows_per_block,
                      .num_chunks = filter == nullptr ? 0 : filter->num_chunks(),
                      .num_filter_bytes = file.filter.num_bytes()});
  }
  return shapes;
}

double Region::FilterFpr() const {
  double sum = 0;
  for (const File& file : files_) {
    const hbase::CompoundFilter* filter = file.filter.general();
    if (filter == nullptr) {
      sum += 1;
      continue;
    }
    // A random row falls into a chunk as often as the file's own rows do.
    std::vector<double> of_chunks;
    for (size_t c = 0; c < filter->num_chunks(); ++c) of_chunks.push_back(filter->FprOfChunk(c));
    double of_file = 0;
    for (const uint64_t row : file.rows) {
      of_file += of_chunks[filter->ChunkOf({RowKey(row).view(), {}})];
    }
    sum += of_file / static_cast<double>(file.rows.size());
  }
  return sum / static_cast<double>(files_.size());
}

uint64_t ExpectedFiles(const RegionOptions& options, uint64_t num_flushes) {
  // The first merge takes files_to_merge flushes, each further one the merged file and one flush
  // less, until the file is large.
  const uint64_t k = options.files_to_merge;
  uint64_t flushes_of_large = k;
  while (flushes_of_large * options.flush_rows < options.largest_file_rows) {
    flushes_of_large += k - 1;
  }
  const uint64_t num_large = num_flushes / flushes_of_large;
  const uint64_t rest = num_flushes % flushes_of_large;
  return num_large + (rest < k ? rest : 1 + (rest - k) % (k - 1));
}

std::vector<BlockClass> ExpectedReads(const RegionOptions& options,
                                      std::span<const Region::FileShape> files, double fpr,
                                      bool are_members) {
  double num_rows = 0;
  for (const Region::FileShape& file : files) num_rows += static_cast<double>(file.num_rows);
  std::vector<BlockClass> classes;
  for (const Region::FileShape& file : files) {
    const auto rows = static_cast<double>(file.num_rows);
    const auto num_blocks = static_cast<double>(file.num_blocks);
    classes.push_back({.num_blocks = num_blocks,
                       .block_bytes = rows * options.row_bytes / num_blocks,
                       .reads = ExpectedBlocks(1, are_members ? rows / num_rows : 0, fpr)});
  }
  for (const Region::FileShape& file : files) {
    if (file.num_chunks == 0) continue;
    const auto num_chunks = static_cast<double>(file.num_chunks);
    classes.push_back({.num_blocks = num_chunks,
                       .block_bytes = static_cast<double>(file.num_filter_bytes) / num_chunks,
                       .reads = 1});
  }
  return classes;
}

double ExpectedBlocks(double num_files, double num_holding, double fpr) {
  return num_holding + (num_files - num_holding) * fpr;
}

std::vector<double> ExpectedMisses(std::span<const BlockClass> classes, double cache_bytes) {
  const auto is_out = [](const BlockClass& blocks, double time) {
    return std::exp(-blocks.reads / blocks.num_blocks * time);
  };
  double all_bytes = 0;
  for (const BlockClass& blocks : classes) all_bytes += blocks.num_blocks * blocks.block_bytes;
  if (all_bytes <= cache_bytes) return std::vector<double>(classes.size(), 0);
  double low = 0;
  double high = 1;
  const auto bytes_at = [&](double time) {
    double bytes = 0;
    for (const BlockClass& blocks : classes) {
      bytes += blocks.num_blocks * blocks.block_bytes * (1 - is_out(blocks, time));
    }
    return bytes;
  };
  while (bytes_at(high) < cache_bytes && high < 1e300) high *= 2;
  for (int step = 0; step < 100; ++step) {
    const double middle = (low + high) / 2;
    (bytes_at(middle) < cache_bytes ? low : high) = middle;
  }
  std::vector<double> misses;
  for (const BlockClass& blocks : classes) misses.push_back(is_out(blocks, low));
  return misses;
}

}  // namespace trommel::paper
