/// @file
/// TROMMEL_API, the mark of what programs may link.
#ifndef TROMMEL_EXPORT_H_
#define TROMMEL_EXPORT_H_

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
