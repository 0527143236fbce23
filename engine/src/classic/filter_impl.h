// What a classic filter is made of, shared by the sources of the three.
#ifndef TROMMEL_ENGINE_SRC_CLASSIC_FILTER_IMPL_H_
#define TROMMEL_ENGINE_SRC_CLASSIC_FILTER_IMPL_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>

#include "engine/src/classic/position_store.h"
#include "trommel/classic/filter.h"

namespace trommel::classic {

struct Filter::Impl {
  explicit Impl(PositionStore positions) : store(std::move(positions)) {}

  // How filters of this kind come to be (kinds.cc); failing as their contracts say.
  using Made = Result<std::unique_ptr<Impl>>;
  static Made Create(Kind kind, const Config& config);
  static Made WithGeometry(Kind kind, const Geometry& geometry, const DigestPolicy& policy,
                           uint64_t limit_bytes);
  static Made Load(Kind kind, const std::filesystem::path& path, uint64_t limit_bytes,
                   const DigestKey& digest_key);
  static Made Deserialize(Kind kind, std::span<const std::byte> bytes, uint64_t limit_bytes,
                          const DigestKey& digest_key);

  size_t Query(Keys keys, uint32_t num_probes, std::span<uint64_t> maybe_present) const noexcept;

  // Down to zero and no further: see Filter::num_keys.
  void TakeKeys(uint64_t num_gone) { num_keys -= num_gone < num_keys ? num_gone : num_keys; }

  PositionStore store;
  DigestPolicy policy;
  std::shared_ptr<Executor> executor;
  uint64_t capacity = 0;
  double target_fpr = 0;
  uint64_t memory_limit_bytes = 0;
  uint64_t num_keys = 0;
  uint64_t num_refused_erases = 0;
};

}  // namespace trommel::classic

#endif  // TROMMEL_ENGINE_SRC_CLASSIC_FILTER_IMPL_H_
