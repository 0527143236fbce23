/* trommel_upsert: the table's function is asked once, for indices of the batch, and what it gets
 * wrong is a code, after which the filter holds the keys that it held before. */
#include <stdio.h>
#include <string.h>

#include "trommel/c.h"

static int num_wrong = 0;
static trommel_error error;

static void fails(trommel_code code, trommel_code wanted, const char* part, int line) {
  if (code == wanted && strstr(error.message, part) != NULL) return;
  fprintf(stderr, "upsert.c:%d: %s, expected %s with \"%s\": %s\n", line, trommel_code_name(code),
          trommel_code_name(wanted), part, error.message);
  ++num_wrong;
}
static void holds(int condition, const char* text, int line) {
  if (condition) return;
  fprintf(stderr, "upsert.c:%d: does not hold: %s\n", line, text);
  ++num_wrong;
}
#define FAILS(code, call, part) fails(call, code, part, __LINE__)
#define INVALID(call, part) FAILS(TROMMEL_INVALID_ARGUMENT, call, part)
#define HOLDS(condition) holds(condition, #condition, __LINE__)

/* What the table says, and what it was asked. */
struct table {
  const uint32_t* existing;
  int64_t num_existing;
  int32_t status;
  int64_t num_asked;
  uint32_t asked[8];
};

static int32_t ask_table(void* context, const uint32_t* asked, int64_t num_asked,
                         uint32_t* existing, int64_t* num_existing) {
  struct table* table = context;
  int64_t i;
  table->num_asked = num_asked;
  for (i = 0; i < num_asked && i < 8; ++i) table->asked[i] = asked[i];
  for (i = 0; i < table->num_existing && i < num_asked; ++i) existing[i] = table->existing[i];
  *num_existing = table->num_existing;
  return table->status;
}

/* A filter that holds 3 and 4, as its table does, and a batch of 1, 2, 3, 4, 2. */
static void upserts(trommel_code (*create)(const trommel_counting_config*, trommel_filter**,
                                           trommel_error*),
                    int32_t kind) {
  /* Well mixed, for they are digests, too. */
  const uint64_t longs[] = {0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F,
                            0xF88BB8A8724C81EC, 0x6E789E6AA1B965F4};
  const int32_t words[] = {1, 2, 3, 4, 2};
  const char text[] = "aabbccddbb";
  const int32_t offsets[] = {0, 2, 4, 6, 8, 10};
  const trommel_slice slices[] = {
      {text, 2}, {text + 2, 2}, {text + 4, 2}, {text + 6, 2}, {text + 8, 2}};
  const uint32_t right[] = {3, 2};
  const uint32_t positions[] = {0, 1};
  struct table table = {right, 2, 0, 0, {0}};
  const void* data = kind == TROMMEL_KEYS_SLICES    ? (const void*)slices
                     : kind == TROMMEL_KEYS_BYTES32 ? (const void*)text
                     : kind == TROMMEL_KEYS_INT32   ? (const void*)words
                                                    : (const void*)longs;
  trommel_keys keys = trommel_keys_of(kind, data, 5);
  trommel_keys in_table = keys;
  trommel_outcome outcome;
  trommel_stats stats;
  uint64_t bitmap = ~(uint64_t)0;
  trommel_counting_config config;
  trommel_filter* filter = NULL;
  memset(&config, 0, sizeof(config));
  config.struct_size = sizeof(config);
  config.capacity = 100;
  HOLDS(create(&config, &filter, &error) == TROMMEL_OK);
  keys.offsets = in_table.offsets = offsets;
  in_table.num_keys = 4; /* 1 and 2 are erased again */
  memset(&outcome, 0, sizeof(outcome));
  memset(&stats, 0, sizeof(stats));
  outcome.struct_size = sizeof(outcome);
  stats.struct_size = sizeof(stats);
  HOLDS(trommel_insert(filter, &in_table, NULL, 0, NULL, &error) == TROMMEL_OK);
  in_table.num_keys = 2;
  HOLDS(trommel_erase(filter, &in_table, NULL, 0, NULL, &error) == TROMMEL_OK);

  INVALID(trommel_upsert(filter, &keys, NULL, &table, &bitmap, 1, NULL, &error), "exist is NULL");
  INVALID(trommel_upsert(filter, &keys, ask_table, &table, NULL, 0, NULL, &error), "inserted");
  /* Positions in `asked` are not indices of the batch; and nothing has changed. */
  table.existing = positions;
  INVALID(trommel_upsert(filter, &keys, ask_table, &table, &bitmap, 1, &outcome, &error),
          "exist wrote 0, which is not in `asked`");
  HOLDS(bitmap == 0);
  table.num_existing = 3;
  INVALID(trommel_upsert(filter, &keys, ask_table, &table, &bitmap, 1, &outcome, &error),
          "num_existing to 3; it must be between 0 and 2");
  table.num_existing = -1;
  INVALID(trommel_upsert(filter, &keys, ask_table, &table, &bitmap, 1, &outcome, &error),
          "num_existing to -1");
  table.existing = right;
  table.num_existing = 2;
  table.status = 7;
  FAILS(TROMMEL_IO, trommel_upsert(filter, &keys, ask_table, &table, &bitmap, 1, NULL, &error),
        "failed with 7");
  HOLDS(bitmap == 0);
  HOLDS(trommel_get_stats(filter, &stats, &error) == TROMMEL_OK && stats.num_keys == 2);

  table.status = 0;
  HOLDS(trommel_upsert(filter, &keys, ask_table, &table, &bitmap, 1, &outcome, &error) ==
        TROMMEL_OK);
  HOLDS(table.num_asked == 2 && table.asked[0] == 2 && table.asked[1] == 3);
  HOLDS(bitmap == 3 && outcome.num_done == 2 && outcome.num_refused == 0);
  HOLDS(trommel_get_stats(filter, &stats, &error) == TROMMEL_OK && stats.num_keys == 4);
  trommel_filter_free(filter);
}

static void upserts_of_other_types(void) {
  const int64_t number = 1;
  const trommel_keys keys = trommel_keys_of(TROMMEL_KEYS_INT64, &number, 1);
  struct table table = {NULL, 0, 0, 0, {0}};
  uint64_t bitmap = 0;
  trommel_window_config config;
  trommel_filter* filter = NULL;
  memset(&config, 0, sizeof(config));
  config.struct_size = sizeof(config);
  config.window = 100;
  config.capacity = 100;
  HOLDS(trommel_window_create(&config, &filter, &error) == TROMMEL_OK);
  FAILS(TROMMEL_UNSUPPORTED,
        trommel_upsert(filter, &keys, ask_table, &table, &bitmap, 1, NULL, &error), "window");
  trommel_filter_free(filter);
}

int main(void) {
  const int32_t kinds[] = {TROMMEL_KEYS_INT64, TROMMEL_KEYS_INT32, TROMMEL_KEYS_DIGESTS,
                           TROMMEL_KEYS_BYTES32, TROMMEL_KEYS_SLICES};
  size_t i;
  for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); ++i) {
    upserts(trommel_counting_create, kinds[i]);
    upserts(trommel_concurrent_create, kinds[i]);
  }
  upserts_of_other_types();
  return num_wrong == 0 ? 0 : 1;
}
