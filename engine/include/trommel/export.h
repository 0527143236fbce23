/// @file
/// TROMMEL_API, the mark of what programs may link; and the one place that asks for C++20. Every
/// public header includes it.
#ifndef TROMMEL_EXPORT_H_
#define TROMMEL_EXPORT_H_

// Visual C++ leaves __cplusplus at 199711 unless told otherwise.
#if defined(_MSVC_LANG) ? _MSVC_LANG < 202002L : __cplusplus < 202002L
#error "Trommel needs C++20: compile with -std=c++20 (GCC 12, Clang 14 or newer)"
#endif

/// Marks a class or function that the shared library exports. Everything else in the library is
/// compiled with hidden visibility. The static library hides what is marked as well (its own
/// sources are compiled with TROMMEL_HIDE_API), so that a shared object which takes it in does not
/// offer Trommel's symbols to others. Programs define nothing.
#if defined(__GNUC__) && !defined(TROMMEL_HIDE_API)
#define TROMMEL_API __attribute__((visibility("default")))
#else
#define TROMMEL_API
#endif

#endif  // TROMMEL_EXPORT_H_
