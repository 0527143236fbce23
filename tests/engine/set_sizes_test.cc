// Sizes that filters can have, and the sharing of memory among them.
#include "engine/src/attributes/set_sizes.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "support/catch.h"
#include "trommel/attribute_filter.h"

namespace trommel::tests {
namespace {

double LossOf(std::span<const Sharer> sharers, std::span<const size_t> chosen) {
  double loss = 0;
  for (size_t i = 0; i < sharers.size(); ++i) {
    loss += sharers[i].weight * (*sharers[i].sizes)[chosen[i]].predicted_fpr;
  }
  return loss;
}

uint64_t BytesOf(std::span<const Sharer> sharers, std::span<const size_t> chosen) {
  uint64_t num_bytes = 0;
  for (size_t i = 0; i < sharers.size(); ++i) {
    num_bytes += (*sharers[i].sizes)[chosen[i]].num_bytes;
  }
  return num_bytes;
}

// The least loss of three sharers, by trying all.
double LeastLoss(std::span<const Sharer> sharers, uint64_t num_bytes) {
  double least = 1e300;
  std::vector<size_t> chosen(3);
  for (chosen[0] = 0; chosen[0] < sharers[0].sizes->size(); ++chosen[0]) {
    for (chosen[1] = 0; chosen[1] < sharers[1].sizes->size(); ++chosen[1]) {
      for (chosen[2] = 0; chosen[2] < sharers[2].sizes->size(); ++chosen[2]) {
        if (BytesOf(sharers, chosen) <= num_bytes) {
          least = std::min(least, LossOf(sharers, chosen));
        }
      }
    }
  }
  return least;
}

std::vector<SetSize> RandomSizes(std::mt19937_64& random) {
  std::vector<SetSize> sizes = {{.predicted_fpr = 0.4, .num_bytes = 1 + random() % 50}};
  const size_t num_sizes = 1 + random() % 12;
  while (sizes.size() < num_sizes) {
    const double factor = 0.2 + 0.75 * static_cast<double>(random() % 1000) / 1000;
    sizes.push_back({.predicted_fpr = sizes.back().predicted_fpr * factor,
                     .num_bytes = sizes.back().num_bytes + 1 + random() % 20});
  }
  return sizes;
}

}  // namespace

TEST_CASE("a set's size is that of the filter made for it", "[engine][attributes][sizes]") {
  for (const uint64_t capacity : {2000, 100'000, 1'500'000}) {
    for (const double target_fpr : {0.3, 0.01, 1e-4}) {
      INFO(capacity << " values at " << target_fpr);
      const uint64_t max_capacity = capacity * 4;
      const Result<SetSize> size =
          SizeOfSet({.capacity = capacity, .max_capacity = max_capacity}, target_fpr);
      REQUIRE(size.ok());
      Result<AttributeFilter> filter = AttributeFilter::Create({.sets = *AttributeSets::Create(1),
                                                                .capacity = capacity,
                                                                .max_capacity = max_capacity,
                                                                .target_fpr = target_fpr});
      REQUIRE(filter.ok());
      CHECK(size->num_bytes == filter->GetStats().sets[0].stats.num_bytes);
      CHECK(size->predicted_fpr <= target_fpr / 3.9);
      CHECK(size->predicted_fpr >= std::min(target_fpr, 0.011) / 8.1);
    }
  }
  CHECK(!SizeOfSet({.capacity = 10, .max_capacity = 10}, 1e-7).ok());
}

TEST_CASE("a set grows as the whole", "[engine][attributes][sizes]") {
  CHECK(LargestOfSet(1000, 1'000'000, 0, 0.01) == 16'000);
  CHECK(LargestOfSet(10, 1000, 0, 0.01) == 10'486);
  CHECK(LargestOfSet(100, 1000, 1000, 0.01) == 100);
  CHECK(LargestOfSet(3, 1000, 1500, 0.01) == 5);
  // As far as 50 bits of a digest go.
  CHECK(LargestOfSet(100'000'000, 100'000'000, 0, 1e-6) == 1'125'899'906);
  CHECK(LargestOfSet(kMaxCapacity / 2, kMaxCapacity / 2, 0, 0.5) == kMaxCapacity);
}

TEST_CASE("every size worth having costs more and errs less", "[engine][attributes][sizes]") {
  for (const uint64_t capacity : {1, 5000, 200'000}) {
    const SetValues values{.capacity = capacity, .max_capacity = 2 * capacity};
    const auto sizes = SizesOfSet(values);
    REQUIRE(sizes.ok());
    CHECK(sizes->size() >= (capacity == 200'000 ? 9U : capacity == 5000 ? 4U : 1U));
    for (size_t i = 0; i < sizes->size(); ++i) {
      const SetSize& size = (*sizes)[i];
      if (i > 0) CHECK((*sizes)[i - 1].num_bytes < size.num_bytes);
      if (i > 0) CHECK((*sizes)[i - 1].predicted_fpr > size.predicted_fpr);
      CHECK(*SizeOfSet(values, size.target_fpr) == size);
    }
  }
}

TEST_CASE("memory is shared as well as by trying all, but for a step",
          "[engine][attributes][sizes]") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::vector<SetSize>> sizes;
    for (int i = 0; i < 3; ++i) sizes.push_back(RandomSizes(random));
    std::vector<Sharer> sharers;
    uint64_t least = 0;
    uint64_t widest = 0;
    for (const std::vector<SetSize>& of_one : sizes) {
      sharers.push_back({static_cast<double>(random() % 4), &of_one});
      least += of_one.front().num_bytes;
      widest = std::max(widest, of_one.back().num_bytes - of_one.front().num_bytes);
    }
    const uint64_t num_bytes = least + random() % 200;
    const std::vector<size_t> chosen = ShareMemory(sharers, num_bytes);
    INFO("round " << round);
    CHECK(BytesOf(sharers, chosen) <= num_bytes);
    CHECK(LossOf(sharers, chosen) >= LeastLoss(sharers, num_bytes) * (1 - 1e-12));
    const uint64_t without_a_step = std::max(least, num_bytes - std::min(num_bytes, widest));
    CHECK(LossOf(sharers, chosen) <= LeastLoss(sharers, without_a_step) * (1 + 1e-12));
    for (size_t i = 0; i < 3; ++i) {
      if (sharers[i].weight == 0) CHECK(chosen[i] == 0);
    }
  }
}

}  // namespace trommel::tests
