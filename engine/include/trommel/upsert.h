/// @file
/// Upsert: puts of keys that may be in the caller's table already.
///
/// A filter in front of a table must hold each of its keys as often as the table does: once. A put
/// of a new key is an Insert, a put of a key that the table has is nothing, a delete of a key that
/// the table had is an Erase. Where the table tells which it was, write just that:
/// @code{.unparsed}
///   put     lock the row; if the table does not have the key: filter.Insert(key); table.Put(key)
///   delete  lock the row; if table.Delete(key) removed it:    filter.Erase(key)
/// @endcode
/// The filter must have a key before the table shows it, and may let it go only afterwards: so no
/// query misses a row.
///
/// *InsertIfAbsent for puts and Erase for deletes loses keys*, whatever the filter. It inserts
/// nothing for a new key that looks present by a false positive, and its delete then takes what
/// belongs to another key, which becomes absent though the table has it. At a rate of 1 % that is
/// one put in a hundred. A table that is asked before each put has no such error, but is asked for
/// nothing where the filter says "absent", which is certain. Upsert asks it about the others only.
#ifndef TROMMEL_UPSERT_H_
#define TROMMEL_UPSERT_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/export.h"
#include "trommel/keys.h"
#include "trommel/outcomes.h"
#include "trommel/result.h"
#include "trommel/scalable_filter.h"

namespace trommel {

/// Asks the caller's table about some keys of the batch: `asked` has their indices in the batch,
/// ascending. Returns which of these indices are of keys that the table has, in any order; or the
/// error that kept it from asking, which ends the call.
/// @code{.unparsed}
///   [&](std::span<const uint32_t> asked) -> Result<std::vector<uint32_t>> {
///     std::vector<uint32_t> existing;
///     for (const uint32_t i : asked) {
///       if (table.Has(keys[i])) existing.push_back(i);
///     }
///     return existing;
///   }
/// @endcode
/// Requires that it returns indices of `asked` only: any other number ends the program with a
/// message.
using ExistFunction = std::function<Result<std::vector<uint32_t>>(std::span<const uint32_t> asked)>;

/// What Upsert did.
struct UpsertOutcome {
  uint64_t num_inserted = 0;  ///< Keys that were not in the table: the filter has them now.
  uint64_t num_existing = 0;  ///< Keys that the table had: the filter has them already.
  uint64_t num_repeated = 0;  ///< Keys equal to an earlier one of the batch, whose fate they share.
  uint64_t num_asked = 0;     ///< Keys about which the table was asked.
  uint64_t num_refused = 0;   ///< As InsertOutcome::num_refused: the filter does not have them.
  GrowthRefusal refusal = GrowthRefusal::kNone;  ///< As InsertOutcome::refusal.

  /// Memberwise equality.
  friend bool operator==(const UpsertOutcome&, const UpsertOutcome&) = default;
};

/// Makes the filter hold every key of the batch, if it holds each key of the table once: inserts
/// those that the table does not have, and changes nothing for the others. Sets the bits in
/// `inserted` of the keys that were inserted and clears those of the others; if a put of such a key
/// fails afterwards, erase it. Apply the puts after the call.
///
/// `exist` is called at most once, on the calling thread, with the keys that look present; of keys
/// that are equal to each other, with the first. The library holds no lock meanwhile.
///
/// Fails with the error of `exist`, and throws what it throws, or std::bad_alloc. Then it has
/// erased again what it had inserted: no bit of `inserted` is set, and the filter holds the keys
/// that it held before. Requires fewer than 2^32 keys, that `inserted` has BitmapWords(keys.size())
/// words, and that no other thread puts or deletes the same keys between the begin of the call and
/// the puts: hold the locks of their rows.
///
/// Thread safety: as InsertIfAbsent of the filter. Cost: that of InsertIfAbsent; where keys look
/// present also their lookups, and a pass over the digests of the batch.
/// @{
TROMMEL_API Result<UpsertOutcome> Upsert(CountingFilter& filter, Keys keys,
                                         const ExistFunction& exist, std::span<uint64_t> inserted);
TROMMEL_API Result<UpsertOutcome> Upsert(ConcurrentFilter& filter, Keys keys,
                                         const ExistFunction& exist, std::span<uint64_t> inserted);
TROMMEL_API Result<UpsertOutcome> Upsert(ScalableFilter& filter, Keys keys,
                                         const ExistFunction& exist, std::span<uint64_t> inserted);
/// @}

}  // namespace trommel

#endif  // TROMMEL_UPSERT_H_
