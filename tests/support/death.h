// For the programmer's mistakes: does the call end the program, and what does it say?
#ifndef TROMMEL_TESTS_SUPPORT_DEATH_H_
#define TROMMEL_TESTS_SUPPORT_DEATH_H_

#include <functional>
#include <string>

namespace trommel::tests {

// Calls body in a child process. Returns what the child wrote to stderr if it was ended by abort;
// otherwise "survived" or "ended otherwise".
std::string AbortMessage(const std::function<void()>& body);

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_DEATH_H_
