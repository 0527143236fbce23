// Where tests find the sources and the command that they try. These paths are known to paths.cc
// alone: all other objects are the same in any checkout, and a compiler cache knows them again.
#ifndef TROMMEL_TESTS_SUPPORT_PATHS_H_
#define TROMMEL_TESTS_SUPPORT_PATHS_H_

namespace trommel::tests {

// The repository's root, without a slash at its end.
extern const char* const kSourceFolder;

// The command that this program tests: trommel, or trommel-index; empty where none is built.
extern const char* const kCommand;

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_PATHS_H_
