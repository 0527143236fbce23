// The tests' main, for Catch2 v2 and v3 alike. v2 keeps its implementation in its one header and
// puts it into the file that defines CATCH_CONFIG_RUNNER: this one.
#define CATCH_CONFIG_RUNNER
#include "support/catch.h"

int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }
