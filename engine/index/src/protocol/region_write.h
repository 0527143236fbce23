// RegionWrite: the part of a batch that is in one region, as one operation: from the region's gate
// over the commit to the last value left.
#ifndef TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_REGION_WRITE_H_
#define TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_REGION_WRITE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/index/src/protocol/flight_table.h"
#include "engine/index/src/protocol/region_states.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {

// What all operations use.
struct WriteContext {
  const Schema& schema;
  ServerIndex& directory;
  RegionStates& regions;
  std::span<RowStore* const> servers;
};

class RegionWrite {
 public:
  // Requires that the mutations' values are sorted, each once.
  RegionWrite(const WriteContext& context, uint32_t region_id,
              std::vector<const Mutation*> mutations);

  // Applies the mutations, in one commit. Those whose keys are no longer in the region are not
  // applied, but in rerouted(). If it throws std::bad_alloc, nothing has stayed in flight.
  Status Run();
  const std::vector<const Mutation*>& rerouted() const { return rerouted_; }

 private:
  Status RunInGate();
  // Reads what the operation relies on from the current version, and divides the mutations into
  // those of the region and those that are to be routed again. Requires the gate and the rows'
  // locks.
  void ReadVersion();
  // Computes new rows and entries from the old rows. Requires the rows' locks.
  Status ComputeChanges();
  // Enters values until one fails.
  Status Enter(std::span<const ValueChange> changes, size_t& num_entered);
  void Leave(std::span<const ValueChange> entered, CommitOutcome outcome) noexcept;
  FlightTable& FlightTableOf(const ValueChange& change);
  FlightPlace PlaceOf(const ValueChange& change);
  Error WithPlace(const Error& error) const;

  const WriteContext& context_;
  const uint32_t region_id_;
  const std::shared_ptr<RegionState> region_;  // null: there is no such region any more
  std::vector<const Mutation*> mutations_;     // by key; those of one key in the batch's order
  std::vector<const Mutation*> rerouted_;

  // As the current version has them.
  KeyRange range_;
  uint32_t server_ = 0;
  uint64_t incarnation_ = 0;         // of the server's store, before the operation reads from it
  std::vector<bool> is_maintained_;  // by attribute: its entries

  std::vector<RowChange> rows_;
  std::vector<EntryChange> entries_;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_REGION_WRITE_H_
