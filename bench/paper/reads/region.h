// A simulated region of one column family, as the course text describes HBase: puts go to the
// MemStore, which is flushed to store files; partial compaction merges the latest ones; a get reads
// every store file whose keys include the row, unless its filter says no. Counted are blocks, not
// times.
#ifndef TROMMEL_BENCH_PAPER_READS_REGION_H_
#define TROMMEL_BENCH_PAPER_READS_REGION_H_

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "bench/paper/reads/block_cache.h"
#include "trommel/hbase/store_file_filter.h"

namespace trommel::paper {

struct RegionOptions {
  hbase::FilterOptions filter = {};
  uint32_t row_bytes = 100;
  uint32_t block_bytes = 64 * 1024;  // a block is closed by the row that reaches this
  uint64_t flush_rows = 0;           // the MemStore is flushed when it has so many
  // Files with fewer rows than largest_file_rows are merged into one when there are files_to_merge
  // of them. A merged file that reaches largest_file_rows is left alone from then on.
  uint64_t files_to_merge = 3;
  uint64_t largest_file_rows = 0;
  uint64_t cache_bytes = 0;
};

// What gets did, in total.
struct ReadCounts {
  uint64_t num_gets = 0;
  uint64_t num_in_range = 0;     // files whose keys include the row
  uint64_t num_skipped = 0;      // of these, files that their filter kept from being read
  uint64_t num_found = 0;        // files that had the row
  uint64_t num_data_blocks = 0;  // read
  uint64_t num_data_loads = 0;   // of these, not in the cache
  uint64_t num_meta_blocks = 0;  // chunks of filters, likewise
  uint64_t num_meta_loads = 0;
};

// The rows of a block: the last one may reach beyond block_bytes.
uint64_t RowsPerBlock(const RegionOptions& options);

class Region {
 public:
  explicit Region(const RegionOptions& options) : options_(options), cache_(options.cache_bytes) {}

  // Rows are numbers; their keys are the numbers' 8 bytes, high byte first.
  void Put(uint64_t row);
  void Flush();

  // Reads the row from every file that may have it. The MemStore has no filter, and its rows are
  // not counted.
  void Get(uint64_t row);

  // Which files must be read for which rows, by their filters alone: hbase::PruneFilesByRow.
  std::vector<uint64_t> Prune(std::span<const uint64_t> rows) const;

  size_t num_files() const { return files_.size(); }
  uint64_t num_merges() const { return num_merges_; }
  uint64_t num_rows() const;          // in files
  uint64_t num_filter_bytes() const;  // of all files
  // Of each file, oldest first.
  struct FileShape {
    uint64_t num_rows = 0;
    uint64_t num_blocks = 0;
    uint64_t num_chunks = 0;
    uint64_t num_filter_bytes = 0;
  };
  std::vector<FileShape> Shapes() const;
  // The rate of the filters for a row that is in none of the files, the mean over files.
  double FilterFpr() const;
  const BlockCache& cache() const { return cache_; }
  const ReadCounts& counts() const { return counts_; }
  void ResetCounts() { counts_ = {}; }

 private:
  struct File {
    uint64_t id = 0;
    std::vector<uint64_t> rows;  // ascending
    hbase::StoreFileFilter filter;
  };

  File MakeFile(std::vector<uint64_t> rows);
  void CompactLatest();
  bool MayHold(const File& file, uint64_t row);

  RegionOptions options_;
  std::set<uint64_t> memstore_;
  std::vector<File> files_;  // oldest first
  uint64_t next_id_ = 0;
  uint64_t num_merges_ = 0;
  BlockCache cache_;
  ReadCounts counts_;
};

// --- Closed forms ---

// The files of a region after so many flushes of different rows.
uint64_t ExpectedFiles(const RegionOptions& options, uint64_t num_flushes);

// The data blocks that a get reads if `num_holding` of num_files files have the row: 1 of the
// others is read with this probability.
double ExpectedBlocks(double num_files, double num_holding, double fpr);

// Blocks of one size that are read equally often.
struct BlockClass {
  double num_blocks = 0;
  double block_bytes = 0;
  double reads = 0;  // of the whole class, per get
};
// The blocks of these files, then the chunks of their filters, file by file, with how often a get
// reads each class: a get of a random row that is in one file, or in none.
std::vector<BlockClass> ExpectedReads(const RegionOptions& options,
                                      std::span<const Region::FileShape> files, double fpr,
                                      bool are_members);

// The share of each class's reads that an LRU cache does not have, where reads are independent: a
// block is in the cache if it was read within a time T, the same for all, such that the expected
// bytes fill the cache (Che, Tung and Wang, 2002).
std::vector<double> ExpectedMisses(std::span<const BlockClass> classes, double cache_bytes);

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_READS_REGION_H_
