// The verifier's walks over entries.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/index/src/cluster/verified_server.h"
#include "engine/index/src/cluster/verifier.h"
#include "engine/index/src/model/table_record.h"
#include "engine/index/src/rocks/entry_key.h"
#include "engine/index/src/rocks/item_scan.h"
#include "engine/index/src/rocks/rocks_row_store.h"
#include "engine/index/src/rocks/store_scan.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

constexpr size_t kItemsPerStep = 256;

bool HasValue(const Versions& versions, uint32_t attribute, const std::string& value) {
  return std::ranges::any_of(versions, [&](const std::vector<Values>& version) {
    return std::ranges::binary_search(version[attribute], value);
  });
}

// Reads rows, of which some may be damaged: none for these.
Result<std::vector<std::optional<Versions>>> ReadReadable(const RowStore& store,
                                                          std::span<const std::string> keys) {
  std::vector<std::optional<Versions>> rows;
  if (Result<std::vector<Versions>> all = store.Read(keys); all) {
    for (Versions& versions : *all) rows.emplace_back(std::move(versions));
    return rows;
  }
  for (const std::string& key : keys) {
    Result<std::vector<Versions>> row = store.Read({&key, 1});
    if (row) {
      rows.emplace_back(std::move(row->front()));
    } else if (row.error().code == ErrorCode::kIo) {
      return row.error();  // not the row's fault
    } else {
      rows.emplace_back(std::nullopt);
    }
  }
  return rows;
}

}  // namespace

Status Verifier::VerifyPairs(VerifiedServer& server) {
  return ScanEntries(server.store, [&](const Result<EntryKey>& entry) {
    ++report_.num_entries;
    Advance();
    // Entries that are none, or of other attributes, are found when rows are compared.
    if (!entry || entry->attribute >= record_.attributes.size()) {
      ++server.num_compared;
      return report_.is_whole;
    }
    if (record_.attributes[entry->attribute].state == AttributeState::kDropping ||
        server.IsLeftover(entry->row_key)) {
      return report_.is_whole;
    }
    ++server.num_compared;
    if (HasEntries(entry->attribute)) VerifyPair(server, *entry);
    return report_.is_whole;
  });
}

void Verifier::VerifyPair(VerifiedServer& server, const EntryKey& entry) {
  if (server.attribute != entry.attribute || server.value != entry.value) {
    server.attribute = entry.attribute;
    server.value = entry.value;
    server.position.reset();
    server.pin.Candidates(entry.attribute, Key(entry.value), server.candidates);
  }
  const RegionTable& table = server.pin.table();
  if (server.position && table[*server.position].range.Contains(entry.row_key)) return;
  server.position = table.Find(entry.row_key);
  if (table[*server.position].server != server.number) return;  // its row is reported
  ++report_.num_pairs;
  ++num_pairs_[entry.attribute];
  const size_t i = *server.position;
  if ((server.candidates[i / 64] >> i % 64 & 1) == 0) {
    Report(report_.num_missing_pairs,
           server.NameOf(entry) + ": the directory denies region " + std::to_string(table[i].id));
    MarkColumnOf(server, entry);
  }
}

Status Verifier::VerifyRowsOfEntries(VerifiedServer& server) {
  const Result<std::unique_ptr<ItemScan>> scan =
      ItemScan::Begin(server.store.database(), kIndexFamily, {}, ItemParts::kKeys);
  if (!scan) return scan.error();
  for (;;) {
    const Result<std::vector<StoredItem>> items = (*scan)->Next(kItemsPerStep);
    if (!items) return items.error();
    if (items->empty() || !watch_.MayGoOn()) {
      report_.is_whole = items->empty();
      return repairs_.Commit();
    }
    if (Status status = VerifyRowsOf(server, *items); !status) return status;
    if (!repairs_.is_full()) continue;
    if (Status status = repairs_.Commit(); !status) return status;
  }
}

Status Verifier::VerifyRowsOf(VerifiedServer& server, std::span<const StoredItem> index_items) {
  const auto report = [&](const EntryKey& entry) {
    Report(report_.num_dangling_entries,
           server.NameOf(entry) + ": there is an entry, but the row does not have the value");
    repairs_.RemoveEntry(entry);
    MarkColumnOf(server, entry);
  };
  std::vector<EntryKey> entries;
  std::vector<std::string> row_keys;  // of these
  for (const StoredItem& item : index_items) {
    Result<EntryKey> entry = DecodeEntryKey(item.key);
    if (!entry) {
      Report(report_.num_dangling_entries, server.Place() + entry.error().message);
      repairs_.RemoveKey(item.key);
      continue;
    }
    const bool is_known = entry->attribute < record_.attributes.size();
    if (is_known && (record_.attributes[entry->attribute].state == AttributeState::kDropping ||
                     server.IsLeftover(entry->row_key))) {
      continue;
    }
    if (!is_known || !HasEntries(entry->attribute)) {
      report(*entry);
    } else {
      row_keys.emplace_back(entry->row_key);
      entries.push_back(*std::move(entry));
    }
  }
  const Result<std::vector<std::optional<Versions>>> rows = ReadReadable(server.store, row_keys);
  if (!rows) return rows.error();
  for (size_t i = 0; i < entries.size(); ++i) {
    const std::optional<Versions>& versions = (*rows)[i];
    if (!versions) continue;  // the row is reported
    if (!HasValue(*versions, entries[i].attribute, entries[i].value)) report(entries[i]);
  }
  return Ok();
}

void Verifier::MarkColumnOf(const VerifiedServer& server, const EntryKey& entry) {
  if (!HasColumns(entry.attribute)) return;
  const Region& region = server.RegionOf(entry.row_key);
  if (region.server != server.number) return;  // the column is of other entries
  repairs_.Mark({.region_id = region.id, .attribute = entry.attribute});
}

}  // namespace trommel::index
