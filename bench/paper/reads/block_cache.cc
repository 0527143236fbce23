#include "bench/paper/reads/block_cache.h"

#include <cstddef>
#include <iterator>

#include "bench/sides/workload.h"

namespace trommel::paper {

size_t BlockCache::HashOfName::operator()(const BlockName& name) const {
  return bench::KeyAt(bench::KeyAt(name.file * 2 + static_cast<uint64_t>(name.kind)) ^ name.index);
}

bool BlockCache::Read(const BlockName& name, uint64_t num_bytes) {
  const auto found = by_name_.find(name);
  if (found != by_name_.end()) {
    blocks_.splice(blocks_.begin(), blocks_, found->second);
    return true;
  }
  if (num_bytes > most_bytes_) return false;
  while (num_bytes_[0] + num_bytes_[1] + num_bytes > most_bytes_) Remove(std::prev(blocks_.end()));
  blocks_.push_front({name, num_bytes});
  by_name_[name] = blocks_.begin();
  num_bytes_[static_cast<size_t>(name.kind)] += num_bytes;
  return false;
}

void BlockCache::Drop(uint64_t file) {
  for (auto block = blocks_.begin(); block != blocks_.end();) {
    const auto next = std::next(block);
    if (block->name.file == file) Remove(block);
    block = next;
  }
}

void BlockCache::Remove(Blocks::iterator block) {
  num_bytes_[static_cast<size_t>(block->name.kind)] -= block->num_bytes;
  by_name_.erase(block->name);
  blocks_.erase(block);
}

}  // namespace trommel::paper
