#include "index/soak/board.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <utility>

namespace trommel::index::soak {
namespace {

// In seconds. Servers are stopped for less than a second, so no call has a reason to wait for the
// timeout of a query, which is longer than the first of these; and beyond the second it never ends.
constexpr int64_t kLongCall = 45, kLongestCall = 180;
constexpr uint64_t kMostFailures = 12;

int64_t SecondsNow() {
  using std::chrono::duration_cast, std::chrono::seconds, std::chrono::steady_clock;
  return duration_cast<seconds>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace

const char* ChangeKindName(ChangeKind kind) {
  static constexpr const char* kNames[kNumChangeKinds] = {
      "splits", "merges",        "moves",           "cancelled moves", "balances", "stops",
      "starts", "added indexes", "dropped indexes", "backfills",       "removals", "cleanings"};
  return kNames[static_cast<size_t>(kind)];
}

Board::Board(Line line, Listener listener)
    : line_(std::move(line)), listener_(std::move(listener)), watcher_([this] { Watch(); }) {}

Board::~Board() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_ending_ = true;
  }
  wakes_.notify_all();
  watcher_.join();
  if (line_ && isatty(STDERR_FILENO)) std::fprintf(stderr, "\r\033[K");
}

void Board::SetContext(const std::string& context) {
  const std::lock_guard<std::mutex> lock(mutex_);
  context_ = context;
}

void Board::Fail(const std::string& text) {
  const uint64_t number = num_failures_++;
  if (number >= kMostFailures) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (number == 0) std::fprintf(stderr, "trommel_index_soak: %s\n", context_.c_str());
  std::fprintf(stderr, "trommel_index_soak: %s\n", text.c_str());
}

void Board::Watch() {
  const bool is_terminal = isatty(STDERR_FILENO) != 0;
  std::unique_lock<std::mutex> lock(mutex_);
  while (!wakes_.wait_for(lock, std::chrono::seconds(1), [this] { return is_ending_; })) {
    if (line_ && is_terminal) std::fprintf(stderr, "\r\033[K%s", line_().c_str());
    const int64_t now = SecondsNow();
    bool is_stuck = false;
    for (uint32_t thread = 0; thread < kMaxThreads; ++thread) {
      is_stuck |= calls_[thread] != nullptr && now - since_[thread] > kLongestCall;
    }
    if (!is_stuck) continue;
    std::fprintf(stderr, "trommel_index_soak: %s\ntrommel_index_soak: a call does not end:\n",
                 context_.c_str());
    for (uint32_t thread = 0; thread < kMaxThreads; ++thread) {
      const char* const call = calls_[thread];
      if (call == nullptr) continue;
      std::fprintf(stderr, "  thread %2u: %s, for %lld s\n", thread, call,
                   static_cast<long long>(now - since_[thread]));
    }
    _exit(1);
  }
}

Call::Call(Board& board, uint32_t thread, const char* what) : board_(board), thread_(thread) {
  board_.since_[thread] = SecondsNow();
  board_.calls_[thread] = what;
}

Call::Call(Board& board, uint32_t thread, ChangeKind kind)
    : Call(board, thread, ChangeKindName(kind)) {
  kind_ = kind;
  is_change_ = true;
  if (board_.listener_) board_.listener_(true, thread_, kind_);
}

Call::~Call() {
  const int64_t seconds = SecondsNow() - board_.since_[thread_];
  if (seconds > kLongCall) {
    board_.Fail(std::string(board_.calls_[thread_]) + ": a call lasted " + std::to_string(seconds) +
                " s, as if it had waited for the timeout of a query");
  }
  board_.calls_[thread_] = nullptr;
  if (!is_change_) return;
  if (is_done_) ++board_.num_done_[static_cast<size_t>(kind_)];
  if (board_.listener_) board_.listener_(false, thread_, kind_);
}

}  // namespace trommel::index::soak
