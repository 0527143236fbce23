// Interleaver: runs actors, each in a thread, of which only one runs at a time, and chooses the
// next one at every Step by a seeded generator. The same seed gives the same interleaving.
#ifndef TROMMEL_TESTS_INDEX_SUPPORT_INTERLEAVER_H_
#define TROMMEL_TESTS_INDEX_SUPPORT_INTERLEAVER_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "engine/index/src/sync/steps.h"

namespace trommel::index::tests {

enum class Strategy : uint8_t {
  kUniform,   // any actor that can go on
  kSticky,    // mostly the one that ran last
  kPriority,  // the one of the highest priority; priorities change now and then
};

// A binary semaphore. (That of libstdc++ 12 may sleep for ever beside a release: GCC bug 104928.)
class Signal {
 public:
  void Give() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_given_ = true;
    }
    given_.notify_one();
  }
  void Take() {
    std::unique_lock<std::mutex> lock(mutex_);
    given_.wait(lock, [this] { return is_given_; });
    is_given_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable given_;
  bool is_given_ = false;
};

class Interleaver final : public StepScheduler {
 public:
  enum class Outcome : uint8_t { kDone, kDeadlock, kTooManySteps };

  // Threads are made once, for num_actors actors at most.
  explicit Interleaver(size_t num_actors);
  ~Interleaver();
  Interleaver(const Interleaver&) = delete;
  Interleaver& operator=(const Interleaver&) = delete;

  void Begin(uint64_t seed, bool is_traced);
  // Adds an actor to the run that has begun.
  void Add(std::string name, std::function<void()> body);
  // At Steps of this name, actors are held back now and then, for as long as others can go on: what
  // goes wrong only if much happens in a short time is seldom found otherwise. Null: at none.
  void HoldBackAt(const char* name) { held_back_at_ = name; }
  // Runs all actors to their ends. After an outcome but kDone, the actors hang for ever, with all
  // that they refer to, and this object must not be used but to read the trace.
  Outcome Run(size_t max_steps);

  // --- For the actors that run.

  // As StepScheduler.
  void Step(const char* name) override;
  void Pause(const char* name) override;
  // Adds a line to the trace.
  void Note(const std::string& line);
  // Draws below n.
  uint32_t Draw(uint32_t n);

  bool is_traced() const { return is_traced_; }
  const std::vector<std::string>& trace() const { return trace_; }
  uint64_t num_steps() const { return num_steps_; }

 private:
  static constexpr size_t kNone = ~size_t{0};

  // Shared with its thread, which outlives an interleaver that hangs.
  struct Actor {
    Signal may_run;
    std::string name;
    std::function<void()> body;
    bool is_done = true;
    uint64_t paused_at = ~uint64_t{0};  // progress_ when it last had to wait
    int priority = 0;
    size_t held_until = 0;  // num_run_steps_
  };

  // Chooses the next actor; kNone if none can go on, or the run is over.
  size_t Choose();
  // Lets the next actor run, and waits until `self` may again (kNone: returns at once).
  void HandOver(size_t self);
  void RunThread(size_t index);

  std::vector<std::shared_ptr<Actor>> actors_;
  std::shared_ptr<Signal> is_over_;
  size_t num_added_ = 0;
  size_t current_ = kNone;
  std::mt19937_64 random_;
  Strategy strategy_ = Strategy::kUniform;
  uint32_t stickiness_ = 0;  // percent
  const char* held_back_at_ = nullptr;
  uint64_t progress_ = 0;  // actions of actors: one that waits is tried again when it changes
  size_t num_run_steps_ = 0;
  size_t max_steps_ = 0;
  uint64_t num_steps_ = 0;
  Outcome outcome_ = Outcome::kDone;
  bool is_traced_ = false;
  bool is_hung_ = false;
  bool is_closing_ = false;
  std::vector<std::string> trace_;
  std::vector<size_t> ready_;  // scratch
  std::vector<size_t> held_;   // scratch
};

}  // namespace trommel::index::tests

#endif  // TROMMEL_TESTS_INDEX_SUPPORT_INTERLEAVER_H_
