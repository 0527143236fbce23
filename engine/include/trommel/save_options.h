// SaveOptions: what a filter's Save does about a file that is at its path already.
#ifndef TROMMEL_SAVE_OPTIONS_H_
#define TROMMEL_SAVE_OPTIONS_H_

#include <functional>

#include "trommel/result.h"

namespace trommel {

struct SaveOptions {
  // Whether a file at the path is replaced. If not, Save fails with kExists and changes nothing
  // where anything has that name, even a symbolic link that leads nowhere. Of any number of
  // programs that save to one new path exactly one succeeds.
  bool replace = true;

  // If set, Save calls it, once or twice, when the new file is whole and flushed, right before it
  // takes its name. An error it returns is what Save fails with, and the path stays as it was: for
  // programs that must not replace what another one has changed meanwhile. Called on the thread
  // that saves; must not throw.
  std::function<Status()> check = {};
};

// What the filters' private ReadFrom and WriteTo work with, inside the library.
class ByteSink;
class OpenedSnapshot;
struct FilterFiles;

}  // namespace trommel

#endif  // TROMMEL_SAVE_OPTIONS_H_
