// How each operation's file hands its functions for one target to the table. Used by targets.cc
// only.
#ifndef TROMMEL_KERNELS_REGISTER_H_
#define TROMMEL_KERNELS_REGISTER_H_

#include <cstdint>

#include "kernels/kernels.h"

namespace trommel::kernels {

void AddHash(int64_t target, Kernels& kernels);         // hash.cc
void AddCells(int64_t target, Kernels& kernels);        // cells.cc
void AddClassic(int64_t target, Kernels& kernels);      // classic.cc
void AddInsert(int64_t target, Kernels& kernels);       // insert.cc
void AddErase(int64_t target, Kernels& kernels);        // erase.cc
void AddQuery(int64_t target, Kernels& kernels);        // query.cc
void AddQueryMany(int64_t target, Kernels& kernels);    // query_many.cc
void AddLongRuns(int64_t target, Kernels& kernels);     // long_runs.cc
void AddWholePlanes(int64_t target, Kernels& kernels);  // whole_planes.cc
void AddWholeRuns(int64_t target, Kernels& kernels);    // whole_runs.cc

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_REGISTER_H_
