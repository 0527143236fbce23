// TROMMEL_CHECK: programmers' mistakes abort the program with a message. One check per batch.
#ifndef TROMMEL_ENGINE_SRC_BASE_CHECK_H_
#define TROMMEL_ENGINE_SRC_BASE_CHECK_H_

#include <cstdio>
#include <cstdlib>

// Aborts with the message unless the condition holds. For misuse of the API, never for bad data.
#define TROMMEL_CHECK(condition, message)                                      \
  do {                                                                         \
    if (!(condition)) [[unlikely]] {                                           \
      std::fprintf(stderr, "trommel: misuse: %s [%s]\n", message, #condition); \
      std::abort();                                                            \
    }                                                                          \
  } while (false)

#endif  // TROMMEL_ENGINE_SRC_BASE_CHECK_H_
