#include "support/subject.h"

#include <algorithm>
#include <array>
#include <utility>

#include "support/catch.h"

namespace trommel::tests {
namespace {

// The first `size` bits of a bitmap.
void Append(Answers& answers, std::span<const uint64_t> bitmap, size_t size) {
  for (size_t i = 0; i < size; ++i) answers.push_back(bitmap[i / 64] >> (i % 64) & 1);
}

// Parts no longer than a block store takes.
template <class Part>
void ForEachChunk(Digests digests, const Part& part) {
  while (!digests.empty()) {
    const size_t size = std::min(digests.size(), kernels::kMaxChunkKeys);
    part(digests.first(size));
    digests = digests.subspan(size);
  }
}

}  // namespace

// --- Reference.

ReferenceSubject::ReferenceSubject(const Program& program)
    : filters_(2, kernels::ReferenceFilter(program.num_blocks, program.shape)) {}

void ReferenceSubject::Insert(size_t which, Digests digests) {
  for (const uint64_t digest : digests) filters_[which].Insert(digest);
}
Answers ReferenceSubject::InsertIfAbsent(size_t which, Digests digests) {
  Answers answers;
  for (const uint64_t digest : digests) answers.push_back(filters_[which].InsertIfAbsent(digest));
  return answers;
}
Answers ReferenceSubject::Erase(size_t which, Digests digests) {
  Answers answers;
  for (const uint64_t digest : digests) answers.push_back(filters_[which].Erase(digest));
  return answers;
}
void ReferenceSubject::Merge(size_t which) { filters_[which].Merge(filters_[1 - which]); }
bool ReferenceSubject::Subtract(size_t which) {
  if (!filters_[which].CanSubtract(filters_[1 - which])) return false;
  filters_[which].Subtract(filters_[1 - which]);
  return true;
}
void ReferenceSubject::Fold() {
  if (filters_[0].num_blocks() % 2 != 0) return;
  for (kernels::ReferenceFilter& filter : filters_) filter = filter.Folded();
}
void ReferenceSubject::Clear(size_t which) {
  filters_[which] = kernels::ReferenceFilter(filters_[which].num_blocks(), filters_[which].shape());
}
Answers ReferenceSubject::Query(size_t which, Digests digests) {
  Answers answers;
  for (const uint64_t digest : digests) answers.push_back(filters_[which].MayContain(digest));
  return answers;
}
std::vector<uint64_t> ReferenceSubject::Counts(size_t which, Digests digests) {
  std::vector<uint64_t> counts;
  for (const uint64_t digest : digests) counts.push_back(filters_[which].CountEstimate(digest));
  return counts;
}

// --- Block stores.

StoreSubject::StoreSubject(const Program& program) {
  for (int i = 0; i < 2; ++i) {
    Result<BlockStore> store = BlockStore::Create(program.geometry(), 0);
    REQUIRE(store.ok());
    stores_.push_back(*std::move(store));
  }
}
void StoreSubject::Insert(size_t which, Digests digests) {
  ForEachChunk(digests, [&](Digests part) { stores_[which].Insert(part); });
}
Answers StoreSubject::InsertIfAbsent(size_t which, Digests digests) {
  Answers answers;
  ForEachChunk(digests, [&](Digests part) {
    std::array<uint64_t, BlockStore::kBitmapWords> bitmap{};
    stores_[which].InsertIfAbsent(part, bitmap);
    Append(answers, bitmap, part.size());
  });
  return answers;
}
Answers StoreSubject::Erase(size_t which, Digests digests) {
  Answers answers;
  ForEachChunk(digests, [&](Digests part) {
    std::array<uint64_t, BlockStore::kBitmapWords> bitmap{};
    stores_[which].Erase(part, bitmap);
    Append(answers, bitmap, part.size());
  });
  return answers;
}
void StoreSubject::Merge(size_t which) { stores_[which].Merge(stores_[1 - which]); }
bool StoreSubject::Subtract(size_t which) { return stores_[which].Subtract(stores_[1 - which]); }
void StoreSubject::Fold() {
  if (stores_[0].geometry().num_blocks % 2 != 0) return;
  for (BlockStore& store : stores_) {
    Result<BlockStore> folded = store.Folded(0);
    REQUIRE(folded.ok());
    store = *std::move(folded);
  }
}
void StoreSubject::Clear(size_t which) { stores_[which].Clear(); }
Answers StoreSubject::Query(size_t which, Digests digests) {
  std::vector<uint64_t> bitmap(BitmapWords(digests.size()));
  stores_[which].Query(digests, bitmap.data());
  Answers answers;
  Append(answers, bitmap, digests.size());
  return answers;
}
std::vector<uint64_t> StoreSubject::Counts(size_t which, Digests digests) {
  std::vector<uint64_t> counts;
  for (const uint64_t digest : digests) counts.push_back(stores_[which].CountEstimate(digest));
  return counts;
}

}  // namespace trommel::tests
