// Layered filters on disk: a family of two snapshots, the first layer's and the large one's. No
// params and no words are used: all there is to know is in the layers, and that they belong
// together is checked counter by counter.
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "engine/src/counting/counting_filter_impl.h"
#include "engine/src/layered/layered_filter_impl.h"
#include "engine/src/snapshots/filter_files.h"
#include "engine/src/snapshots/multi_store_snapshot.h"
#include "trommel/layered_filter.h"

namespace trommel {
namespace {

Status CheckMultiStore(const MultiStoreContents& family) {
  if (Status unused = CheckUnusedParams(family.facts.params, 0); !unused) return unused;
  if (family.members.size() != LayeredFilter::kNumLayers) {
    return CorruptAt(offsetof(MultiStoreHeader, num_members),
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

Result<LayeredFilter> LayeredFilter::ReadFrom(const OpenedSnapshot& snapshot, uint64_t limit_bytes,
                                              const DigestKey& digest_key) {
  Result<MultiStoreContents> contents =
      ReadMultiStore(snapshot, SnapshotType::kLayeredFilter, limit_bytes, digest_key);
  if (!contents) return contents.error();
  if (Status checked = CheckMultiStore(*contents); !checked) return checked.error();
  const auto layer_of = [&](size_t i) {
    return CountingFilter(std::make_unique<CountingFilter::Impl>(
        std::move(contents->members[i].contents), limit_bytes));
  };
  CountingFilter first_layer = layer_of(0);
  CountingFilter large_layer = layer_of(1);
  Result<LayeredFilter> filter = FromLayers(std::move(first_layer), std::move(large_layer));
  if (filter || filter.error().code == ErrorCode::kOutOfMemory) return filter;
  return NotLayers(filter.error().message);
}

Status LayeredFilter::WriteTo(ByteSink& sink) const {
  const auto member = [](const CountingFilter& layer) {
    return MemberStore{.words = {}, .store = &layer.impl_->store, .facts = layer.impl_->Facts()};
  };
  return WriteMultiStore({.type = SnapshotType::kLayeredFilter, .policy = digest_policy()},
                         std::array{member(impl_->first), member(impl_->large)}, sink);
}

Status LayeredFilter::Save(const std::filesystem::path& path, const SaveOptions& options) const {
  return FilterFiles::Save(*this, path, options);
}

std::vector<std::byte> LayeredFilter::Serialize() const { return FilterFiles::Serialize(*this); }

Result<LayeredFilter> LayeredFilter::Load(const std::filesystem::path& path,
                                          uint64_t memory_limit_bytes,
                                          const DigestKey& digest_key) {
  return FilterFiles::Load<LayeredFilter>(path, memory_limit_bytes, digest_key);
}

Result<LayeredFilter> LayeredFilter::Deserialize(std::span<const std::byte> bytes,
                                                 uint64_t memory_limit_bytes,
                                                 const DigestKey& digest_key) {
  return FilterFiles::Deserialize<LayeredFilter>(bytes, memory_limit_bytes, digest_key);
}

}  // namespace trommel
