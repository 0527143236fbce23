// How each operation's file hands its functions for one target to the table. Used by targets.cc
// only.
#ifndef TROMMEL_KERNELS_REGISTER_H_
#define TROMMEL_KERNELS_REGISTER_H_

#include <cstdint>

#include "kernels/kernels.h"

namespace trommel::kernels {

void AddHash(int64_t target, Kernels& kernels);         // hash.cc
void AddInsert(int64_t target, Kernels& kernels);       // insert.cc
void AddErase(int64_t target, Kernels& kernels);        // erase.cc
void AddQuery(int64_t target, Kernels& kernels);        // query.cc
void AddWholeFilter(int64_t target, Kernels& kernels);  // whole_filter.cc

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_REGISTER_H_
