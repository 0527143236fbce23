// Board: what the threads of the soak do and have done, and what is wrong.
#ifndef TROMMEL_TESTS_INDEX_SOAK_BOARD_H_
#define TROMMEL_TESTS_INDEX_SOAK_BOARD_H_

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace trommel::index::soak {

// Changes of regions, servers and indexes.
enum class ChangeKind : uint8_t {
  kSplit,
  kMerge,
  kMove,
  kCancelledMove,
  kBalance,
  kStop,
  kStart,
  kAddIndex,
  kDropIndex,
  kBackfill,  // FinishChanges with an attribute that is being built
  kRemoval,   // FinishChanges with an attribute that is being dropped
  kCleaning,  // any other FinishChanges
};
inline constexpr size_t kNumChangeKinds = 12;
const char* ChangeKindName(ChangeKind kind);

// Threads of the soak, as the board names them: writers first.
inline constexpr uint32_t kMaxThreads = 16;

class Board {
 public:
  // Hears of the begin and end of each change.
  using Listener = std::function<void(bool is_begin, uint32_t thread, ChangeKind kind)>;
  // Returns a line for the terminal.
  using Line = std::function<std::string()>;

  // A call that lasts too long ends the program: a thread waits for ever. `line` is shown once per
  // second if the standard error is a terminal.
  explicit Board(Line line = nullptr, Listener listener = nullptr);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  // What a failure is told with: the round and its plan.
  void SetContext(const std::string& context);
  // Something is wrong: prints a line. Only the first few are printed.
  void Fail(const std::string& text);
  bool has_failed() const { return num_failures_ > 0; }

  uint64_t num_done(ChangeKind kind) const { return num_done_[static_cast<size_t>(kind)]; }

  std::atomic<uint64_t> num_writes{0}, num_failed_writes{0}, num_row_changes{0};
  std::atomic<uint64_t> num_queries{0}, num_rows_found{0}, num_incomplete{0}, num_unanswered{0};
  std::atomic<uint64_t> num_gets{0}, num_verifies{0}, num_refused{0}, num_busy{0};

 private:
  friend class Call;
  void Watch();

  const Line line_;
  const Listener listener_;
  std::array<std::atomic<uint64_t>, kNumChangeKinds> num_done_{};
  std::array<std::atomic<const char*>, kMaxThreads> calls_{};
  std::array<std::atomic<int64_t>, kMaxThreads> since_{};  // in seconds
  std::atomic<uint64_t> num_failures_{0};
  std::mutex mutex_;
  std::condition_variable wakes_;
  std::string context_;
  bool is_ending_ = false;
  std::thread watcher_;
};

// A call of the cluster by a thread, for as long as this object lives.
class Call {
 public:
  Call(Board& board, uint32_t thread, const char* what);
  Call(Board& board, uint32_t thread, ChangeKind kind);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  void Done() { is_done_ = true; }  // the change was made

 private:
  Board& board_;
  const uint32_t thread_;
  ChangeKind kind_ = ChangeKind::kSplit;
  bool is_change_ = false;
  bool is_done_ = false;
};

}  // namespace trommel::index::soak

#endif  // TROMMEL_TESTS_INDEX_SOAK_BOARD_H_
