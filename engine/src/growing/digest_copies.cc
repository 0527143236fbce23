#include "engine/src/growing/digest_copies.h"

#include <new>
#include <utility>

namespace trommel {

bool DigestCopies::Add(uint64_t string, uint64_t count) noexcept try {
  const auto at = copies_.lower_bound(string);
  if (at != copies_.end() && at->first == string) {
    at->second += count;
  } else if (max_nodes_ == 0) {
    copies_.emplace_hint(at, string, count);
  } else {
    if (spare_.empty()) return false;
    auto node = spare_.extract(spare_.begin());
    node.key() = string;
    node.mapped() = count;
    copies_.insert(at, std::move(node));
  }
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

bool DigestCopies::TakeOne(uint64_t string) noexcept {
  const auto at = copies_.find(string);
  if (at == copies_.end()) return false;
  at->second -= 1;
  if (at->second > 0) return true;
  auto node = copies_.extract(at);
  if (max_nodes_ == 0) return true;
  node.key() = 0;
  spare_.insert(spare_.begin(), std::move(node));
  return true;
}

void DigestCopies::Clear() noexcept {
  while (max_nodes_ != 0 && !copies_.empty()) {
    auto node = copies_.extract(copies_.begin());
    node.key() = 0;
    spare_.insert(spare_.begin(), std::move(node));
  }
  copies_.clear();
}

bool DigestCopies::LimitTo(size_t max_nodes) noexcept {
  if (max_nodes != 0 && copies_.size() > max_nodes) return false;
  std::multimap<uint64_t, uint64_t> spare;
  try {
    for (size_t i = copies_.size(); i < max_nodes; ++i) spare.emplace(0, 0);
  } catch (const std::bad_alloc&) {
    return false;
  }
  spare_.swap(spare);
  max_nodes_ = max_nodes;
  return true;
}

}  // namespace trommel
