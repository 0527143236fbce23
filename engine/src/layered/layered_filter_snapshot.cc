// Layered filters made of two layers that exist: given, or read from a multi-store snapshot, whose
// members are the first layer and the large one. It uses no params and no words: all there is to
// know is in the layers, and that they belong together is checked counter by counter.
#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "engine/src/counting/counting_filter_impl.h"
#include "engine/src/keys/digest_policy.h"
#include "engine/src/layered/layered_filter_impl.h"
#include "engine/src/layered/layered_sizing.h"
#include "engine/src/snapshots/filter_files.h"
#include "engine/src/snapshots/multi_store_snapshot.h"
#include "trommel/layered_filter.h"

namespace trommel {
namespace {

Status CheckMultiStore(const MultiStoreContents& contents) {
  if (Status unused = CheckUnusedParams(contents.facts.params, 0); !unused) return unused;
  if (contents.members.size() != LayeredFilter::kNumLayers) {
    return CorruptAt(
        offsetof(MultiStoreHeader, num_members),
        "a layered filter has 2 layers, not " + std::to_string(contents.members.size()));
  }
  for (size_t i = 0; i < contents.members.size(); ++i) {
    if (Status unused = CheckUnusedWords(i, contents.members[i].words, 0); !unused) return unused;
  }
  return Ok();
}

Error NotLayers(std::string_view what) {
  return CorruptAt(kHeaderBytes, "the members are no layers of one filter: " + std::string(what));
}

Error Mismatch(std::string message) { return {ErrorCode::kMismatch, std::move(message)}; }

// The first layer's block whose presence bits are not those of the large layer's blocks in it put
// together, or its number of blocks.
uint64_t FirstStrangeBlock(const BlockStore& first, const BlockStore& large) {
  const uint64_t num_parts = large.geometry().num_blocks / first.geometry().num_blocks;
  for (uint64_t b = 0; b < first.geometry().num_blocks; ++b) {
    for (size_t w = 0; w < first.presence_words(); ++w) {
      uint32_t together = 0;
      for (uint64_t p = 0; p < num_parts; ++p) together |= large.PresenceOf(b * num_parts + p)[w];
      if (together != first.PresenceOf(b)[w]) return b;
    }
  }
  return first.geometry().num_blocks;
}

// The first block whose counters in the first layer are not the sums of the large layer's in it, or
// the number of blocks. Erasing by such counts would bring the layers apart, and hide keys that are
// in.
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

}  // namespace

Result<LayeredFilter> LayeredFilter::FromLayers(CountingFilter first, CountingFilter large) try {
  for (const CountingFilter* layer : {&first, &large}) {
    if (!layer->impl_->has_fingerprints()) continue;
    return Error{ErrorCode::kInvalidArgument,
                 "layers are nested in presence bits, and one has " +
                     std::string(EncodingName(layer->geometry().encoding)) +
                     ": use planes or runs"};
  }
  if (std::string fault = NestingFault(first.geometry(), large.geometry()); !fault.empty()) {
    return Mismatch("layers do not nest: " + fault);
  }
  if (std::string difference = PolicyDifference(first.digest_policy(), large.digest_policy());
      !difference.empty()) {
    return Mismatch(difference + " between the layers");
  }
  if (first.num_keys() != large.num_keys()) {
    return Mismatch("num_keys differs between the layers: " + std::to_string(first.num_keys()) +
                    " and " + std::to_string(large.num_keys()));
  }
  const uint64_t strange =
      FirstStrangeBlock(first.impl_->block_store(), large.impl_->block_store());
  if (strange != first.geometry().num_blocks) {
    return Mismatch("the layers hold other keys: block " + std::to_string(strange) +
                    " of the first one is not what the large one's keys make it");
  }
  const uint64_t unequal =
      FirstUnequalBlock(first.impl_->block_store(), large.impl_->block_store());
  if (unequal != first.geometry().num_blocks) {
    return Mismatch("the layers hold keys in other numbers: counters of block " +
                    std::to_string(unequal) +
                    " of the first one are not the sums of the large one's");
  }
  // A digest key that one layer has is both's.
  if (large.digest_policy().digest_key.is_given()) {
    first.impl_->policy = large.impl_->policy;
  } else {
    large.impl_->policy = first.impl_->policy;
  }
  return LayeredFilter(std::make_unique<Impl>(std::move(first), std::move(large)));
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "the system refused memory for the layers"};
}

Result<LayeredFilter> LayeredFilter::ReadFrom(const OpenedSnapshot& snapshot, uint64_t limit_bytes,
                                              const DigestKey& digest_key) {
  Result<MultiStoreContents> contents =
      ReadMultiStore(snapshot, SnapshotType::kLayeredFilter, limit_bytes, digest_key);
  if (!contents) return contents.error();
  if (Status checked = CheckMultiStore(*contents); !checked) return checked.error();
  const auto layer_of = [&](size_t i) {
    MemberStoreContents& member = contents->members[i];
    return CountingFilter(
        std::make_unique<CountingFilter::Impl>(std::move(member.store), member.facts, limit_bytes));
  };
  CountingFilter first_layer = layer_of(0);
  CountingFilter large_layer = layer_of(1);
  Result<LayeredFilter> filter = FromLayers(std::move(first_layer), std::move(large_layer));
  if (filter || filter.error().code == ErrorCode::kOutOfMemory) return filter;
  return NotLayers(filter.error().message);
}

Status LayeredFilter::WriteTo(ByteSink& sink) const {
  const auto member = [](const CountingFilter& layer) {
    return MemberStore{
        .words = {}, .store = &layer.impl_->block_store(), .facts = layer.impl_->Facts()};
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

Status LayeredFilter::SaveTo(ByteSink& sink) const { return FilterFiles::SaveTo(*this, sink); }

Result<LayeredFilter> LayeredFilter::LoadFrom(const ByteSource& source, uint64_t memory_limit_bytes,
                                              const DigestKey& digest_key) {
  return FilterFiles::LoadFrom<LayeredFilter>(source, memory_limit_bytes, digest_key);
}

Result<LayeredFilter> LayeredFilter::Clone(uint64_t memory_limit_bytes) const {
  Result<LayeredFilter> copy =
      FilterFiles::Clone(*this, memory_limit_bytes, impl_->large.impl_->executor);
  if (!copy) return copy;
  Status limited = copy->impl_->first.LimitSideMemory(impl_->first.impl_->side_limit_bytes());
  if (limited) limited = copy->impl_->large.LimitSideMemory(impl_->large.impl_->side_limit_bytes());
  if (!limited) return limited.error();
  return copy;
}

bool operator==(const LayeredFilter& a, const LayeredFilter& b) {
  return FilterFiles::AreSame(a, b);
}

}  // namespace trommel
