// What the tool's exit codes mean, for every subcommand.
#ifndef TROMMEL_TOOLS_EXIT_CODES_H_
#define TROMMEL_TOOLS_EXIT_CODES_H_

namespace trommel::tool {

enum ExitCode : int {
  kDone = 0,
  // It ran, and the answer is no: nothing present, a law broken, a key missing, no room for a key.
  kNegativeAnswer = 1,
  kUsageError = 2,  // the command line or the environment asks for something that cannot be
  // A file or a key that cannot be read, a file or output that cannot be written, a file that
  // another command is changing, or no memory: the system's, or what --memory-limit leaves. A
  // command that changes a file has not changed it.
  kBadInput = 3,
  // The file was changed, but then its report could not be written, or its folder not be flushed.
  // A script must not run the command again. (A signal that ends a command has changed nothing.)
  kChanged = 4,
};

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_EXIT_CODES_H_
