// The article on the space of HBase's Bloom filters, claim by claim. See README.md of bench/.
#include "bench/paper/claims_report.h"

int main(int argc, char** argv) {
  return trommel::paper::RunProgram({argv + 1, argv + argc}, "reproduce_claims",
                                    trommel::paper::ClaimsReport);
}
