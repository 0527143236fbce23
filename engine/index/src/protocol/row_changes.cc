#include "engine/index/src/protocol/row_changes.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace trommel::index {
namespace {

// Appends an entry for each value of `values` that `others` lacks. Both are sorted.
void AppendDifference(uint32_t attribute, const std::string& key, const Values& values,
                      const Values& others, bool is_added, std::vector<EntryChange>& entries) {
  Values difference;
  std::set_difference(values.begin(), values.end(), others.begin(), others.end(),
                      std::back_inserter(difference));
  for (std::string& value : difference) {
    entries.push_back({attribute, std::move(value), key, is_added});
  }
}

}  // namespace

void Apply(const Mutation& mutation, uint32_t max_versions, Versions& versions) {
  if (!mutation.attributes) {
    versions.clear();
    return;
  }
  const std::vector<Values>& values = *mutation.attributes;
  const bool changes_nothing =
      !versions.empty() && std::all_of(versions.begin(), versions.end(),
                                       [&](const auto& version) { return version == values; });
  if (changes_nothing) return;
  versions.insert(versions.begin(), values);
  if (versions.size() > max_versions) versions.resize(max_versions);
}

void AppendEntryChanges(const std::string& key, const Versions& before, const Versions& after,
                        const std::vector<bool>& is_maintained, std::vector<EntryChange>& entries) {
  for (uint32_t attribute = 0; attribute < is_maintained.size(); ++attribute) {
    if (!is_maintained[attribute]) continue;
    const Values old_values = ValuesOf(before, attribute);
    const Values new_values = ValuesOf(after, attribute);
    AppendDifference(attribute, key, old_values, new_values, false, entries);
    AppendDifference(attribute, key, new_values, old_values, true, entries);
  }
}

std::vector<ValueChange> ValueChangesOf(std::span<const EntryChange> entries) {
  std::vector<ValueChange> changes;
  changes.reserve(entries.size());
  for (const EntryChange& entry : entries) {
    changes.push_back({entry.attribute, entry.value, entry.is_added, !entry.is_added});
  }
  std::sort(changes.begin(), changes.end(), [](const ValueChange& a, const ValueChange& b) {
    return std::tie(a.attribute, a.value) < std::tie(b.attribute, b.value);
  });
  size_t num_changes = 0;
  for (ValueChange& change : changes) {
    ValueChange* const last = num_changes == 0 ? nullptr : &changes[num_changes - 1];
    if (last != nullptr && last->attribute == change.attribute && last->value == change.value) {
      last->is_gained |= change.is_gained;
      last->is_lost |= change.is_lost;
    } else if (ValueChange& place = changes[num_changes++]; &place != &change) {
      place = std::move(change);
    }
  }
  changes.resize(num_changes);
  return changes;
}

}  // namespace trommel::index
