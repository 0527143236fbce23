// The C header as C++ of 2011: it compiles without warnings, and its structs can be made.
#include "trommel/c.h"

int main() {
  trommel_counting_config config = {};
  config.struct_size = sizeof(config);
  config.capacity = 100;
  trommel_filter* filter = nullptr;
  if (trommel_counting_create(&config, &filter, nullptr) != TROMMEL_OK) return 1;
  const bool works = trommel_insert_key(filter, trommel_key_int64(-5), nullptr) == 1 &&
                     trommel_may_contain(filter, trommel_key_int64(-5), nullptr) == 1;
  trommel_filter_free(filter);
  return works ? 0 : 1;
}
