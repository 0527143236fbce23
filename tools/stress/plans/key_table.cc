// The keys of a round.
#include "tools/stress/plans/key_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace trommel::stress {
KeyTable::KeyTable(const RoundPlan& plan, uint64_t num_blocks) : kind_(plan.kind) {
  Random random = plan.RandomOf(kKeyStream);
  const uint32_t num_ids = plan.num_ids();
  const uint32_t num_races = plan.mix.num_races;
  has_lone_races_ =
      kind_ == KeyKind::kDigests && num_races > 0 && num_races * kBlocksPerRace <= num_blocks;
  if (kind_ == KeyKind::kViews || kind_ == KeyKind::kStrings) {
    strings_.reserve(num_ids);
    for (uint32_t id = 0; id < num_ids; ++id) {
      // Short strings, and strings of several of the hash's 32-byte stripes.
      std::string text = fmt::format("{:x}-{}", random.Next(), id);
      text.resize(text.size() + (random.OneIn(4) ? random.Below(80) : 0), '.');
      strings_.push_back(std::move(text));
    }
    return;
  }
  words_.reserve(num_ids);
  const bool has_places = has_lone_races_ || (kind_ == KeyKind::kDigests && plan.mix.is_crowded &&
                                              num_blocks >= kBlocksPerRace);
  if (!has_places) {
    for (uint32_t id = 0; id < num_ids; ++id) {
      words_.push_back(kind_ == KeyKind::kInt32 ? (random.Next() & 0xffff0000u) ^ id
                                                : random.Next());
    }
    return;
  }
  DigestPlaces places(plan, num_blocks, random);
  for (uint32_t id = 0; id < num_ids; ++id) {
    const bool is_race = has_lone_races_ && id >= plan.first_race();
    words_.push_back(is_race ? places.OfRace(id - plan.first_race()) : places.Next());
  }
}

Key KeyTable::One(uint32_t id) const {
  switch (kind_) {
    case KeyKind::kInt64:
      return words_[id];
    case KeyKind::kInt32:
      return Key::Int32(static_cast<uint32_t>(words_[id]));
    case KeyKind::kDigests:
      return Key::Digest(words_[id]);
    default:  // strings, owned or viewed
      break;
  }
  return strings_[id];
}

std::string KeyTable::Text(uint32_t id) const {
  switch (kind_) {
    case KeyKind::kInt64:
      return fmt::format("{}", words_[id]);
    case KeyKind::kInt32:
      return fmt::format("{} (32 bits)", static_cast<uint32_t>(words_[id]));
    case KeyKind::kDigests:
      return fmt::format("digest {:#018x}", words_[id]);
    default:  // strings, owned or viewed
      break;
  }
  return fmt::format("\"{}\"", strings_[id]);
}

Keys KeyBatch::Gather(std::span<const uint32_t> ids) {
  const auto gather = [&](const auto& from, auto& to) {
    using T = typename std::decay_t<decltype(to)>::value_type;
    to.resize(ids.size());
    std::transform(ids.begin(), ids.end(), to.begin(),
                   [&](uint32_t id) { return static_cast<T>(from[id]); });
  };
  switch (table_.kind_) {
    case KeyKind::kInt64:
      gather(table_.words_, words_);
      return words_;
    case KeyKind::kInt32:
      gather(table_.words_, halves_);
      return Keys::Int32(std::span<const uint32_t>(halves_));
    case KeyKind::kDigests:
      gather(table_.words_, words_);
      return Keys::Digests(words_);
    case KeyKind::kViews:
      gather(table_.strings_, views_);
      return views_;
    default:
      break;
  }
  gather(table_.strings_, strings_);
  return strings_;
}

namespace {

constexpr uint32_t kKeyBits = 16;  // the most of a fingerprint

}  // namespace

uint64_t DigestInBlock(uint64_t block, uint64_t num_blocks, Random& random) {
  // A block is (high * num_blocks) >> 32: the first of the high halves that give b.
  const auto first_high = [&](uint64_t b) { return ((b << 32) + num_blocks - 1) / num_blocks; };
  const uint64_t first = first_high(block);
  const auto width =
      static_cast<uint32_t>(std::min<uint64_t>(first_high(block + 1) - first, UINT32_MAX));
  return (first + random.Below(width)) << 32 | (random.Next() >> 32);
}

// digest x num_blocks  = block (64) | key (16), 0, random (47)   and less than num_blocks more,
// which the 0 keeps out of the key.
uint64_t DigestOfKey(uint64_t block, uint32_t key, uint64_t num_blocks, Random& random) {
  __extension__ using Uint128 = unsigned __int128;
  const uint64_t rest = uint64_t{key} << (64 - kKeyBits) | random.Next() >> (kKeyBits + 1);
  return static_cast<uint64_t>(((Uint128{block} << 64 | rest) + num_blocks - 1) / num_blocks);
}

DigestPlaces::DigestPlaces(const RoundPlan& plan, uint64_t num_blocks, Random& random)
    : num_blocks_(num_blocks),
      num_quads_(static_cast<uint32_t>(num_blocks / kBlocksPerRace)),
      quads_per_race_(plan.mix.num_races == 0 ? 0 : num_quads_ / plan.mix.num_races),
      has_fingerprints_(HasFingerprints(plan.config.encoding)),
      random_(random) {
  if (!plan.mix.is_crowded) return;
  const uint32_t num_crowded = plan.first_race() / std::max(1u, plan.keys_per_crowded_block);
  for (uint32_t i = 0; i <= num_crowded; ++i) crowded_.push_back(DrawBlock());
}

uint64_t DigestPlaces::DrawBlock() {
  const uint64_t quad = random_.Below(num_quads_);
  return quad * kBlocksPerRace + random_.Below(kBlocksPerRace - 1);
}

uint64_t DigestPlaces::DigestAt(const Place& place) {
  return has_fingerprints_ ? DigestOfKey(place.block, place.key, num_blocks_, random_)
                           : DigestInBlock(place.block, num_blocks_, random_);
}

uint64_t DigestPlaces::OfRace(uint32_t race) {
  const uint64_t quad = race * quads_per_race_;
  const auto key = static_cast<uint32_t>(random_.Next() >> (64 - kKeyBits));
  return DigestAt({quad * kBlocksPerRace + kBlocksPerRace - 1, key});
}

uint64_t DigestPlaces::Next() {
  if (!places_.empty() && random_.OneIn(3)) {
    return DigestAt(places_[random_.Below(static_cast<uint32_t>(places_.size()))]);
  }
  Place place;
  place.block = crowded_.empty() || random_.OneIn(16)
                    ? DrawBlock()
                    : crowded_[random_.Below(static_cast<uint32_t>(crowded_.size()))];
  place.key = static_cast<uint32_t>(random_.Next() >> (64 - kKeyBits));
  if (!crowded_.empty()) places_.push_back(place);
  return DigestAt(place);
}

}  // namespace trommel::stress
