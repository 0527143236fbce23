// XXH3 behind a type that shows nothing of xxHash.
#include "engine/src/disk/checksum.h"

#include <new>
#include <type_traits>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace trommel {
namespace {

static_assert(std::is_trivially_copyable_v<XXH3_state_t>, "Checksum copies it as bytes");
static_assert(sizeof(XXH3_state_t) <= sizeof(Checksum) && alignof(XXH3_state_t) <= 64,
              "xxHash's state has outgrown Checksum's room for it");

XXH3_state_t* StateIn(std::byte* bytes) {
  return std::launder(reinterpret_cast<XXH3_state_t*>(bytes));
}
const XXH3_state_t* StateIn(const std::byte* bytes) {
  return std::launder(reinterpret_cast<const XXH3_state_t*>(bytes));
}

}  // namespace

Checksum::Checksum() noexcept : state_{} {
  auto* state = new (state_.data()) XXH3_state_t;
  XXH3_INITSTATE(state);
  XXH3_64bits_reset(state);
}

void Checksum::Add(std::span<const std::byte> bytes) noexcept {
  // xxHash takes a null pointer for an error, even with no bytes behind it.
  if (!bytes.empty()) XXH3_64bits_update(StateIn(state_.data()), bytes.data(), bytes.size());
}

uint64_t Checksum::Value() const noexcept { return XXH3_64bits_digest(StateIn(state_.data())); }

uint64_t Checksum::Of(std::span<const std::byte> bytes) noexcept {
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace trommel
