// What the tool's exit codes mean, for every subcommand.
#ifndef TROMMEL_TOOLS_EXIT_CODES_H_
#define TROMMEL_TOOLS_EXIT_CODES_H_

namespace trommel::tool {

enum ExitCode : int {
  kDone = 0,
  // It ran, and the answer is no: nothing present, a law broken, a key missing, no room for a key.
  kNegativeAnswer = 1,
  kUsageError = 2,  // the command line or the environment asks for something that cannot be
  kBadInput = 3,    // a file or a key that cannot be read, or a file that cannot be written
};

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_EXIT_CODES_H_
