// Candidates of a pinned version.
//
// *Why no region is missed.* Take a pair that was inserted before the query began, and that nothing
// has begun to erase. If its region is unbuilt when the query reads the unbuilt bits, it is a
// candidate. If not, the column was built before, so the pair is in it: a builder or a writer had
// inserted it before the bit was cleared, or a writer inserted it since, before this query. The
// structure is queried after the unbuilt bits are read. The other order would lose pairs: queried
// before the builder inserts the pair, the bit read after it has finished. So bits first, then the
// structure, in every path below.
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "engine/index/src/directory/version.h"
#include "engine/index/src/model/misuse.h"
#include "engine/index/src/sync/steps.h"
#include "trommel/column_map.h"
#include "trommel/outcomes.h"

namespace trommel::index {
namespace {

constexpr size_t kMaxWords = BitmapWords(kMaxMapColumns);

// The unbuilt bits as they were before the structure is queried.
class UnbuiltBits {
 public:
  UnbuiltBits(const AttributeColumns& attribute, size_t num_words) : num_words_(num_words) {
    is_any_ = attribute.num_unbuilt.load(std::memory_order_acquire) != 0;
    for (size_t w = 0; is_any_ && w < num_words; ++w) {
      bits_[w] = attribute.unbuilt[w].load(std::memory_order_acquire);
    }
  }
  void AddTo(uint64_t* regions) const {
    for (size_t w = 0; is_any_ && w < num_words_; ++w) regions[w] |= bits_[w];
  }

 private:
  size_t num_words_;
  bool is_any_;
  std::array<uint64_t, kMaxWords> bits_;  // only where there are any
};

// Sets the bits of the first num_regions regions, and clears those behind them.
void FillRegions(size_t num_regions, uint64_t* regions, size_t num_words) {
  for (size_t w = 0; w < num_words; ++w) {
    const size_t begin = w * 64;
    regions[w] = begin + 64 <= num_regions ? ~uint64_t{0}
                 : begin >= num_regions    ? 0
                                           : (uint64_t{1} << num_regions % 64) - 1;
  }
}

// Clears the bits of columns that are no region of this version: replaced and spare ones.
void ClearBehind(size_t num_regions, uint64_t* regions, size_t num_words) {
  size_t w = num_regions / 64;
  if (num_regions % 64 != 0) regions[w++] &= (uint64_t{1} << num_regions % 64) - 1;
  for (; w < num_words; ++w) regions[w] = 0;
}

// From columns to the regions that have them.
void Translate(const AttributeColumns& attribute, const uint64_t* columns, uint64_t* regions,
               size_t num_words) {
  std::fill_n(regions, num_words, 0);
  for (size_t w = 0; w < attribute.now.structure->num_words(); ++w) {
    for (uint64_t bits = columns[w]; bits != 0; bits &= bits - 1) {
      const size_t column = w * 64 + static_cast<size_t>(std::countr_zero(bits));
      const uint32_t end = attribute.first_position_of_column[column + 1];
      for (uint32_t i = attribute.first_position_of_column[column]; i < end; ++i) {
        const uint32_t position = attribute.positions_of_columns[i];
        regions[position / 64] |= uint64_t{1} << position % 64;
      }
    }
  }
}

}  // namespace

uint64_t ServerIndex::Pin::version() const noexcept { return version_->number; }
const RegionTable& ServerIndex::Pin::table() const noexcept { return *version_->table; }
size_t ServerIndex::Pin::num_words() const noexcept { return version_->num_words; }
size_t ServerIndex::Pin::num_attributes() const noexcept { return version_->attributes.size(); }

AttributeState ServerIndex::Pin::state(uint32_t attribute) const noexcept {
  CheckUse(attribute < version_->attributes.size(), "the schema has no such attribute");
  return version_->attributes[attribute]->state;
}

bool ServerIndex::Pin::IsBuilt(uint32_t attribute, size_t position) const noexcept {
  CheckUse(attribute < version_->attributes.size() && position < version_->table->size(),
           "there is no such attribute or region");
  return version_->attributes[attribute]->now.regions[position]->is_built.load(
      std::memory_order_acquire);
}

void ServerIndex::Pin::Candidates(uint32_t attribute, Keys values,
                                  std::span<uint64_t> regions) const noexcept {
  const size_t words = version_->num_words;
  const size_t num_regions = version_->table->size();
  CheckUse(attribute < version_->attributes.size(), "the schema has no such attribute");
  CheckUse(regions.size() == values.size() * words, "candidates need num_words() words per value");
  const AttributeColumns& columns = *version_->attributes[attribute];
  if (columns.state != AttributeState::kIndexed || columns.now.structure == nullptr) {
    for (size_t i = 0; i < values.size(); ++i) FillRegions(num_regions, &regions[i * words], words);
    return;
  }

  std::vector<uint64_t> hashed;
  std::span<const uint64_t> digests(static_cast<const uint64_t*>(values.data()), values.size());
  if (values.kind() != KeyKind::kDigests) {
    hashed.resize(values.size());
    digest_->Digests(values, hashed);
    digests = hashed;
  }

  const UnbuiltBits unbuilt(columns, words);  // before the query
  Step("query structure");
  if (columns.is_plain) {
    columns.now.structure->Query(digests, regions);
    for (size_t i = 0; i < values.size(); ++i) {
      ClearBehind(num_regions, &regions[i * words], words);
      unbuilt.AddTo(&regions[i * words]);
    }
    return;
  }
  const size_t structure_words = columns.now.structure->num_words();
  std::array<uint64_t, 4 * kMaxWords> answers;  // of one chunk, in columns
  const size_t chunk = answers.size() / structure_words;
  for (size_t begin = 0; begin < digests.size(); begin += chunk) {
    const size_t size = std::min(chunk, digests.size() - begin);
    columns.now.structure->Query(digests.subspan(begin, size),
                                 std::span(answers).first(size * structure_words));
    for (size_t i = 0; i < size; ++i) {
      uint64_t* const out = &regions[(begin + i) * words];
      Translate(columns, &answers[i * structure_words], out, words);
      unbuilt.AddTo(out);
    }
  }
}

void ServerIndex::Pin::Candidates(uint32_t attribute, Key value,
                                  std::span<uint64_t> regions) const noexcept {
  const size_t words = version_->num_words;
  const size_t num_regions = version_->table->size();
  CheckUse(attribute < version_->attributes.size(), "the schema has no such attribute");
  CheckUse(regions.size() == words, "candidates need num_words() words");
  const AttributeColumns& columns = *version_->attributes[attribute];
  if (columns.state != AttributeState::kIndexed || columns.now.structure == nullptr) {
    FillRegions(num_regions, regions.data(), words);
    return;
  }
  const UnbuiltBits unbuilt(columns, words);  // before the query
  Step("query structure");
  const uint64_t digest = (*digest_)(value);
  if (columns.is_plain) {
    columns.now.structure->Query(digest, regions);
    ClearBehind(num_regions, regions.data(), words);
  } else {
    std::array<uint64_t, kMaxWords> answer;
    columns.now.structure->Query(digest,
                                 std::span(answer).first(columns.now.structure->num_words()));
    Translate(columns, answer.data(), regions.data(), words);
  }
  unbuilt.AddTo(regions.data());
}

}  // namespace trommel::index
