#include "engine/src/growing/side_strings.h"

#include <new>

#include "engine/src/growing/segment.h"

namespace trommel {

// --- Nodes.

bool SideNodes::Make(size_t num_nodes) noexcept try {
  if (spare_.size() >= num_nodes) return true;
  if (max_nodes_ != 0) return false;
  while (spare_.size() < num_nodes) spare_.emplace(0, 0);
  return true;
} catch (const std::bad_alloc&) {
  Trim();
  return false;
}

SideNodes::Node SideNodes::Take() noexcept {
  if (!Make(1)) return {};
  return spare_.extract(spare_.begin());
}

void SideNodes::Give(Node node) noexcept {
  node.key() = 0;  // as all spare ones
  spare_.insert(spare_.begin(), std::move(node));
}

bool SideNodes::LimitTo(size_t max_nodes, size_t num_used) noexcept {
  const size_t max_before = std::exchange(max_nodes_, 0);
  const bool is_made = Make(max_nodes - num_used);
  max_nodes_ = is_made ? max_nodes : max_before;
  while (is_made && spare_.size() > max_nodes - num_used) spare_.erase(spare_.begin());
  return is_made;
}

// --- Strings.

uint64_t SideStrings::CopiesOf(uint64_t string) const {
  const auto at = copies_.find(string);
  return at == copies_.end() ? 0 : at->second;
}

bool SideStrings::Add(uint64_t string, uint64_t count) noexcept try {
  const auto at = copies_.lower_bound(string);
  if (at != copies_.end() && at->first == string) {
    at->second += count;
    return true;
  }
  if (nodes_->max_nodes() == 0) {
    copies_.emplace_hint(at, string, count);
    return true;
  }
  if (!HasSpaceFor(1)) return false;
  SideNodes::Node node = nodes_->Take();
  if (node.empty()) return false;
  node.key() = string;
  node.mapped() = count;
  copies_.insert(at, std::move(node));
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

bool SideStrings::TakeOne(uint64_t string) noexcept {
  const auto at = copies_.find(string);
  if (at == copies_.end()) return false;
  at->second -= 1;
  if (at->second != 0) return true;
  nodes_->Give(copies_.extract(at));
  nodes_->Trim();
  return true;
}

bool SideStrings::HasSpaceFor(size_t num_entries, size_t num_now) noexcept {
  if (num_entries <= num_now) return true;
  return HasSpaceFor(num_entries - num_now) && nodes_->Make(num_entries - num_now);
}

size_t SideStrings::NumOf(uint64_t prefix, uint32_t depth) const noexcept {
  size_t number = 0;
  for (auto at = copies_.lower_bound(StringOf(prefix, depth, 0));
       at != copies_.end() && PrefixOf(at->first, depth) == prefix; ++at) {
    number += 1;
  }
  return number;
}

bool SideStrings::HasSome(uint64_t prefix, uint32_t depth) const noexcept {
  const auto at = copies_.lower_bound(StringOf(prefix, depth, 0));
  return at != copies_.end() && PrefixOf(at->first, depth) == prefix;
}

void SideStrings::Remove(uint64_t prefix, uint32_t depth) noexcept {
  auto at = copies_.lower_bound(StringOf(prefix, depth, 0));
  while (at != copies_.end() && PrefixOf(at->first, depth) == prefix) {
    nodes_->Give(copies_.extract(at++));
  }
}

void SideStrings::Put(uint64_t string, uint64_t count) noexcept {
  SideNodes::Node node = nodes_->Take();
  node.key() = string;
  node.mapped() = count;
  copies_.insert(std::move(node));
}

void SideStrings::Clear() noexcept {
  while (!copies_.empty()) nodes_->Give(copies_.extract(copies_.begin()));
  nodes_->Trim();
}

}  // namespace trommel
