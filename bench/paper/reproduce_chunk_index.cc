// The article on Bloom filters for a chunk index, figure by figure. See README.md of bench/.
#include "bench/paper/chunk_index_report.h"

int main(int argc, char** argv) {
  return trommel::paper::RunProgram({argv + 1, argv + argc}, "reproduce_chunk_index",
                                    trommel::paper::ChunkIndexReport);
}
