// RowChanges: what mutations make of rows, and of the entries of the local index. Pure functions.
#ifndef TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_ROW_CHANGES_H_
#define TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_ROW_CHANGES_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/index/src/protocol/flight_table.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/schema.h"

namespace trommel::index {

// Applies one mutation: a put adds a version in front and drops those beyond max_versions; a delete
// removes the row. A put of values that all readable versions have anyway changes nothing. Requires
// that the mutation's values are sorted, each once.
void Apply(const Mutation& mutation, uint32_t max_versions, Versions& versions);

// Appends the entries that the row gains and loses. is_maintained: by attribute.
void AppendEntryChanges(const std::string& key, const Versions& before, const Versions& after,
                        const std::vector<bool>& is_maintained, std::vector<EntryChange>& entries);

// Returns the values that rows gain or lose by these entries, each once, by attribute and value.
std::vector<ValueChange> ValueChangesOf(std::span<const EntryChange> entries);

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_ROW_CHANGES_H_
