#include "engine/src/classic/scalable_split.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/src/classic/formulas.h"
#include "engine/src/keys/key_batches.h"

namespace trommel::classic {
namespace {

ArrayGeometry GeometryOf(const PublishedSplit& split) {
  return {.hashing = Hashing::kMixed,
          .num_hashes = split.num_hashes,
          .counter_bits = kMaxCounterBits,
          .num_positions = split.slice_positions};
}

}  // namespace

ScalableSplit::ScalableSplit(uint64_t total_positions, double generation_fpr,
                             InsertRule insert_rule, EraseRule erase_rule)
    : geometry_(GeometryOf(PublishedSplitFor(total_positions, generation_fpr))),
      insert_rule_(insert_rule),
      erase_rule_(erase_rule),
      half_full_(
          static_cast<uint64_t>(static_cast<double>(geometry_.num_positions) * std::numbers::ln2)) {
}

ScalableSplit::Generation& ScalableSplit::WithPlace() {
  if (insert_rule_ == InsertRule::kBelowHalf) {
    for (Generation& generation : generations_) {
      if (generation.filter.num_keys() < half_full_) return generation;
    }
  }
  if (generations_.empty() || generations_.back().num_new == half_full_ ||
      insert_rule_ == InsertRule::kBelowHalf) {
    generations_.push_back({.filter = Filter(geometry_)});
  }
  return generations_.back();
}

void ScalableSplit::Insert(uint64_t digest) {
  if (insert_rule_ == InsertRule::kOldestShowing) {
    for (Generation& generation : generations_) {
      if (generation.filter.MayContain(digest)) return generation.filter.Insert(digest);
    }
  }
  Generation& generation = WithPlace();
  generation.filter.Insert(digest);
  ++generation.num_new;
}

void ScalableSplit::Insert(Keys digests) {
  for (const uint64_t digest : DigestsOf(digests)) Insert(digest);
}

void ScalableSplit::Erase(uint64_t digest) {
  if (erase_rule_ == EraseRule::kNewest) {
    for (size_t i = generations_.size(); i-- > 0;) {
      if (generations_[i].filter.Erase(digest)) return;
    }
    return;
  }
  for (Generation& generation : generations_) {
    if (generation.filter.Erase(digest) && erase_rule_ == EraseRule::kOldest) return;
  }
}

bool ScalableSplit::MayContain(uint64_t digest) const {
  return std::ranges::any_of(generations_, [&](const Generation& generation) {
    return generation.filter.MayContain(digest);
  });
}

size_t ScalableSplit::Query(Keys digests, std::span<uint64_t> maybe_present) const {
  CheckBitmap(digests, maybe_present);
  return AnswerEach(digests, maybe_present, [&](uint64_t digest) { return MayContain(digest); });
}

double ScalableSplit::generation_fpr() const {
  return SplitFpr(geometry_.num_hashes, geometry_.num_positions, half_full_);
}

double ScalableSplit::FprOf(double generation_fpr, size_t num_generations) {
  return -std::expm1(static_cast<double>(num_generations) * std::log1p(-generation_fpr));
}

}  // namespace trommel::classic
