// What commands do after they have changed regions or indexes: what is left to do, and verifying.
#ifndef TROMMEL_TOOLS_INDEX_END_CHANGE_H_
#define TROMMEL_TOOLS_INDEX_END_CHANGE_H_

#include <chrono>
#include <string>

#include "tools/trommel/options/command_line.h"
#include "tools/trommel/output/report.h"
#include "trommel/index/cluster.h"
#include "trommel/result.h"

namespace trommel::tool {

// Makes and removes entries of indexes, removes what moves have left, and builds columns, with
// progress; also what earlier commands have left. Ends early when an interrupt is noted. Fails as
// Cluster::FinishChanges and BuildColumns do.
Status FinishTable(index::Cluster& table, bool quiet);

// Verifies, with progress; after an interrupt, a part (VerifyReport::is_whole).
Result<index::VerifyReport> VerifyTable(index::Cluster& table, index::Repair repair, bool quiet);

// What FinishTable would do, as a clause: "the index of 'size' is to be made, 3 columns are to be
// built"; empty: nothing.
std::string LeftToDo(const index::Cluster& table);

// A command that changes a table: measures how long it takes, and ends it.
class ChangeCommand {
 public:
  ChangeCommand(index::Cluster& table, const Settings& settings)
      : table_(table), settings_(settings) {}

  Report& report() { return report_; }

  // Does the rest by FinishTable, adds the seconds to the report, prints it and returns kDone.
  // `done` says what the command did; where the rest fails, or an interrupt is noted, it is part of
  // the message, with what is left to do.
  int End(const std::string& done);

  // The same for a command that failed, or was interrupted, before it had done all: FailHalfway.
  int EndEarly(const std::string& done, const Error& error = {}) const;

 private:
  index::Cluster& table_;
  const Settings& settings_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  Report report_;
};

// False when an interrupt was noted.
bool MayGoOn();

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INDEX_END_CHANGE_H_
