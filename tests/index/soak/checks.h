// Checks of a cluster that nothing changes, against the model.
#ifndef TROMMEL_TESTS_INDEX_SOAK_CHECKS_H_
#define TROMMEL_TESTS_INDEX_SOAK_CHECKS_H_

#include <cstdint>
#include <filesystem>

#include "index/soak/board.h"
#include "index/soak/history.h"
#include "trommel/index/cluster.h"

namespace trommel::index::soak {

// Ends all changes that were begun, and builds all columns. What is left over, or half done, is a
// failure.
void Settle(Cluster& cluster, Board& board);
// Reads all rows, and says in the history what they are. A row that it cannot be is a failure.
void ReadRows(Cluster& cluster, History& history, Board& board);
// Asks for some rows, by values of any attribute. Requires ReadRows.
void AskSome(Cluster& cluster, const History& history, Board& board, uint64_t seed);
// Asks for every row by each of its values of indexed attributes, and verifies the cluster.
// Requires ReadRows.
void AskAll(Cluster& cluster, const History& history, Board& board);
// Deletes all rows, and checks that nothing is left: no row, no entry, no pair, and no more memory
// than twice that of the directory of a new cluster with as many regions, made in `folder`.
void Drain(Cluster& cluster, const std::filesystem::path& folder, Board& board);

}  // namespace trommel::index::soak

#endif  // TROMMEL_TESTS_INDEX_SOAK_CHECKS_H_
