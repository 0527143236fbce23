// Whether the tests are compiled with a sanitizer: it replaces operator new, and takes ten times as
// long.
#ifndef TROMMEL_TESTS_SUPPORT_SANITIZED_H_
#define TROMMEL_TESTS_SUPPORT_SANITIZED_H_

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define TROMMEL_TESTS_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TROMMEL_TESTS_SANITIZED 1
#endif
#ifndef TROMMEL_TESTS_SANITIZED
#define TROMMEL_TESTS_SANITIZED 0
#endif

#endif  // TROMMEL_TESTS_SUPPORT_SANITIZED_H_
