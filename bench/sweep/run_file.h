// Files of benchmarks in Google Benchmark's JSON: ours with the machine card as their context, and
// those of any program that uses Google Benchmark.
#ifndef TROMMEL_BENCH_SWEEP_RUN_FILE_H_
#define TROMMEL_BENCH_SWEEP_RUN_FILE_H_

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/sweep/machine_card.h"
#include "bench/sweep/run_record.h"
#include "trommel/result.h"

namespace trommel::bench {

struct RunFile {
  // The context, flattened: ("caches/0/size", "49152"), in the file's order.
  std::vector<std::pair<std::string, std::string>> context;
  std::vector<RunRecord> records;
};

// The text of such a file, with a newline at its end.
std::string RunFileText(const MachineCard& card, const std::vector<RunRecord>& records);

// Fails with kIo for a file that cannot be read, and with kCorrupt, naming file and place, for one
// that is not JSON or not a file of benchmarks. Entries that Google Benchmark marked as failed are
// left out.
Result<RunFile> ReadRunFile(const std::filesystem::path& path);

// A file that appears whole or not at all. Made before measuring, so that a path that cannot be
// written is known before.
class RunFileWriter {
 public:
  static Result<RunFileWriter> Create(const std::filesystem::path& path);  // fails with kIo
  RunFileWriter(RunFileWriter&&) noexcept;
  ~RunFileWriter();  // not written: as if it had never been

  Status Write(std::string_view text);  // once; fails with kIo

 private:
  struct Impl;
  explicit RunFileWriter(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SWEEP_RUN_FILE_H_
