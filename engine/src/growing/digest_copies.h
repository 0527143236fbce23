// DigestCopies: further copies of whole digests, of which a shard's table has each once
// (digest_table.h).
//
// With a limit all nodes of the map are made when it is set, and none is made or freed from then
// on.
#ifndef TROMMEL_ENGINE_SRC_GROWING_DIGEST_COPIES_H_
#define TROMMEL_ENGINE_SRC_GROWING_DIGEST_COPIES_H_

#include <cstddef>
#include <cstdint>
#include <map>

namespace trommel {

// Thread safety: under the lock of the shard.
class DigestCopies {
 public:
  // Bytes of a node, with what the allocator adds.
  static constexpr uint64_t kNodeBytes = 64;

  uint64_t num_bytes() const {
    return (max_nodes_ != 0 ? max_nodes_ : copies_.size()) * kNodeBytes;
  }
  uint64_t CopiesOf(uint64_t string) const {
    const auto at = copies_.find(string);
    return at == copies_.end() ? 0 : at->second;
  }
  // Calls use(string, count), ascending.
  template <class Use>
  void ForEach(const Use& use) const {
    for (const auto& [string, count] : copies_) use(string, count);
  }

  // Adds copies. Returns false, and changes nothing, if there is no memory for an entry.
  [[nodiscard]] bool Add(uint64_t string, uint64_t count) noexcept;
  // Takes one. Returns false if there is none.
  bool TakeOne(uint64_t string) noexcept;
  void Clear() noexcept;

  // So many entries at most from now on; 0: no limit. Returns false, and changes nothing, if there
  // are more, or the system refuses them.
  [[nodiscard]] bool LimitTo(size_t max_nodes) noexcept;

 private:
  std::map<uint64_t, uint64_t> copies_;
  std::multimap<uint64_t, uint64_t> spare_;  // of one key: nodes go from map to map without memory
  size_t max_nodes_ = 0;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_GROWING_DIGEST_COPIES_H_
