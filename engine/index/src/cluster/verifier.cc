#include "engine/index/src/cluster/verifier.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/index/src/cluster/repairs.h"
#include "engine/index/src/cluster/verified_server.h"
#include "engine/index/src/model/table_record.h"
#include "engine/index/src/rocks/byte_codec.h"
#include "engine/index/src/rocks/entry_key.h"
#include "engine/index/src/rocks/rocks_row_store.h"
#include "engine/index/src/rocks/store_scan.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/cluster.h"
#include "trommel/index/region_table.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

constexpr size_t kMaxExamples = 10;
constexpr size_t kEntriesPerRead = 256;
constexpr uint64_t kItemsPerProgress = 4096;

}  // namespace

Result<VerifyReport> Verifier::Run() {
  for (const std::unique_ptr<RocksRowStore>& store : stores_) {
    // A server that cannot be read ends it before anything is repaired.
    if (const Result<std::vector<Versions>> none = store->Read({}); !none) return none.error();
    const StoreSize size = EstimateSize(*store);
    num_expected_ += size.num_rows + size.num_entries;
  }
  stats_ = directory_.GetStats();
  {
    const ServerIndex::Pin pin = directory_.PinVersion();
    for (uint32_t i = 0; i < stores_.size(); ++i) {
      report_.is_whole = report_.is_whole && watch_.MayGoOn();
      if (!report_.is_whole) break;
      if (const Status status = VerifyServer(i, pin); !status) return status.error();
    }
    CountUnbuilt(pin);
    if (report_.is_whole) ComparePairs(pin);
  }
  watch_.Report(num_done_, std::max(num_done_, report_.is_whole ? 0 : num_expected_));
  report_.num_repaired = repairs_.num_done();
  return std::move(report_);
}

Status Verifier::VerifyServer(uint32_t number, const ServerIndex::Pin& pin) {
  VerifiedServer server{.number = number,
                        .schema = schema_,
                        .store = *stores_[number],
                        .pin = pin,
                        .incarnation = stores_[number]->incarnation()};
  for (const Leftover& leftover : record_.leftovers) {
    if (leftover.server == number) server.leftovers.push_back(leftover.range);
  }
  server.candidates.resize(pin.num_words());
  repairs_.Begin(server.store);
  if (Status status = VerifyPairs(server); !status) return status;
  if (report_.is_whole) {
    if (Status status = VerifyRows(server); !status) return status;
  }
  if (report_.is_whole && server.num_compared != server.num_found) {
    if (Status status = VerifyRowsOfEntries(server); !status) return status;
  }
  if (Status status = repairs_.Finish(); !status) return status;
  // Walks before and after it would not fit together.
  if (server.store.incarnation() == server.incarnation) return Ok();
  return Error{ErrorCode::kIo, server.Place() + "the server stopped while it was verified"};
}

Status Verifier::VerifyRows(VerifiedServer& server) {
  Status status = Ok();
  Status scanned =
      ScanRows(server.store, [&](std::string_view key, const Result<Versions>& versions) {
        status = VerifyRow(server, key, versions);
        return status.ok() && report_.is_whole;
      });
  if (!scanned) return scanned;
  if (!status) return status;
  if (status = FindPendingEntries(server); !status) return status;
  return repairs_.Commit();
}

