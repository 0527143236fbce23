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

}  // namespace trommel::stress
