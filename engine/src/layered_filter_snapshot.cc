// Layered filters on disk: a family of two snapshots, the first layer's and the large one's. No
// params and no words are used: all there is to know is in the layers, and that they belong
// together is checked counter by counter.
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/counting_filter_impl.h"
#include "engine/src/family_snapshot.h"
#include "engine/src/layered_filter_impl.h"
#include "trommel/layered_filter.h"

namespace trommel {
namespace {

// The first block whose counters in the first layer are not the sums of the large layer's in it, or
// the number of blocks. FromLayers compares presence bits only; a file's counts are nobody's word,
// and erasing by wrong ones would bring the layers apart.
uint64_t FirstUnequalBlock(const BlockStore& first, const BlockStore& large) {
  const uint64_t num_blocks = first.geometry().num_blocks;
  const uint64_t num_parts = large.geometry().num_blocks / num_blocks;
  BlockStore::Counters counters;
  BlockStore::Counters part;
  const auto of_first = std::span(counters).first(first.num_counters());
  for (uint64_t b = 0; b < num_blocks; ++b) {
    first.ReadCounters(b, of_first);
    for (uint64_t p = 0; p < num_parts; ++p) {
      large.ReadCounters(b * num_parts + p, std::span(part).first(large.num_counters()));
      for (size_t i = 0; i < of_first.size(); ++i) {
        if (of_first[i] < part[i]) return b;
        of_first[i] -= part[i];
      }
    }
    for (const uint64_t left : of_first) {
      if (left != 0) return b;
    }
  }
  return num_blocks;
}

Status CheckFamily(const FamilyContents& family) {
  if (Status unused = CheckUnusedParams(family.facts.params, 0); !unused) return unused;
  if (family.members.size() != LayeredFilter::kNumLayers) {
    return CorruptAt(offsetof(FamilyHeader, num_members),
                     "a layered filter has 2 layers, not " + std::to_string(family.members.size()));
  }
  for (size_t i = 0; i < family.members.size(); ++i) {
    if (Status unused = CheckUnusedWords(i, family.members[i].words, 0); !unused) return unused;
  }
  return Ok();
}

Error NotLayers(std::string_view what) {
  return CorruptAt(kHeaderBytes, "the members are no layers of one filter: " + std::string(what));
}

}  // namespace

std::array<FamilyMember, LayeredFilter::kNumLayers> LayeredFilter::Impl::Members() const {
  const auto member = [](const CountingFilter& layer) {
    return FamilyMember{.words = {}, .store = &layer.impl_->store, .facts = layer.impl_->Facts()};
  };
  return {member(first), member(large)};
}

Result<LayeredFilter> LayeredFilter::Impl::Make(FamilyContents family, uint64_t limit_bytes) {
  if (Status checked = CheckFamily(family); !checked) return checked.error();
  const auto layer_of = [&](size_t i) {
    return CountingFilter(
        std::make_unique<CountingFilter::Impl>(std::move(family.members[i].contents), limit_bytes));
  };
  CountingFilter first_layer = layer_of(0);
  CountingFilter large_layer = layer_of(1);
  Result<LayeredFilter> filter = FromLayers(std::move(first_layer), std::move(large_layer));
  if (!filter) return NotLayers(filter.error().message);
  const BlockStore& first_store = filter->impl_->first.impl_->store;
  const uint64_t unequal = FirstUnequalBlock(first_store, filter->impl_->large.impl_->store);
  if (unequal == first_store.geometry().num_blocks) return filter;
  return NotLayers("counters of block " + std::to_string(unequal) +
                   " of the first one are not the sums of the large one's");
}

Status LayeredFilter::Save(const std::filesystem::path& path) const {
  return SaveFamily({.type = SnapshotType::kLayeredFilter, .policy = digest_policy()},
                    impl_->Members(), path);
}

std::vector<std::byte> LayeredFilter::Serialize() const {
  return SerializeFamily({.type = SnapshotType::kLayeredFilter, .policy = digest_policy()},
                         impl_->Members());
}

Result<LayeredFilter> LayeredFilter::Load(const std::filesystem::path& path,
                                          uint64_t memory_limit_bytes) {
  Result<FamilyContents> family =
      LoadFamily(path, SnapshotType::kLayeredFilter, memory_limit_bytes);
  if (!family) return family.error();
  Result<LayeredFilter> filter = Impl::Make(*std::move(family), memory_limit_bytes);
  if (!filter) return NamingFile(path, filter.error());
  return filter;
}

Result<LayeredFilter> LayeredFilter::Deserialize(std::span<const std::byte> bytes,
                                                 uint64_t memory_limit_bytes) {
  Result<FamilyContents> family =
      DeserializeFamily(bytes, SnapshotType::kLayeredFilter, memory_limit_bytes);
  if (!family) return family.error();
  return Impl::Make(*std::move(family), memory_limit_bytes);
}

}  // namespace trommel
