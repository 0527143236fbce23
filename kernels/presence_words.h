// The memory model of presence words: the one place that reads them beside a writer.
//
// In a concurrent filter queries read presence words while a writer that holds the lock of their
// range changes them. Queries rely on this:
//
//   1. A word is never torn: a reader sees some value that was stored to it, whole.
//   2. A word is stored once for each change, with its final value: a bit that stays set across an
//      update is never seen clear. So every writer beside readers goes through StorePresence or
//      StorePresenceWord, and loads what it needs before. (Whole-filter operations, which have the
//      filter to themselves, do not.)
//   3. Nothing about the order of different words: a query needs each bit of a key by itself, and
//      all words of a key that was inserted before were stored before.
//
// In C++ that is a relaxed atomic load or store of 32 bits, which is a plain aligned one on all
// supported machines. The kernels move eight or more words by one vector instruction, which C++
// does not know as atomic. The platform assumption, made here and nowhere else: *an aligned vector
// load or store does not tear within its aligned 32-bit words*. Intel (SDM volume 3, 9.1.1) and AMD
// (APM volume 2, 7.3.2) promise aligned accesses of 8 bytes, of 16 with AVX, and build wider
// vectors of these; Arm (DDI 0487, B2.2.1) promises it for each element of SIMD and SVE accesses.
//
// TROMMEL_ATOMIC_WORDS=1 does without the assumption: word by word, relaxed. ThreadSanitizer builds
// set it, because only then can it tell these accesses from a race; the CMake option
// TROMMEL_PORTABLE sets it for machines about which nothing is known. Answers are the same.
#ifndef TROMMEL_KERNELS_PRESENCE_WORDS_H_
#define TROMMEL_KERNELS_PRESENCE_WORDS_H_

#include <cstdint>

#ifndef TROMMEL_ATOMIC_WORDS
#if defined(__SANITIZE_THREAD__)
#define TROMMEL_ATOMIC_WORDS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TROMMEL_ATOMIC_WORDS 1
#endif
#endif
#endif
#ifndef TROMMEL_ATOMIC_WORDS
#define TROMMEL_ATOMIC_WORDS 0
#endif

namespace trommel::kernels {

// Builtins, because std::atomic_ref of a const word does not exist in C++20.
inline uint32_t LoadPresenceWord(const uint32_t* word) {
  return __atomic_load_n(word, __ATOMIC_RELAXED);
}

inline void StorePresenceWord(uint32_t value, uint32_t* word) {
  __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

// The word of a slice of 64 positions: two of those words at an address that is a multiple of 8.
// All other code accesses words of 32 bits, so the type may alias.
typedef uint64_t PresenceWord64 __attribute__((may_alias));

inline uint64_t LoadPresenceWord64(const uint32_t* words) {
  return __atomic_load_n(reinterpret_cast<const PresenceWord64*>(words), __ATOMIC_RELAXED);
}

inline void StorePresenceWord64(uint64_t value, uint32_t* words) {
  __atomic_store_n(reinterpret_cast<PresenceWord64*>(words), value, __ATOMIC_RELAXED);
}

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_PRESENCE_WORDS_H_
