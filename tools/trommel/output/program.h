// RunProgram: what a command of ours does around its work, from main's first line to its last.
#ifndef TROMMEL_TOOLS_PROGRAM_H_
#define TROMMEL_TOOLS_PROGRAM_H_

#include <functional>

namespace trommel::tool {

// Names the program (NameProgram), sets the signals of pipes and full disks, fills standard streams
// that are closed, calls `run`, and turns an exception into one line and kBadInput. Returns the
// exit code, or ends the program by the signal that was noted. `name` must live on.
int RunProgram(const char* name, const std::function<int()>& run);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_PROGRAM_H_
