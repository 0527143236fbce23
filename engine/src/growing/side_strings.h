// SideStrings: the copies by string that the blocks of a growing shard have no place for.
//
// Its entries are nodes of an ordered map, so that those of a block stand together at any depth.
// Nodes can be made before they are needed: what needs several of them is then done as a whole or
// not at all. With a limit all nodes are made when it is set, and none is made or freed from then
// on:
//
//   nodes    | in entries: at most half of them | spare: for entries, and for what a step moves |
#ifndef TROMMEL_ENGINE_SRC_GROWING_SIDE_STRINGS_H_
#define TROMMEL_ENGINE_SRC_GROWING_SIDE_STRINGS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace trommel {

// The spare nodes of a shard. Thread safety: under the lock of the shard.
class SideNodes {
 public:
  using Node = std::map<uint64_t, uint64_t>::node_type;

  // Bytes of a node, with what the allocator adds.
  static constexpr uint64_t kNodeBytes = 64;

  // At least so many spare ones. Returns false if a limit or the system refuses them.
  [[nodiscard]] bool Make(size_t num_nodes) noexcept;
  // A spare one, or a new one. Empty if a limit or the system refuses it.
  Node Take() noexcept;
  void Give(Node node) noexcept;
  // Frees the spare ones, unless there is a limit.
  void Trim() noexcept {
    if (max_nodes_ == 0 && !spare_.empty()) spare_.clear();
  }

  // Makes so many nodes, of which num_used are in entries. Returns false, and changes nothing, if
  // the system refuses them.
  [[nodiscard]] bool LimitTo(size_t max_nodes, size_t num_used) noexcept;
  // The limit of other ones, with all nodes spare. Requires that none was made. Returns false if
  // the system refuses them.
  [[nodiscard]] bool LimitAs(const SideNodes& other) noexcept {
    return other.max_nodes_ == 0 || LimitTo(other.max_nodes_, 0);
  }
  void LiftLimit() noexcept {
    max_nodes_ = 0;
    Trim();
  }
  size_t max_nodes() const { return max_nodes_; }  // 0: no limit

 private:
  std::multimap<uint64_t, uint64_t> spare_;  // of one key: nodes go from map to map without memory
  size_t max_nodes_ = 0;
};

// Thread safety: under the lock of the shard.
class SideStrings {
 public:
  using Map = std::map<uint64_t, uint64_t>;

  // The nodes must outlive it.
  explicit SideStrings(SideNodes& nodes) : nodes_(&nodes) {}
  SideStrings(const SideStrings&) = delete;
  SideStrings& operator=(const SideStrings&) = delete;
  ~SideStrings() { Clear(); }

  const Map& all() const { return copies_; }
  bool empty() const { return copies_.empty(); }
  size_t size() const { return copies_.size(); }
  uint64_t CopiesOf(uint64_t string) const;

  // Adds copies. Returns false, and changes nothing, if there is no memory for an entry.
  [[nodiscard]] bool Add(uint64_t string, uint64_t count) noexcept;
  // Takes one. Returns false if there is none.
  bool TakeOne(uint64_t string) noexcept;

  // Is there memory for so many entries in place of num_now of those that are in? Makes it, so that
  // Remove of these and Put of the others need none.
  [[nodiscard]] bool HasSpaceFor(size_t num_entries, size_t num_now) noexcept;
  // Removes the entries whose strings begin with this prefix of `depth` bits.
  void Remove(uint64_t prefix, uint32_t depth) noexcept;
  size_t NumOf(uint64_t prefix, uint32_t depth) const noexcept;
  bool HasSome(uint64_t prefix, uint32_t depth) const noexcept;
  // Requires a spare node, and no entry of the string.
  void Put(uint64_t string, uint64_t count) noexcept;

  // All entries of another one with the same nodes, which has none of the strings that are in.
  void TakeAll(SideStrings& other) noexcept { copies_.merge(other.copies_); }
  void Clear() noexcept;
  // After a change: frees nodes that it has left over, unless there is a limit.
  void TrimSpare() noexcept { nodes_->Trim(); }

 private:
  bool HasSpaceFor(size_t num_more) const {
    return nodes_->max_nodes() == 0 || copies_.size() + num_more <= nodes_->max_nodes() / 2;
  }

  SideNodes* nodes_;
  Map copies_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_GROWING_SIDE_STRINGS_H_
