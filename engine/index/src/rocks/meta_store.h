// MetaStore: the database `meta` of a cluster: what the cluster is, and the record of its table. It
// is what makes a folder a cluster: its records are written last, when all servers are there.
#ifndef TROMMEL_ENGINE_INDEX_SRC_ROCKS_META_STORE_H_
#define TROMMEL_ENGINE_INDEX_SRC_ROCKS_META_STORE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "engine/index/src/model/table_record.h"
#include "engine/index/src/rocks/database.h"
#include "engine/index/src/rocks/meta_codec.h"
#include "engine/index/src/rows/table_recorder.h"
#include "trommel/result.h"

namespace trommel::index {

// Returns where server i's database is: server-000 and so on.
std::filesystem::path ServerFolder(const std::filesystem::path& cluster, size_t server);

struct MetaRecords {
  ClusterRecord cluster;
  TableRecord table;
};

// A failure that tests cause: what Record is told of a write.
enum class RecordFault : uint8_t {
  kNone,
  kDone,  // it failed, though it is done
};

// Thread safety: one call at a time.
class MetaStore final : public TableRecorder {
 public:
  // Makes the folder with an empty database, which keeps other processes out. Fails with kExists if
  // the folder has anything in it, and with kIo.
  static Result<MetaStore> Create(const std::filesystem::path& cluster);
  // Fails with kIo if there is no cluster or it is open elsewhere, and with kCorrupt if its
  // creation was interrupted.
  static Result<MetaStore> Open(const std::filesystem::path& cluster);

  // Writes both records, durable and in one write.
  Status Write(const MetaRecords& records);
  // Fails with kVersion if a newer program made the cluster, with kCorrupt if a record is missing
  // or damaged, and with kIo.
  Result<MetaRecords> Read();
  // The first one of a cluster of format 1 makes it one of format 2, in the same write. When the
  // outcome is kUnknown, the database stays closed, and the next call opens it first: if it cannot,
  // nothing is written, and the outcome is kUnknown again.
  RecordOutcome Record(const TableRecord& record) override;

  void SetFault(RecordFault fault) { fault_ = fault; }

 private:
  explicit MetaStore(Database database)
      : folder_(database.folder()), database_(std::move(database)) {}

  // Opens the database if it is closed.
  Status Reopen();
  // Writes the table's record, and the cluster's if it has an older format.
  Status WriteTable(const std::string& bytes);
  // Returns which record is there after a write of these bytes has failed.
  Recorded FindOutcome(const std::string& bytes);

  std::filesystem::path folder_;
  std::optional<Database> database_;  // none: a write failed, and it could not be opened again
  RecordFault fault_ = RecordFault::kNone;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_ROCKS_META_STORE_H_
