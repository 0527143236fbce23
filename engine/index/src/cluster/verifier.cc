#include "engine/index/src/cluster/verifier.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/index/src/rocks/byte_codec.h"
#include "engine/index/src/rocks/entry_key.h"
#include "engine/index/src/rocks/rocks_row_store.h"
#include "engine/index/src/rocks/store_scan.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/cluster.h"
#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

constexpr size_t kMaxExamples = 10;
constexpr size_t kEntriesPerRead = 256;
constexpr uint64_t kItemsPerProgress = 4096;

std::string NameOf(uint32_t attribute, std::string_view value, std::string_view row_key) {
  return "attribute " + std::to_string(attribute) + ", value " + Quoted(value) + ", row " +
         Quoted(row_key);
}

bool HasValue(const Versions& versions, uint32_t attribute, const std::string& value) {
  return std::ranges::any_of(versions, [&](const std::vector<Values>& version) {
    return std::ranges::binary_search(version[attribute], value);
  });
}

}  // namespace

struct Verifier::Server {
  uint32_t number = 0;
  const RocksRowStore& store;
  const ServerIndex::Pin& pin;

  // Whether the attribute has entries.
  bool HasEntries(uint32_t of_attribute) const {
    const AttributeState state = pin.state(of_attribute);
    return state == AttributeState::kIndexed || state == AttributeState::kBuilding;
  }
  std::string Place() const { return store.database().folder().filename().string() + ": "; }

  std::vector<std::string> pending = {};  // keys of entries that are to be found
  uint64_t num_found = 0;
  uint64_t num_entries = 0;

  // The pair that the last entry was of.
  std::optional<uint32_t> attribute = std::nullopt;
  std::string value = {};
  std::optional<size_t> position = std::nullopt;  // of the region
  std::vector<uint64_t> candidates = {};          // for the value
};

Result<VerifyReport> Verifier::Run() {
  for (const std::unique_ptr<RocksRowStore>& store : stores_) {
    const StoreSize size = EstimateSize(*store);
    num_expected_ += size.num_rows + size.num_entries;
  }
  {
    const ServerIndex::Pin pin = directory_.PinVersion();
    for (uint32_t i = 0; i < stores_.size(); ++i) {
      if (const Status status = VerifyServer(i, pin); !status) return status.error();
    }
    CountUnbuilt(pin);
  }
  ComparePairs();
  if (progress_ != nullptr) progress_(num_done_, num_done_);
  return std::move(report_);
}

Status Verifier::VerifyServer(uint32_t number, const ServerIndex::Pin& pin) {
  Server server{.number = number, .store = *stores_[number], .pin = pin};
  server.candidates.resize(pin.num_words());
  if (Status status = VerifyRows(server); !status) return status;
  if (Status status = VerifyEntries(server); !status) return status;
  report_.num_entries += server.num_entries;
  return server.num_entries == server.num_found ? Ok() : VerifyRowsOfEntries(server);
}

Status Verifier::VerifyRows(Server& server) {
  const RegionTable& table = server.pin.table();
  Status status = Ok();
  const auto visit = [&](std::string_view key, const Result<Versions>& versions) {
    if (!status) return;  // the index cannot be read: the scan goes on for nothing
    ++report_.num_rows;
    Advance();
    if (!versions) {
      Report(report_.num_wrong_rows, versions.error().message);
      return;
    }
    const Region& region = table[table.Find(key)];
    if (region.server != server.number) {
      Report(report_.num_wrong_rows, server.Place() + "row " + Quoted(key) + " belongs to server " +
                                         std::to_string(region.server));
    }
    for (uint32_t attribute = 0; attribute < num_attributes_; ++attribute) {
      if (!server.HasEntries(attribute)) continue;
      for (const std::string& value : ValuesOf(*versions, attribute)) {
        server.pending.push_back(ValuePrefix(attribute, value).append(key));
      }
    }
    if (server.pending.size() >= kEntriesPerRead) status = FindPendingEntries(server);
  };
  Status scanned = ScanRows(server.store, visit);
  if (!scanned) return scanned;
  if (!status) return status;
  return FindPendingEntries(server);
}

