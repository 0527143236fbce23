#include "support/doubling_program.h"

#include <algorithm>
#include <array>
#include <random>
#include <sstream>
#include <utility>

#include "support/exact_model.h"
#include "support/shrink.h"
#include "trommel/outcomes.h"

namespace trommel::tests {

DoublingProgram RandomDoublingProgram(uint64_t seed, size_t num_steps) {
  std::mt19937_64 random(seed);
  const auto pick = [&random](const auto& choices) { return choices[random() % choices.size()]; };
  DoublingProgram program;
  program.config.mode = GrowthMode::kDoubling;
  program.config.first_capacity = pick(std::array<uint64_t, 3>{0, 0, 300'000});
  const std::array<uint64_t, 2> parts = {random() % 64, random() % 64};
  // Digests with few values in the bits that a fingerprint has of them, or in those behind.
  const uint64_t num_prefixes = pick(std::array<uint64_t, 3>{50, 2000, 1'000'000'000});
  const uint64_t num_rests = pick(std::array<uint64_t, 3>{1, 20, 1'000'000'000});
  program.pool.resize(1000 + random() % 12'000);
  for (uint64_t& digest : program.pool) {
    const uint64_t prefix = random() % num_prefixes * 0x9e3779b97f4a7c15;
    const uint64_t rest = random() % num_rests * 0x9e3779b97f4a7c15;
    digest = pick(parts) << 58 | prefix >> 40 << 34 | rest >> 30;
  }
  const std::array<DoublingOp, 10> ops = {DoublingOp::kInsert, DoublingOp::kInsert,
                                          DoublingOp::kInsert, DoublingOp::kErase,
                                          DoublingOp::kErase,  DoublingOp::kErase,
                                          DoublingOp::kMerge,  DoublingOp::kInsertIfAbsent,
                                          DoublingOp::kClear,  DoublingOp::kSaveAndLoad};
  for (size_t i = 0; i < num_steps; ++i) {
    DoublingStep step;
    step.op = pick(ops);
    if (step.op == DoublingOp::kClear && random() % 6 != 0) step.op = DoublingOp::kErase;
    if (step.op != DoublingOp::kClear && step.op != DoublingOp::kSaveAndLoad) {
      step.digests.resize(1 + random() % pick(std::array<size_t, 5>{1, 60, 3000, 6000, 12'000}));
      const bool in_order = random() % 2 == 0;
      size_t at = random();
      for (uint64_t& digest : step.digests) {
        const bool is_hot = random() % 16 == 0;
        digest = is_hot     ? program.pool[random() % 3]
                 : in_order ? program.pool[at++ % program.pool.size()]
                            : program.pool[random() % program.pool.size()];
      }
    }
    program.steps.push_back(std::move(step));
  }
  return program;
}

std::string ToText(const DoublingProgram& program) {
  constexpr std::array<const char*, 6> kNames = {"Insert",      "InsertIfAbsent", "Erase",
                                                 "SaveAndLoad", "Merge",          "Clear"};
  std::ostringstream text;
  text << "doubling, first " << program.config.first_capacity << '\n';
  for (const DoublingStep& step : program.steps) {
    text << kNames[static_cast<size_t>(step.op)] << ':' << TextOf(step.digests, step.digests.size())
         << '\n';
  }
  return text.str();
}

namespace {

class DoublingRun {
 public:
  DoublingRun(const DoublingProgram& program, std::shared_ptr<Executor> executor)
      : program_(program),
        executor_(std::move(executor)),
        filter_(ScalableFilter::Create(program.config).value()),
        as_new_(filter_.Serialize()) {
    filter_.UseExecutor(executor_);
  }

  std::string Do(const DoublingStep& step) {
    const uint64_t num_blocks = filter_.GetStats().doubling.num_blocks;
    std::string fault = Update(step);
    if (filter_.GetStats().doubling.num_blocks > num_blocks) ++num_grown_;
    return fault.empty() ? FaultOfState() : fault;
  }

  std::string Drain() {
    for (const uint64_t digest : model_.DistinctKeys()) {
      for (uint64_t copies = model_.Count(digest); copies > 0; --copies) {
        if (!filter_.Erase(Key::Digest(digest))) return "refused a key that is in";
      }
    }
    return filter_.Serialize() == as_new_ ? "" : "emptied, it is not as new";
  }

  uint64_t num_grown() const { return num_grown_; }

 private:
  std::string Update(const DoublingStep& step) {
    std::vector<uint64_t> digests = step.digests;
    std::vector<uint64_t> bits(BitmapWords(digests.size()), ~uint64_t{0});
    const Keys keys = Keys::Digests(digests);
    switch (step.op) {
      case DoublingOp::kInsert:
        if (filter_.Insert(keys, bits).num_inserted != digests.size()) return "refused a key";
        model_.FollowInsertIfAbsent(digests, bits);
        break;
      case DoublingOp::kInsertIfAbsent:
        filter_.InsertIfAbsent(keys, bits);
        model_.FollowInsertIfAbsent(digests, bits);
        break;
      case DoublingOp::kErase:
        std::erase_if(digests, [&](uint64_t digest) { return !model_.Erase(digest); });
        if (filter_.Erase(Keys::Digests(digests)).num_refused != 0) return "refused to erase a key";
        break;
      case DoublingOp::kMerge: {
        ScalableFilter other = ScalableFilter::Create(program_.config).value();
        other.Insert(keys);
        if (!filter_.Merge(other).ok()) return "refused a merge";
        model_.Insert(digests);
        break;
      }
      case DoublingOp::kSaveAndLoad: {
        const std::vector<std::byte> bytes = filter_.Serialize();
        Result<ScalableFilter> loaded = ScalableFilter::Deserialize(bytes);
        if (!loaded.ok()) return "its bytes are refused: " + loaded.error().message;
        if (loaded->Serialize() != bytes) return "its bytes change when they are read";
        filter_ = *std::move(loaded);
        filter_.UseExecutor(executor_);
        break;
      }
      case DoublingOp::kClear:
        filter_.Clear();
        model_.Clear();
        if (filter_.Serialize() != as_new_) return "cleared, it is not as new";
        break;
    }
    return "";
  }

  std::string FaultOfState() {
    const Keys pool = Keys::Digests(program_.pool);
    std::vector<uint64_t> bits(BitmapWords(pool.size()));
    filter_.Query(pool, bits);
    if (model_.NumFalseNegatives(program_.pool, bits) != 0) return "missed a key";
    std::vector<uint64_t> counts(pool.size());
    filter_.CountEstimates(pool, counts);
    if (model_.NumUnderestimated(program_.pool, counts) != 0) return "counted a key too low";
    return filter_.num_keys() == model_.num_keys() ? "" : "a wrong number of keys";
  }

  const DoublingProgram& program_;
  std::shared_ptr<Executor> executor_;
  ScalableFilter filter_;
  std::vector<std::byte> as_new_;
  ExactModel<uint64_t> model_;
  uint64_t num_grown_ = 0;
};

}  // namespace

std::string FirstFault(const DoublingProgram& program, std::shared_ptr<Executor> executor,
                       uint64_t& num_grown) {
  DoublingRun run(program, std::move(executor));
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const std::string fault = run.Do(program.steps[i]);
    if (!fault.empty()) return "step " + std::to_string(i) + ": " + fault;
  }
  num_grown += run.num_grown();
  const std::string fault = run.Drain();
  return fault.empty() ? "" : "drained: " + fault;
}

}  // namespace trommel::tests
