/* The program of README.md, which also says what it found. */
#include <stdio.h>
#include <trommel/c.h>

int main(void) {
  trommel_counting_config config = {.struct_size = sizeof(config), .capacity = 1000000};
  const int64_t blocked[] = {17, 42, 4711};
  const trommel_keys keys = trommel_keys_of(TROMMEL_KEYS_INT64, blocked, 3);
  trommel_filter* filter = NULL;
  trommel_error error;
  if (trommel_counting_create(&config, &filter, &error) != TROMMEL_OK) {
    fputs(error.message, stderr);
    return 1;
  }
  if (trommel_insert(filter, &keys, NULL, 0, NULL, &error) != TROMMEL_OK) return 1;
  printf("erased %d ", (int)trommel_erase_key(filter, trommel_key_int64(4711), &error));
  printf("present %d ", (int)trommel_may_contain(filter, trommel_key_int64(42), &error));
  printf("absent %d ", (int)trommel_may_contain(filter, trommel_key_int64(4711), &error));
  printf("abi %d\n", (int)trommel_c_abi_version());
  trommel_filter_free(filter);
  return 0;
}