Status Verifier::FindPendingEntries(Server& server) {
  const Result<std::vector<bool>> is_there = FindEntries(server.store, server.pending);
  if (!is_there) return is_there.error();
  for (size_t i = 0; i < is_there->size(); ++i) {
    if ((*is_there)[i]) {
      ++server.num_found;
      continue;
    }
    const Result<EntryKey> entry = DecodeEntryKey(server.pending[i]);
    const std::string name =
        entry ? NameOf(entry->attribute, entry->value, entry->row_key) : entry.error().message;
    Report(report_.num_missing_entries, server.Place() + name + ": there is no entry");
  }
  server.pending.clear();
  return Ok();
}

Status Verifier::VerifyEntries(Server& server) {
  return ScanEntries(server.store, [&](const Result<EntryKey>& entry) {
    ++server.num_entries;
    Advance();
    // Entries that are none, or of other attributes, are found when rows are compared.
    if (entry && entry->attribute < num_attributes_ && server.HasEntries(entry->attribute)) {
      VerifyPair(server, *entry);
    }
  });
}

void Verifier::VerifyPair(Server& server, const EntryKey& entry) {
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
           server.Place() + NameOf(entry.attribute, entry.value, entry.row_key) +
               ": the directory denies region " + std::to_string(table[i].id));
  }
}

Status Verifier::VerifyRowsOfEntries(Server& server) {
  return ScanEntries(server.store, [&](const Result<EntryKey>& entry) {
    if (!entry) {
      Report(report_.num_dangling_entries, server.Place() + entry.error().message);
      return;
    }
    bool is_right = entry->attribute < num_attributes_ && server.HasEntries(entry->attribute);
    if (is_right) {
      const std::string key(entry->row_key);
      const Result<std::vector<Versions>> rows = server.store.Read({&key, 1});
      if (!rows) return;  // the row is reported
      is_right = HasValue(rows->front(), entry->attribute, entry->value);
    }
    if (is_right) return;
    Report(report_.num_dangling_entries,
           server.Place() + NameOf(entry->attribute, entry->value, entry->row_key) +
               ": there is an entry, but the row does not have the value");
  });
}

void Verifier::CountUnbuilt(const ServerIndex::Pin& pin) {
  for (uint32_t attribute = 0; attribute < num_attributes_; ++attribute) {
    if (pin.state(attribute) != AttributeState::kIndexed) continue;
    for (size_t i = 0; i < pin.table().size(); ++i) {
      if (!pin.IsBuilt(attribute, i)) ++report_.num_unbuilt_columns;
    }
  }
}

void Verifier::ComparePairs() {
  const ServerIndexStats stats = directory_.GetStats();
  for (uint32_t attribute = 0; attribute < num_attributes_; ++attribute) {
    const AttributeStats& of = stats.attributes[attribute];
    // Of columns that are not built, some pairs are missing.
    if (of.state != AttributeState::kIndexed || of.num_unbuilt > 0) continue;
    if (of.num_pairs == num_pairs_[attribute]) continue;
    Report(report_.num_wrong_counts, "attribute " + std::to_string(attribute) +
                                         ": the directory has " + std::to_string(of.num_pairs) +
                                         " pairs, the local indexes have " +
                                         std::to_string(num_pairs_[attribute]));
  }
}

void Verifier::Report(uint64_t& count, const std::string& finding) {
  ++count;
  if (report_.examples.size() < kMaxExamples) report_.examples.push_back(finding);
}

void Verifier::Advance() {
  if (++num_done_ % kItemsPerProgress != 0 || progress_ == nullptr) return;
  num_expected_ = std::max(num_expected_, num_done_);
  progress_(num_done_, num_expected_);
}

}  // namespace trommel::index
