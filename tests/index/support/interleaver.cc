#include "index/support/interleaver.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include "trommel/sync/grace_periods.h"

namespace trommel::index::tests {
namespace {

constexpr uint32_t kMostStepsHeldBack = 150;

thread_local size_t this_actor = 0;

}  // namespace

Interleaver::Interleaver(size_t num_actors) : is_over_(std::make_shared<Signal>()) {
  for (size_t i = 0; i < num_actors; ++i) {
    actors_.push_back(std::make_shared<Actor>());
    std::thread([this, i] { RunThread(i); }).detach();
    is_over_->Take();  // one after the other: each has the same stripe in every process
  }
}

Interleaver::~Interleaver() {
  if (is_hung_) return;
  is_closing_ = true;
  for (const auto& actor : actors_) {
    actor->may_run.Give();
    is_over_->Take();
  }
}

void Interleaver::RunThread(size_t index) {
  GracePeriods::StripeOfThread();
  this_actor = index;
  const std::shared_ptr<Actor> actor = actors_[index];
  const std::shared_ptr<Signal> is_over = is_over_;
  is_over->Give();
  for (;;) {
    actor->may_run.Take();
    if (is_closing_) break;
    step_scheduler = this;
    actor->body();
    step_scheduler = nullptr;
    actor->body = nullptr;
    actor->is_done = true;
    ++progress_;
    HandOver(kNone);
  }
  is_over->Give();
}

void Interleaver::Begin(uint64_t seed, bool is_traced) {
  random_.seed(seed);
  is_traced_ = is_traced;
  trace_.clear();
  num_added_ = 0;
  current_ = kNone;
  num_run_steps_ = 0;
  held_back_at_ = nullptr;
  strategy_ = static_cast<Strategy>(Draw(3));
  stickiness_ = 50 + Draw(48);
}

void Interleaver::Add(std::string name, std::function<void()> body) {
  Actor& actor = *actors_.at(num_added_++);
  actor.name = std::move(name);
  actor.body = std::move(body);
  actor.is_done = false;
  actor.paused_at = ~uint64_t{0};
  actor.held_until = 0;
  actor.priority = static_cast<int>(Draw(1000));
}

Interleaver::Outcome Interleaver::Run(size_t max_steps) {
  max_steps_ = max_steps;
  outcome_ = Outcome::kDone;
  HandOver(kNone);
  is_over_->Take();
  is_hung_ = outcome_ != Outcome::kDone;
  if (is_hung_ && is_traced_) {
    for (size_t i = 0; i < num_added_; ++i) {
      if (!actors_[i]->is_done) trace_.push_back(actors_[i]->name + " has not ended");
    }
  }
  return outcome_;
}

size_t Interleaver::Choose() {
  bool are_all_done = true;
  ready_.clear();
  held_.clear();
  for (size_t i = 0; i < num_added_; ++i) {
    if (actors_[i]->is_done) continue;
    are_all_done = false;
    if (actors_[i]->paused_at == progress_) continue;
    (actors_[i]->held_until > num_run_steps_ ? held_ : ready_).push_back(i);
  }
  if (ready_.empty()) ready_.swap(held_);
  if (ready_.empty() || num_run_steps_ > max_steps_) {
    outcome_ = are_all_done     ? Outcome::kDone
               : ready_.empty() ? Outcome::kDeadlock
                                : Outcome::kTooManySteps;
    return kNone;
  }
  const auto any = [this] { return ready_[Draw(static_cast<uint32_t>(ready_.size()))]; };
  const bool can_stay = std::find(ready_.begin(), ready_.end(), current_) != ready_.end();
  switch (strategy_) {
    case Strategy::kUniform:
      return any();
    case Strategy::kSticky:
      return can_stay && Draw(100) < stickiness_ ? current_ : any();
    case Strategy::kPriority: {
      const size_t highest = *std::max_element(
          ready_.begin(), ready_.end(),
          [this](size_t a, size_t b) { return actors_[a]->priority < actors_[b]->priority; });
      if (Draw(24) == 0) actors_[highest]->priority = static_cast<int>(Draw(2000)) - 1000;
      // Beyond, fairly: an actor that polls must not keep the others out.
      return num_run_steps_ > 4000 ? any() : highest;
    }
  }
  return kNone;
}

void Interleaver::HandOver(size_t self) {
  ++num_run_steps_;
  ++num_steps_;
  const size_t next = Choose();
  if (next == self && next != kNone) return;
  current_ = next;
  // What this thread reads after the release may be another's.
  const std::shared_ptr<Actor> waiting = self == kNone ? nullptr : actors_[self];
  if (next == kNone) {
    is_over_->Give();
  } else {
    actors_[next]->may_run.Give();
  }
  if (waiting != nullptr) waiting->may_run.Take();
}

void Interleaver::Step(const char* name) {
  if (is_traced_) Note(name);
  ++progress_;
  if (held_back_at_ != nullptr && std::strcmp(name, held_back_at_) == 0 && Draw(3) == 0) {
    actors_[this_actor]->held_until = num_run_steps_ + Draw(kMostStepsHeldBack);
  }
  HandOver(this_actor);
}

void Interleaver::Pause(const char* name) {
  if (is_traced_) Note(std::string("waits: ") + name);
  actors_[this_actor]->paused_at = progress_;
  HandOver(this_actor);
}

void Interleaver::Note(const std::string& line) {
  if (is_traced_) trace_.push_back(actors_[this_actor]->name + ": " + line);
}

uint32_t Interleaver::Draw(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

}  // namespace trommel::index::tests
