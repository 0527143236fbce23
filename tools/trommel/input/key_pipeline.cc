// The pipeline. Executor::Run says which thread may use what; here is the state that goes from
// batch to batch.
#include "tools/trommel/input/key_pipeline.h"

#include <fmt/core.h>

#include <atomic>
#include <exception>
#include <mutex>
#include <utility>

#include "tools/trommel/input/time_leaps.h"

namespace trommel::tool {
namespace {

class KeyPipeline {
 public:
  KeyPipeline(const std::vector<std::string>& paths, const KeyOptions& options,
              const ReaderLimits& limits, const KeyStages& stages, size_t num_slots)
      : options_(options),
        stages_(stages),
        reader_(paths, options, limits),
        batches_(num_slots),
        leaps_(options.leaps) {}

  Status Run(Executor* executor) {
    Executor::Pipeline pipeline;
    pipeline.num_slots = batches_.size();
    pipeline.read = [this](size_t slot) { return Read(slot); };
    pipeline.work = [this](size_t slot) { Work(slot); };
    pipeline.finish = [this](size_t slot) { Finish(slot); };
    while (!has_ended_ && !has_stopped_) {
      num_under_way_ = 0;
      if (executor != nullptr) {
        executor->Run(pipeline);
      } else {
        while (Read(0)) {
          Work(0);
          Finish(0);
        }
      }
    }
    if (exception_) std::rethrow_exception(exception_);
    return outcome_;
  }

 private:
  bool Read(size_t slot) {
    if (has_stopped_) return false;
    // This round ends before it would wait for input: keys that were typed are answered, or
    // refused, at once, and no later stage could end the wait.
    if (reader_.is_idle() && num_under_way_ > 0) return false;
    bool has_piece = false;
    Catching([&] { has_piece = reader_.Next(batches_[slot].piece); });
    has_ended_ = !has_piece;
    ++num_under_way_;
    return has_piece;
  }

  void Work(size_t slot) {
    KeyBatch& batch = batches_[slot];
    if (has_stopped_) return;
    Catching([&] {
      batch.Split(options_);
      if (stages_.work) stages_.work(batch);
    });
  }

  void Finish(size_t slot) {
    KeyBatch& batch = batches_[slot];
    Catching([&] {
      if (has_stopped_) return;
      if (Status done = FinishBatch(batch); !done.ok()) {
        outcome_ = done;
        has_stopped_ = true;
      }
    });
  }

  Status FinishBatch(KeyBatch& batch) {
    Piece& piece = batch.piece;
    if (!piece.header.empty()) header_ = piece.header;
    batch.header.clear();
    if (const auto leap = leaps_.Find(batch.times())) RefuseLeap(batch, *leap);
    if (!batch.records().empty()) batch.header.swap(header_);
    if (piece.is_first) line_ = 0;
    line_ += piece.num_header_lines;
    piece.line_before = line_;
    line_ += options_.format == KeyFormat::kRaw64 ? batch.records().size() : batch.num_lines();
    if (Status done = stages_.finish(batch); !done.ok()) return done;
    if (batch.error()) return At(piece, *batch.error());
    if (!piece.error) return Ok();
    if (!piece.is_error_of_line) return *piece.error;
    ++line_;
    return At(piece, *piece.error);
  }

  void RefuseLeap(KeyBatch& batch, size_t record_idx) const {
    const std::string_view line = batch.records()[record_idx];
    const std::string_view time = Column(line, batch.piece.time_column_idx).value_or("");
    batch.RefuseFrom(record_idx, {ErrorCode::kInvalidArgument,
                                  leaps_.MessageFor(batch.times()[record_idx], time)});
  }

  Error At(const Piece& piece, const Error& error) const {
    return {error.code, fmt::format("{}:{}: {}", piece.file_name, line_, error.message)};
  }

  // An exception must not leave a stage: it may be on another thread than the caller's.
  template <class Stage>
  void Catching(const Stage& stage) {
    try {
      stage();
    } catch (...) {
      const std::lock_guard<std::mutex> lock(exception_mutex_);
      if (!exception_) exception_ = std::current_exception();
      has_stopped_ = true;
    }
  }

  const KeyOptions& options_;
  const KeyStages& stages_;
  PieceReader reader_;
  std::vector<KeyBatch> batches_;
  std::atomic<bool> has_stopped_{false};

  // Of the first stage.
  size_t num_under_way_ = 0;  // at most: pieces read in this round
  bool has_ended_ = false;

  // Of the last stage.
  std::string header_;  // not yet passed on
  uint64_t line_ = 0;   // in this file, so far; kRaw64: keys
  TimeLeaps leaps_;
  Status outcome_ = Ok();

  std::mutex exception_mutex_;
  std::exception_ptr exception_;
};

}  // namespace

Status RunKeyPipeline(const std::vector<std::string>& paths, const KeyOptions& options,
                      const ReaderLimits& limits, Executor* executor, const KeyStages& stages) {
  // Two a thread keep every thread busy while a batch waits for its turn.
  const size_t num_slots = executor == nullptr ? 1 : size_t{2} * executor->num_threads();
  return KeyPipeline(paths, options, limits, stages, num_slots).Run(executor);
}

}  // namespace trommel::tool