Status Verifier::VerifyRow(VerifiedServer& server, std::string_view key,
                           const Result<Versions>& versions) {
  ++report_.num_rows;
  Advance();
  if (server.IsLeftover(key)) {
    ++report_.num_leftover_rows;
    return Ok();
  }
  if (!versions) {
    Report(report_.num_wrong_rows, versions.error().message);
    return Ok();
  }
  const uint32_t owner = server.RegionOf(key).server;
  const bool is_own = owner == server.number;
  std::vector<uint32_t> attributes;
  for (uint32_t attribute = 0; attribute < record_.attributes.size(); ++attribute) {
    if (!HasEntries(attribute)) continue;
    attributes.push_back(attribute);
    const AttributeRecord& record = record_.attributes[attribute];
    // A backfill makes entries of the other rows, or has made them and not yet recorded it.
    const bool is_required = is_own && (record.state == AttributeState::kIndexed ||
                                        (record.backfilled && key < *record.backfilled));
    for (const std::string& value : ValuesOf(*versions, attribute)) {
      server.pending.push_back(ValuePrefix(attribute, value).append(key));
      server.is_required.push_back(is_required);
    }
  }
  if (!is_own) {
    Report(report_.num_wrong_rows,
           server.Place() + "row " + Quoted(key) + " belongs to server " + std::to_string(owner));
    repairs_.RemoveRow(key, *versions, attributes);
  }
  if (server.pending.size() < kEntriesPerRead && !repairs_.is_full()) return Ok();
  return FindPendingEntries(server);
}

// Commits only after it has looked: entries of rows that are removed count as found.
Status Verifier::FindPendingEntries(VerifiedServer& server) {
  const Result<std::vector<bool>> is_there = FindEntries(server.store, server.pending);
  if (!is_there) return is_there.error();
  for (size_t i = 0; i < is_there->size(); ++i) {
    if ((*is_there)[i]) {
      ++server.num_found;
      continue;
    }
    if (!server.is_required[i]) continue;
    const Result<EntryKey> entry = DecodeEntryKey(server.pending[i]);
    Report(report_.num_missing_entries,
           (entry ? server.NameOf(*entry) : server.Place() + entry.error().message) +
               ": there is no entry");
    if (!entry) continue;
    repairs_.AddEntry(*entry);
    MarkColumnOf(server, *entry);
  }
  server.pending.clear();
  server.is_required.clear();
  return repairs_.is_full() ? repairs_.Commit() : Ok();
}

void Verifier::CountUnbuilt(const ServerIndex::Pin& pin) {
  for (uint32_t attribute = 0; attribute < record_.attributes.size(); ++attribute) {
    if (pin.state(attribute) != AttributeState::kIndexed) continue;
    for (size_t i = 0; i < pin.table().size(); ++i) {
      if (!pin.IsBuilt(attribute, i)) ++report_.num_unbuilt_columns;
    }
  }
}

void Verifier::ComparePairs(const ServerIndex::Pin& pin) {
  for (uint32_t attribute = 0; attribute < record_.attributes.size(); ++attribute) {
    const AttributeStats& of = stats_.attributes[attribute];
    // Of columns that are not built, some pairs are missing.
    if (!HasColumns(attribute) || of.num_unbuilt > 0) continue;
    if (of.num_pairs == num_pairs_[attribute]) continue;
    Report(report_.num_wrong_counts, AttributeText(schema_, attribute) + ": the directory has " +
                                         std::to_string(of.num_pairs) +
                                         " pairs, the local indexes have " +
                                         std::to_string(num_pairs_[attribute]));
    // Which column it is, is not known.
    for (const Region& region : pin.table().regions()) {
      repairs_.Mark({.region_id = region.id, .attribute = attribute});
    }
  }
  repairs_.MarkColumns();
}

bool Verifier::HasEntries(uint32_t attribute) const {
  const AttributeState state = record_.attributes[attribute].state;
  return state == AttributeState::kIndexed || state == AttributeState::kBuilding;
}

bool Verifier::HasColumns(uint32_t attribute) const {
  return attribute < stats_.attributes.size() &&
         stats_.attributes[attribute].state == AttributeState::kIndexed &&
         stats_.attributes[attribute].pairs_per_region > 0;
}

void Verifier::Report(uint64_t& count, const std::string& finding) {
  ++count;
  if (report_.examples.size() < kMaxExamples) report_.examples.push_back(finding);
}

void Verifier::Advance() {
  if (++num_done_ % kItemsPerProgress != 0) return;
  num_expected_ = std::max(num_expected_, num_done_);
  watch_.Report(num_done_, num_expected_);
  report_.is_whole = watch_.MayGoOn();
}

}  // namespace trommel::index
