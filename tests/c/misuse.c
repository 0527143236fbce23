/* Misuse of the C ABI: each call must return its code, with a message, and change nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trommel/c.h"

static int num_wrong = 0;

static void expect(trommel_code code, trommel_code wanted, const trommel_error* error,
                   const char* part, int line) {
  if (code == wanted && (error == NULL || strstr(error->message, part) != NULL)) return;
  fprintf(stderr, "misuse.c:%d: %s, expected %s with \"%s\": %s\n", line, trommel_code_name(code),
          trommel_code_name(wanted), part, error == NULL ? "" : error->message);
  ++num_wrong;
}
#define INVALID(call, part) expect(call, TROMMEL_INVALID_ARGUMENT, &error, part, __LINE__)
#define FAILS(code, call, part) expect(call, code, &error, part, __LINE__)
#define HOLDS(condition) \
  expect((condition) ? 0 : TROMMEL_INTERNAL, TROMMEL_OK, NULL, #condition, __LINE__)

static trommel_error error;

static trommel_filter* counting(uint64_t capacity, int32_t digest) {
  const trommel_digest_policy policy = {sizeof(policy), digest, 0, NULL};
  const trommel_counting_config config = {
      .struct_size = sizeof(config), .capacity = capacity, .digest = &policy};
  trommel_filter* filter = NULL;
  expect(trommel_counting_create(&config, &filter, &error), TROMMEL_OK, NULL, "", __LINE__);
  return filter;
}

static void structs(void) {
  trommel_counting_config config = {.capacity = 100};
  struct {
    trommel_counting_config config;
    uint64_t later;
  } grown = {.later = 0};
  trommel_stats stats;
  trommel_filter* filter = NULL;
  INVALID(trommel_counting_create(&config, &filter, &error), "struct_size is 0");
  config.struct_size = sizeof(config) - 8;
  INVALID(trommel_counting_create(&config, &filter, &error), "must be at least");
  config.struct_size = sizeof(config);
  INVALID(trommel_counting_create(NULL, &filter, &error), "config is NULL");
  INVALID(trommel_counting_create(&config, NULL, &error), "filter is NULL");
  config.encoding = 6;
  INVALID(trommel_counting_create(&config, &filter, &error), "encoding is 6");
  config.encoding = -1;
  INVALID(trommel_counting_create(&config, &filter, &error), "encoding is -1");
  config.encoding = 0;
  config.target_fpr = -1;
  INVALID(trommel_counting_create(&config, &filter, &error), "target_fpr is -1");
  config.target_fpr = 0;
  HOLDS(filter == NULL);
  /* A caller of a later version: fine, as long as it wants nothing new. */
  grown.config = config;
  grown.config.struct_size = sizeof(grown);
  HOLDS(trommel_counting_create(&grown.config, &filter, &error) == TROMMEL_OK);
  grown.later = 1;
  INVALID(trommel_counting_create(&grown.config, &filter, &error), "does not know");
  memset(&stats, 1, sizeof(stats));
  INVALID(trommel_get_stats(filter, NULL, &error), "stats is NULL");
  stats.struct_size = 4;
  INVALID(trommel_get_stats(filter, &stats, &error), "struct_size is 4");
  stats.struct_size = 0xcccccccc; /* never set: nothing may be written beyond the struct */
  INVALID(trommel_get_stats(filter, &stats, &error), "at most 65536");
  trommel_filter_free(filter);
  trommel_filter_free(NULL);
}

static int32_t refuse(void* context, int64_t offset, void* buffer, int64_t num_bytes) {
  (void)context;
  (void)offset;
  (void)buffer;
  (void)num_bytes;
  return 9;
}

static void null_handles(void) {
  const trommel_key key = trommel_key_int64(1);
  uint64_t number = 5;
  trommel_keys keys = trommel_keys_of(TROMMEL_KEYS_INT64, &number, 1);
  uint64_t bitmap = 0;
  int64_t size = 0;
  int32_t type = 0;
  trommel_filter* filter = counting(100, 0);
  trommel_filter* other = NULL;
  INVALID(trommel_insert(NULL, &keys, NULL, 0, NULL, &error), "filter is NULL");
  INVALID(trommel_query(NULL, &keys, &bitmap, 1, NULL, &error), "filter is NULL");
  INVALID(-trommel_may_contain(NULL, key, &error), "filter is NULL");
  INVALID(-trommel_insert_key(NULL, key, &error), "filter is NULL");
  INVALID(trommel_merge(filter, NULL, &error), "other is NULL");
  INVALID(trommel_merge(filter, filter, &error), "the same");
  INVALID(trommel_clone(NULL, &other, &error), "filter is NULL");
  INVALID(trommel_save(filter, NULL, NULL, &error), "path is NULL");
  INVALID(trommel_load(NULL, NULL, &other, &error), "path is NULL");
  INVALID(trommel_load_bytes(NULL, 5, NULL, &other, &error), "bytes is NULL");
  INVALID(trommel_load_bytes(&number, -5, NULL, &other, &error), "num_bytes is -5");
  FAILS(TROMMEL_CORRUPT, trommel_load_bytes(NULL, 0, NULL, &other, &error), "");
  INVALID(trommel_read(NULL, NULL, 100, NULL, &other, &error), "source is NULL");
  INVALID(trommel_read(refuse, NULL, -5, NULL, &other, &error), "num_bytes is -5");
  FAILS(TROMMEL_CORRUPT, trommel_read(refuse, NULL, 0, NULL, &other, &error), "");
  FAILS(TROMMEL_IO, trommel_read(refuse, NULL, 4096, NULL, &other, &error), "source returned 9");
  INVALID(trommel_serialize(filter, NULL, 10, &size, &error), "buffer is NULL");
  INVALID(trommel_serialize(filter, NULL, -1, &size, &error), "buffer_size is -1");
  INVALID(trommel_serialize(filter, NULL, 0, NULL, &error), "num_bytes is NULL");
  INVALID(trommel_write(filter, NULL, NULL, &error), "sink is NULL");
  INVALID(trommel_type_of_file(NULL, &type, &error), "path is NULL");
  INVALID(trommel_executor_create(-1, NULL, &error), "executor is NULL");
  FAILS(TROMMEL_IO, trommel_load("no/such/file", NULL, &other, &error), "no/such/file");
  HOLDS(trommel_filter_type(NULL) == 0);
  /* Without an error struct the code is the same. */
  HOLDS(trommel_insert(NULL, &keys, NULL, 0, NULL, NULL) == TROMMEL_INVALID_ARGUMENT);
  HOLDS(trommel_may_contain(NULL, key, NULL) == -TROMMEL_INVALID_ARGUMENT);
  trommel_filter_free(filter);
}

static void batches(void) {
  uint64_t numbers[130] = {1, 2, 3};
  uint64_t bitmap[4] = {0};
  int32_t offsets[] = {0, 3, 2, 5};
  int64_t long_offsets[] = {-1, 3};
  trommel_slice slices[2] = {{NULL, 0}, {NULL, 3}};
  trommel_keys keys = trommel_keys_of(TROMMEL_KEYS_INT64, numbers, 130);
  trommel_outcome outcome = {.struct_size = 0};
  trommel_stats stats = {.struct_size = sizeof(stats)};
  trommel_filter* filter = counting(100, 0);
  trommel_filter* own = counting(100, TROMMEL_DIGEST_CALLER);
  INVALID(trommel_insert(filter, NULL, NULL, 0, NULL, &error), "keys is NULL");
  INVALID(trommel_query(filter, &keys, NULL, 3, NULL, &error), "maybe_present is NULL");
  INVALID(trommel_query(filter, &keys, bitmap, 2, NULL, &error), "must have 3 for 130 keys");
  INVALID(trommel_query(filter, &keys, bitmap, 4, NULL, &error), "has 4 entries");
  INVALID(trommel_query(filter, &keys, bitmap, -3, NULL, &error), "has -3 entries");
  INVALID(trommel_query(filter, &keys, numbers + 100, 3, NULL, &error), "overlaps the keys");
  INVALID(trommel_query(filter, &keys, (uint64_t*)((char*)bitmap + 1), 3, NULL, &error),
          "not aligned");
  INVALID(trommel_insert_if_absent(filter, &keys, bitmap, 3, bitmap + 1, NULL, &error), "overlap");
  INVALID(trommel_insert(filter, &keys, NULL, 0, &outcome, &error), "outcome.struct_size is 0");
  keys.num_keys = -1;
  INVALID(trommel_insert(filter, &keys, NULL, 0, NULL, &error), "num_keys is -1");
  keys.num_keys = INT64_MAX;
  INVALID(trommel_insert(filter, &keys, NULL, 0, NULL, &error), "num_keys is");
  keys.num_keys = 130;
  keys.stride = INT64_MIN;
  INVALID(trommel_insert(filter, &keys, NULL, 0, NULL, &error), "stride is");
  keys.stride = 0;
  keys.kind = 7;
  INVALID(trommel_insert(filter, &keys, NULL, 0, NULL, &error), "kind is 7");
  keys.kind = 0;
  INVALID(trommel_insert(filter, &keys, NULL, 0, NULL, &error), "kind is 0");
  keys.kind = TROMMEL_KEYS_INT64;
  keys.data = NULL;
  INVALID(trommel_insert(filter, &keys, NULL, 0, NULL, &error), "data is NULL");
  keys.struct_size = 3;
  INVALID(trommel_insert(filter, &keys, NULL, 0, NULL, &error), "struct_size is 3");

  keys = trommel_keys_of(TROMMEL_KEYS_BYTES32, "abcdef", 3);
  INVALID(trommel_insert(filter, &keys, NULL, 0, NULL, &error), "offsets is NULL");
  keys.offsets = offsets;
  INVALID(trommel_insert(filter, &keys, NULL, 0, NULL, &error), "offset 2 is 2");
  offsets[2] = 4;
  keys.num_bytes = 4;
  INVALID(trommel_insert(filter, &keys, NULL, 0, NULL, &error), "the last offset is 5");
  keys.num_bytes = -4;
  INVALID(trommel_insert(filter, &keys, NULL, 0, NULL, &error), "num_bytes is -4");
  keys.num_bytes = 0;
  keys.data = NULL;
  INVALID(trommel_insert(filter, &keys, NULL, 0, NULL, &error), "data is NULL");
  keys = trommel_keys_of(TROMMEL_KEYS_BYTES64, "abcdef", 1);
  keys.offsets = long_offsets;
  INVALID(trommel_insert(filter, &keys, NULL, 0, NULL, &error), "offset 0 is -1");
  keys = trommel_keys_of(TROMMEL_KEYS_SLICES, slices, 2);
  INVALID(trommel_insert(filter, &keys, NULL, 0, NULL, &error), "slice 1 is NULL");
  slices[1].size = -3;
  INVALID(trommel_insert(filter, &keys, NULL, 0, NULL, &error), "slice 1 has size -3");
  INVALID(-trommel_insert_key(filter, trommel_key_bytes("a", -1), &error), "negative size");
  INVALID(-trommel_insert_key(filter, trommel_key_bytes(NULL, 1), &error), "the key is NULL");

  keys = trommel_keys_of(TROMMEL_KEYS_INT64, numbers, 130);
  INVALID(trommel_insert(own, &keys, NULL, 0, NULL, &error), "pass digests");
  INVALID(-trommel_may_contain(own, trommel_key_int64(1), &error), "pass digests");
  keys.kind = TROMMEL_KEYS_DIGESTS;
  HOLDS(trommel_insert(own, &keys, NULL, 0, NULL, &error) == TROMMEL_OK);
  keys.num_keys = 0;
  keys.data = NULL;
  HOLDS(trommel_insert(own, &keys, NULL, 0, NULL, &error) == TROMMEL_OK);

  /* None of these changed anything. */
  HOLDS(trommel_get_stats(filter, &stats, NULL) == TROMMEL_OK && stats.num_keys == 0);
  HOLDS(trommel_get_stats(own, &stats, NULL) == TROMMEL_OK && stats.num_keys == 130);
  trommel_filter_free(filter);
  trommel_filter_free(own);
}

/* Of one key there is no next one, whatever the stride; those of more keys must be in memory. */
static void strides(void) {
  static const int64_t extremes[] = {
      INT64_MIN, INT64_MIN + 1,    -((int64_t)1 << 62), -8,       -1, 1,
      3,         (int64_t)1 << 56, (int64_t)1 << 62,    INT64_MAX};
  static const int32_t kinds[] = {TROMMEL_KEYS_INT64, TROMMEL_KEYS_INT32, TROMMEL_KEYS_DIGESTS};
  uint64_t numbers[5] = {1, 2, 3, 4, 5};
  uint64_t bitmap[3] = {0};
  int64_t num_present = 0;
  trommel_filter* filter = counting(100, 0);
  for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); ++k) {
    trommel_keys of_two = trommel_keys_of(kinds[k], numbers + 2, 2);
    for (size_t s = 0; s < sizeof(extremes) / sizeof(extremes[0]); ++s) {
      for (int shift = 0; shift < 2; ++shift) { /* in place, and copied */
        trommel_keys keys = trommel_keys_of(kinds[k], (const char*)(numbers + 2) + shift, 1);
        keys.stride = extremes[s];
        HOLDS(trommel_insert(filter, &keys, NULL, 0, NULL, &error) == TROMMEL_OK);
        HOLDS(trommel_query(filter, &keys, bitmap, 1, &num_present, &error) == TROMMEL_OK);
        HOLDS(num_present == 1);
        INVALID(trommel_query(filter, &keys, numbers + 2, 1, NULL, &error), "overlaps the keys");
        keys.num_keys = 0;
        HOLDS(trommel_query(filter, &keys, bitmap, 0, NULL, &error) == TROMMEL_OK);
        keys.data = NULL;
        HOLDS(trommel_query(filter, &keys, bitmap, 0, NULL, &error) == TROMMEL_OK);
      }
      of_two.stride = extremes[s];
      if (extremes[s] > -9 && extremes[s] < 9) {
        HOLDS(trommel_insert(filter, &of_two, NULL, 0, NULL, &error) == TROMMEL_OK);
        HOLDS(trommel_query(filter, &of_two, bitmap, 1, &num_present, &error) == TROMMEL_OK);
        HOLDS(num_present == 2);
      } else {
        INVALID(trommel_query(filter, &of_two, bitmap, 1, NULL, &error), "stride is");
      }
    }
    /* No span: the product would wrap to a small one. */
    of_two.num_keys = ((int64_t)1 << 32) + 1;
    of_two.stride = (int64_t)1 << 32;
    INVALID(trommel_query(filter, &of_two, bitmap, 1, NULL, &error), "stride is");
    of_two.stride = -of_two.stride;
    INVALID(trommel_query(filter, &of_two, bitmap, 1, NULL, &error), "stride is");
  }
  trommel_filter_free(filter);
}

/* Keys without bytes, wherever their offsets say that they are. */
static void empty_keys(void) {
  static const int64_t places[] = {0, 5, INT64_MAX};
  uint64_t bitmap[1] = {0};
  int64_t num_present = 0;
  trommel_filter* filter = counting(100, 0);
  HOLDS(trommel_insert_key(filter, trommel_key_bytes(NULL, 0), &error) == 1);
  for (int p = 0; p < 3; ++p) {
    for (int is_wide = 0; is_wide < 2; ++is_wide) {
      const int64_t wide[3] = {places[p], places[p], places[p]};
      const int32_t place = p == 2 ? INT32_MAX : (int32_t)places[p];
      const int32_t narrow[3] = {place, place, place};
      trommel_keys keys =
          trommel_keys_of(is_wide ? TROMMEL_KEYS_BYTES64 : TROMMEL_KEYS_BYTES32, NULL, 2);
      keys.offsets = is_wide ? (const void*)wide : (const void*)narrow;
      HOLDS(trommel_query(filter, &keys, bitmap, 1, &num_present, &error) == TROMMEL_OK);
      HOLDS(num_present == 2);
    }
  }
  trommel_filter_free(filter);
}

/* Limits of side memory. */
static void limits(void) {
  uint64_t hot[600] = {0};
  uint64_t bitmap[10];
  trommel_keys keys = trommel_keys_of(TROMMEL_KEYS_INT64, hot, 600);
  trommel_outcome outcome = {.struct_size = sizeof(outcome)};
  trommel_scalable_config config = {.struct_size = sizeof(config), .side_memory_limit_bytes = 100};
  trommel_filter* filter = NULL;
  trommel_filter* clone = NULL;
  for (int i = 0; i < 600; ++i) hot[i] = (uint64_t)(i % 100);
  INVALID(trommel_scalable_create(&config, &filter, &error), "side_memory_limit_bytes");
  config.side_memory_limit_bytes = 0;
  HOLDS(trommel_scalable_create(&config, &filter, &error) == TROMMEL_OK);
  INVALID(trommel_limit_side_memory(filter, 100, &error), "side_memory_limit_bytes");
  HOLDS(trommel_limit_side_memory(filter, 32768, &error) == TROMMEL_OK);
  HOLDS(trommel_clone(filter, &clone, &error) == TROMMEL_OK);
  HOLDS(trommel_insert(filter, &keys, bitmap, 10, &outcome, &error) == TROMMEL_OK);
  HOLDS(outcome.num_refused > 0 && outcome.refusal == TROMMEL_REFUSAL_SIDE_MEMORY_LIMIT);
  HOLDS(trommel_insert(clone, &keys, NULL, 0, &outcome, &error) == TROMMEL_OK);
  HOLDS(outcome.num_refused > 0); /* a clone keeps the limit */
  HOLDS(trommel_limit_side_memory(filter, 0, &error) == TROMMEL_OK);
  HOLDS(trommel_insert(filter, &keys, NULL, 0, &outcome, &error) == TROMMEL_OK);
  HOLDS(outcome.num_refused == 0);
  FAILS(TROMMEL_OUT_OF_MEMORY, trommel_limit_side_memory(filter, 32768, &error), "need more");
  FAILS(TROMMEL_OUT_OF_MEMORY, trommel_merge(clone, filter, &error), "side_memory_limit_bytes");
  trommel_filter_free(filter);
  trommel_filter_free(clone);
}

static void windows(void) {
  uint64_t numbers[100] = {0};
  uint64_t bitmap[2];
  uint64_t times[2];
  uint64_t now = 0;
  trommel_keys keys = trommel_keys_of(TROMMEL_KEYS_INT64, numbers, 100);
  trommel_window_config config = {
      .struct_size = sizeof(config), .window = 100, .capacity = 1000, .target_fpr = 1e-6};
  trommel_filter* window = NULL;
  trommel_filter* other = counting(100, 0);
  INVALID(trommel_window_create(&config, &window, &error), "target_fpr is 1e-06");
  config.target_fpr = 0;
  HOLDS(trommel_window_create(&config, &window, &error) == TROMMEL_OK);
  FAILS(TROMMEL_UNSUPPORTED, trommel_erase(window, &keys, NULL, 0, NULL, &error), "by time");
  FAILS(TROMMEL_UNSUPPORTED, -trommel_erase_key(window, trommel_key_int64(1), &error), "by time");
  FAILS(TROMMEL_UNSUPPORTED, trommel_erase_all(window, &keys, NULL, 0, NULL, &error), "by time");
  FAILS(TROMMEL_UNSUPPORTED, trommel_window_erase_all(other, &keys, &now, 1, NULL, 0, NULL, &error),
        "have no time");
  FAILS(TROMMEL_UNSUPPORTED, -trommel_window_advance(other, 5, &error), "have no time");
  FAILS(TROMMEL_UNSUPPORTED, trommel_window_now(other, &now, &error), "have no time");
  FAILS(TROMMEL_UNSUPPORTED, trommel_subtract(window, other, &error), "cannot be subtracted");
  FAILS(TROMMEL_MISMATCH, trommel_merge(window, other, &error), "a window one");
  INVALID(trommel_limit_side_memory(window, 1, &error), "56");
  INVALID(-trommel_window_advance(NULL, 5, &error), "filter is NULL");
  INVALID(trommel_window_insert(window, NULL, 0, NULL, 0, NULL, &error), "keys is NULL");
  INVALID(trommel_window_insert_if_absent(window, &keys, bitmap, 2, times, 2, NULL, &error),
          "times has 2 entries");
  INVALID(trommel_window_insert_if_absent(window, &keys, bitmap, 2, bitmap + 1, 1, NULL, &error),
          "overlap");
  INVALID(trommel_window_erase(window, &keys, 0, bitmap, 1, NULL, &error), "erased has 1");
  INVALID(trommel_window_erase_all(window, &keys, times, 2, NULL, 0, NULL, &error),
          "inserted_at has 2");
  INVALID(trommel_window_erase_all(window, &keys, NULL, 1, NULL, 0, NULL, &error),
          "inserted_at is NULL");
  INVALID(trommel_window_erase_all(window, &keys, times, 1, bitmap, 1, NULL, &error),
          "missing has 1");
  INVALID(trommel_window_erase_all(window, &keys, bitmap + 1, 1, bitmap, 2, NULL, &error),
          "overlap");
  INVALID(trommel_erase_all(other, &keys, bitmap, 1, NULL, &error), "missing has 1");
  HOLDS(trommel_window_advance(window, 50, &error) == 1);
  HOLDS(trommel_window_advance(window, 40, &error) == 0);
  HOLDS(trommel_window_now(window, &now, &error) == TROMMEL_OK && now == 50);
  trommel_filter_free(window);
  trommel_filter_free(other);
}

static void columns(void) {
  uint64_t number = 7;
  uint64_t answers[2] = {0};
  uint64_t inserted = 0;
  uint64_t num_keys = 0;
  int64_t size = 0;
  trommel_keys keys = trommel_keys_of(TROMMEL_KEYS_INT64, &number, 1);
  trommel_column_map_config config = {.struct_size = sizeof(config)};
  trommel_column_map* map = NULL;
  trommel_column_map_stats stats;
  trommel_outcome outcome = {.struct_size = sizeof(outcome)};
  config.capacity = 100;
  INVALID(trommel_column_map_create(&config, &map, &error), "num_columns is 0");
  config.num_columns = 70;
  config.num_blocks = 65;
  INVALID(trommel_column_map_create(&config, &map, &error), "num_blocks must be a multiple of 64");
  config.num_blocks = 0;
  HOLDS(trommel_column_map_create(&config, &map, &error) == TROMMEL_OK);
  HOLDS(trommel_column_map_row_words(map) == 2 && trommel_column_map_row_words(NULL) == 0);
  INVALID(trommel_column_map_insert(map, 3, &keys, NULL, 0, NULL, &error), "column 3 is closed");
  INVALID(trommel_column_map_erase(map, 3, &keys, NULL, &error), "column 3 is closed");
  INVALID(trommel_column_map_num_keys(map, 3, &num_keys, &error), "column 3 is closed");
  INVALID(trommel_column_map_serialize(map, 3, NULL, 0, &size, &error), "column 3 is closed");
  INVALID(trommel_column_map_insert(map, 70, &keys, NULL, 0, NULL, &error), "column is 70");
  INVALID(trommel_column_map_open(map, 70, &error), "column is 70");
  INVALID(trommel_column_map_close(map, 70, &error), "column is 70");
  INVALID(-trommel_column_map_is_open(map, 70, &error), "column is 70");
  INVALID(-trommel_column_map_may_contain(map, 70, trommel_key_int64(1), &error), "column is 70");
  INVALID(trommel_column_map_load(map, 70, &number, 8, &error), "column is 70");
  FAILS(TROMMEL_CORRUPT, trommel_column_map_load(map, 3, &number, 8, &error), "");
  INVALID(trommel_column_map_query(map, &keys, answers, 1, &error), "answers has 1 entries");
  INVALID(trommel_column_map_query(NULL, &keys, answers, 2, &error), "map is NULL");
  HOLDS(trommel_column_map_open(map, 3, &error) == TROMMEL_OK);
  INVALID(trommel_column_map_open(map, 3, &error), "column 3 is open");
  INVALID(trommel_column_map_insert(map, 3, &keys, &inserted, 2, &outcome, &error),
          "inserted has 2");
  INVALID(trommel_column_map_num_keys(map, 3, NULL, &error), "num_keys is NULL");
  HOLDS(trommel_column_map_insert(map, 3, &keys, &inserted, 1, &outcome, &error) == TROMMEL_OK);
  HOLDS(inserted == 1 && outcome.num_done == 1 && outcome.num_refused == 0);
  HOLDS(trommel_column_map_num_keys(map, 3, &num_keys, &error) == TROMMEL_OK && num_keys == 1);
  HOLDS(trommel_column_map_query(map, &keys, answers, 2, &error) == TROMMEL_OK && answers[0] == 8);
  stats.struct_size = 4;
  INVALID(trommel_column_map_get_stats(map, &stats, &error), "stats.struct_size is 4");
  stats.struct_size = sizeof(stats);
  HOLDS(trommel_column_map_get_stats(map, &stats, &error) == TROMMEL_OK);
  HOLDS(stats.num_pairs == 1 && stats.num_slots_in_use == 1 && stats.num_blocks == 64);
  HOLDS(trommel_column_map_close(map, 3, &error) == TROMMEL_OK);
  HOLDS(trommel_column_map_close(map, 3, &error) == TROMMEL_OK);
  trommel_column_map_free(map);
  trommel_column_map_free(NULL);
}

static uint64_t parts_of(const trommel_attributes* filter) {
  trommel_stats stats = {.struct_size = sizeof(stats)};
  HOLDS(trommel_attributes_get_stats(filter, &stats, &error) == TROMMEL_OK);
  return stats.num_parts;
}

static void attributes(void) {
  const uint64_t cuts[] = {3, 8};
  const char* names[] = {"a", NULL, "c"};
  uint64_t numbers[70] = {1};
  uint64_t bitmap[2] = {0};
  const trommel_key tuple[] = {{1, -1}, {2, -1}, {3, -7}};
  trommel_keys keys = trommel_keys_of(TROMMEL_KEYS_INT64, numbers, 70);
  trommel_keys fewer = trommel_keys_of(TROMMEL_KEYS_DIGESTS, numbers, 69);
  const trommel_keys* given[] = {&keys, &keys, NULL};
  trommel_attributes_config config = {.struct_size = sizeof(config)};
  trommel_attributes* filter = NULL;
  trommel_attributes* clone = NULL;
  trommel_filter* other = NULL;
  void* bytes = NULL;
  int64_t size = 0;
  config.capacity = 100;
  INVALID(trommel_attributes_create(&config, &filter, &error), "num_attributes is 0");
  config.num_attributes = 3;
  config.num_cuts = 1;
  INVALID(trommel_attributes_create(&config, &filter, &error), "cuts is NULL");
  config.cuts = cuts;
  config.num_cuts = -1;
  INVALID(trommel_attributes_create(&config, &filter, &error), "num_cuts is -1");
  config.num_cuts = 2;
  INVALID(trommel_attributes_create(&config, &filter, &error), "a set is 8");
  config.num_cuts = 1;
  config.names = names;
  INVALID(trommel_attributes_create(&config, &filter, &error), "a name is NULL");
  names[1] = "b";
  config.kept = cuts;
  config.num_kept = 1;
  INVALID(trommel_attributes_create(&config, &filter, &error), "kept is given with cuts");
  config.num_cuts = 0;
  INVALID(trommel_attributes_create(&config, &filter, &error), "attribute");
  config.num_kept = 0;
  config.max_together = 4;
  INVALID(trommel_attributes_create(&config, &filter, &error), "max_together is 4");
  config.max_together = 2;
  HOLDS(trommel_attributes_create(&config, &filter, &error) == TROMMEL_OK);
  HOLDS(parts_of(filter) == 6); /* all of 3 attributes but the set of all */
  trommel_attributes_free(filter);
  config.max_together = 0;
  config.num_cuts = 1;
  HOLDS(trommel_attributes_create(&config, &filter, &error) == TROMMEL_OK);
  HOLDS(trommel_attributes_num_attributes(filter) == 3);
  HOLDS(strcmp(trommel_attributes_name(filter, 2), "c") == 0);
  HOLDS(trommel_attributes_name(filter, 3) == NULL && trommel_attributes_name(NULL, 0) == NULL);
  INVALID(trommel_attributes_insert(filter, given, 3, 70, NULL, 0, NULL, &error),
          "columns[2] is NULL");
  INVALID(trommel_attributes_insert(filter, given, 2, 70, NULL, 0, NULL, &error), "num_columns");
  INVALID(trommel_attributes_insert(filter, NULL, 3, 70, NULL, 0, NULL, &error), "columns is NULL");
  INVALID(trommel_attributes_insert(filter, given, 3, -1, NULL, 0, NULL, &error), "num_tuples");
  given[2] = &fewer;
  INVALID(trommel_attributes_insert(filter, given, 3, 70, NULL, 0, NULL, &error),
          "columns[2] has 69 keys");
  given[2] = &keys;
  INVALID(trommel_attributes_insert(filter, given, 3, 70, bitmap, 1, NULL, &error), "inserted has");
  INVALID(trommel_attributes_query(filter, 8, given, 3, 70, bitmap, 2, NULL, &error), "a set is 8");
  INVALID(trommel_attributes_query(filter, 1, given, 3, 70, numbers, 2, NULL, &error), "overlaps");
  INVALID(trommel_attributes_query(filter, 1, given, 3, 70, NULL, 2, NULL, &error), "is NULL");
  INVALID(-trommel_attributes_may_contain(filter, 1, tuple, 2, &error), "num_attributes is 2");
  INVALID(-trommel_attributes_may_contain(filter, 4, tuple, 3, &error), "negative size");
  INVALID(-trommel_attributes_may_contain(filter, 1, NULL, 3, &error), "tuple is NULL");
  HOLDS(trommel_attributes_may_contain(filter, 3, tuple, 3, &error) == 0);
  HOLDS(trommel_attributes_query(filter, 0, given, 3, 70, bitmap, 2, NULL, &error) == TROMMEL_OK);
  HOLDS(trommel_attributes_serialize(filter, NULL, 0, &size, &error) == TROMMEL_OK);
  bytes = malloc((size_t)size);
  HOLDS(trommel_attributes_serialize(filter, bytes, size, &size, &error) == TROMMEL_OK);
  FAILS(TROMMEL_MISMATCH, trommel_load_bytes(bytes, size, NULL, &other, &error),
        "trommel_attributes_load");
  free(bytes);
  HOLDS(trommel_attributes_clone(filter, &clone, &error) == TROMMEL_OK);
  HOLDS(trommel_attributes_num_attributes(clone) == 3);
  INVALID(trommel_attributes_clone(NULL, &clone, &error), "filter is NULL");
  trommel_attributes_free(clone);
  trommel_attributes_free(filter);
  trommel_attributes_free(NULL);
}

static int32_t stop(void* context, const void* bytes, int64_t num_bytes) {
  (void)context;
  (void)bytes;
  (void)num_bytes;
  return 7;
}

static void types(void) {
  trommel_filter* filter = counting(100, 0);
  trommel_executor* executor = NULL;
  INVALID(trommel_convert(filter, TROMMEL_TYPE_WINDOW, &error), "type is 3");
  FAILS(TROMMEL_IO, trommel_write(filter, stop, NULL, &error), "returned 7");
  HOLDS(trommel_convert(filter, TROMMEL_TYPE_CONCURRENT, &error) == TROMMEL_OK);
  HOLDS(trommel_filter_type(filter) == TROMMEL_TYPE_CONCURRENT);
  FAILS(TROMMEL_UNSUPPORTED, trommel_fold(filter, &error), "concurrent filters cannot be folded");
  FAILS(TROMMEL_UNSUPPORTED, trommel_grow(filter, &error), "concurrent");
  FAILS(TROMMEL_UNSUPPORTED, trommel_use_executor(filter, NULL, &error), "concurrent");
  HOLDS(trommel_convert(filter, TROMMEL_TYPE_COUNTING, &error) == TROMMEL_OK);
  INVALID(trommel_executor_create(-1, &executor, &error), "num_threads is -1");
  INVALID(trommel_executor_create(5000, &executor, &error), "5000");
  HOLDS(trommel_executor_create(2, &executor, &error) == TROMMEL_OK);
  HOLDS(trommel_executor_num_threads(executor) == 2);
  HOLDS(trommel_use_executor(filter, executor, &error) == TROMMEL_OK);
  trommel_executor_free(executor);
  trommel_executor_free(NULL);
  HOLDS(trommel_executor_num_threads(NULL) == 0);
  trommel_filter_free(filter);
}

/* One key as a pointer and a length is the key of trommel_key_bytes. */
static void bytes_of_one_key(void) {
  trommel_filter* filter = counting(100, 0);
  const trommel_key apple = trommel_key_bytes("apple", 5);
  HOLDS(trommel_insert_bytes(filter, "apples", 5, &error) == 1);
  HOLDS(trommel_may_contain(filter, apple, &error) == 1);
  HOLDS(trommel_insert_bytes_if_absent(filter, "apple", 5, &error) == 0);
  HOLDS(trommel_insert_bytes_if_absent(filter, "pear", 4, &error) == 1);
  HOLDS(trommel_may_contain_bytes(filter, "pear", 4, &error) == 1);
  HOLDS(trommel_erase_bytes(filter, "apple", 5, &error) == 1);
  HOLDS(trommel_may_contain_bytes(filter, "apple", 5, &error) == 0);
  HOLDS(trommel_insert_bytes(filter, NULL, 0, &error) == 1);
  HOLDS(trommel_may_contain(filter, trommel_key_bytes("", 0), &error) == 1);
  INVALID(-trommel_insert_bytes(filter, NULL, 1, &error), "");
  INVALID(-trommel_insert_bytes_if_absent(filter, "pear", -1, &error), "");
  INVALID(-trommel_erase_bytes(NULL, "pear", 4, &error), "filter is NULL");
  INVALID(-trommel_may_contain_bytes(NULL, "pear", 4, &error), "filter is NULL");
  trommel_filter_free(filter);
}

static void large_batches(void) {
  /* More keys than one round, from every second word, with two threads: as in place. */
  const int64_t num_keys = ((int64_t)1 << 20) + 4711;
  const int64_t num_words = trommel_bitmap_words(num_keys);
  uint64_t* pairs = malloc((size_t)num_keys * 16);
  uint64_t* adjacent = malloc((size_t)num_keys * 8);
  uint64_t* bitmaps[2];
  uint32_t* selections[2];
  int64_t num_selected[2] = {0, 0};
  trommel_filter* filter = counting(1000000, 0);
  trommel_executor* executor = NULL;
  trommel_keys keys = trommel_keys_of(TROMMEL_KEYS_INT64, adjacent, num_keys);
  trommel_keys apart = trommel_keys_of(TROMMEL_KEYS_INT64, pairs, num_keys);
  int64_t i;
  int way;
  HOLDS(trommel_executor_create(2, &executor, &error) == TROMMEL_OK);
  HOLDS(trommel_use_executor(filter, executor, &error) == TROMMEL_OK);
  apart.stride = 16;
  for (i = 0; i < num_keys; ++i) pairs[2 * i] = adjacent[i] = (uint64_t)i * 3;
  keys.num_keys = num_keys / 2;
  HOLDS(trommel_insert(filter, &keys, NULL, 0, NULL, &error) == TROMMEL_OK);
  keys.num_keys = num_keys;
  for (way = 0; way < 2; ++way) {
    const trommel_keys* view = way == 0 ? &keys : &apart;
    int64_t num_present = 0;
    bitmaps[way] = malloc((size_t)num_words * 8);
    selections[way] = malloc((size_t)num_keys * 4);
    HOLDS(trommel_query(filter, view, bitmaps[way], num_words, &num_present, &error) == TROMMEL_OK);
    HOLDS(num_present >= num_keys / 2);
    HOLDS(trommel_select(filter, view, 0, selections[way], num_keys, &num_selected[way], &error) ==
          TROMMEL_OK);
    HOLDS(num_selected[way] == num_keys - num_present);
  }
  HOLDS(memcmp(bitmaps[0], bitmaps[1], (size_t)num_words * 8) == 0);
  HOLDS(memcmp(selections[0], selections[1], (size_t)num_selected[0] * 4) == 0);
  trommel_filter_free(filter);
  trommel_executor_free(executor);
  for (way = 0; way < 2; ++way) {
    free(bitmaps[way]);
    free(selections[way]);
  }
  free(pairs);
  free(adjacent);
}

static void files(void) {
  const char* path = "trommel_c_misuse.trommel";
  trommel_save_options save = {sizeof(save), 1, 0, 0, NULL, 0};
  char metadata[8] = "";
  int64_t num_bytes = -1;
  trommel_load_options load = {sizeof(load), TROMMEL_TYPE_CONCURRENT, 0, NULL};
  trommel_filter* filter = counting(100, 0);
  trommel_filter* loaded = NULL;
  trommel_filter* clone = NULL;
  int32_t type = 0;
  remove(path);
  HOLDS(trommel_insert_key(filter, trommel_key_int64(42), &error) == 1);
  HOLDS(trommel_save(filter, path, &save, &error) == TROMMEL_OK);
  FAILS(TROMMEL_EXISTS, trommel_save(filter, path, &save, &error), path);
  HOLDS(trommel_load_metadata(path, metadata, 8, &num_bytes, &error) == TROMMEL_OK);
  HOLDS(num_bytes == 0);
  save.keep_existing = 0;
  save.metadata_bytes = 6;
  INVALID(trommel_save(filter, path, &save, &error), "metadata is NULL");
  save.metadata = "source";
  save.metadata_bytes = -1;
  INVALID(trommel_save(filter, path, &save, &error), "metadata_bytes");
  save.metadata_bytes = 6;
  HOLDS(trommel_save(filter, path, &save, &error) == TROMMEL_OK);
  HOLDS(trommel_load_metadata(path, NULL, 0, &num_bytes, &error) == TROMMEL_OK);
  HOLDS(num_bytes == 6);
  FAILS(TROMMEL_BUFFER_TOO_SMALL, trommel_load_metadata(path, metadata, 5, &num_bytes, &error),
        "must have 6");
  HOLDS(trommel_load_metadata(path, metadata, 8, &num_bytes, &error) == TROMMEL_OK);
  HOLDS(memcmp(metadata, "source", 6) == 0);
  INVALID(trommel_load_metadata(path, metadata, 8, NULL, &error), "num_bytes is NULL");
  HOLDS(trommel_save(filter, path, NULL, &error) == TROMMEL_OK);
  HOLDS(trommel_type_of_file(path, &type, &error) == TROMMEL_OK && type == TROMMEL_TYPE_COUNTING);
  HOLDS(trommel_load(path, &load, &loaded, &error) == TROMMEL_OK);
  HOLDS(trommel_filter_type(loaded) == TROMMEL_TYPE_CONCURRENT);
  HOLDS(trommel_may_contain(loaded, trommel_key_int64(42), &error) == 1);
  load.type = TROMMEL_TYPE_WINDOW;
  FAILS(TROMMEL_MISMATCH, trommel_load(path, &load, &loaded, &error), "counting");
  load.type = 4;
  INVALID(trommel_load(path, &load, &loaded, &error), "options.type is 4");
  load.type = 50;
  INVALID(trommel_load(path, &load, &loaded, &error), "options.type is 50");
  HOLDS(trommel_clone(loaded, &clone, &error) == TROMMEL_OK);
  HOLDS(trommel_filter_type(clone) == TROMMEL_TYPE_CONCURRENT);
  HOLDS(trommel_equals(clone, loaded, &error) == 1);
  HOLDS(trommel_equals(filter, loaded, &error) == 0);
  INVALID(-trommel_equals(filter, NULL, &error), "b is NULL");
  HOLDS(trommel_erase_key(clone, trommel_key_int64(42), &error) == 1);
  HOLDS(trommel_may_contain(clone, trommel_key_int64(42), &error) == 0);
  HOLDS(trommel_equals(clone, loaded, &error) == 0);
  HOLDS(trommel_may_contain(loaded, trommel_key_int64(42), &error) == 1);
  trommel_filter_free(filter);
  trommel_filter_free(loaded);
  trommel_filter_free(clone);
  remove(path);
}

/* trommel_upsert: the table's function is asked once, for indices of the batch, and what it gets
 * wrong is a code, after which the filter holds the keys that it held before. Here is what the
 * table says, and what it was asked. */
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
  trommel_outcome outcome = {.struct_size = sizeof(outcome)};
  trommel_stats stats = {.struct_size = sizeof(stats)};
  uint64_t bitmap = ~(uint64_t)0;
  trommel_counting_config config = {.struct_size = sizeof(config), .capacity = 100};
  trommel_filter* filter = NULL;
  HOLDS(create(&config, &filter, &error) == TROMMEL_OK);
  keys.offsets = in_table.offsets = offsets;
  in_table.num_keys = 4; /* 1 and 2 are erased again */
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
  trommel_window_config config = {.struct_size = sizeof(config), .window = 100, .capacity = 100};
  trommel_filter* filter = NULL;
  HOLDS(trommel_window_create(&config, &filter, &error) == TROMMEL_OK);
  FAILS(TROMMEL_UNSUPPORTED,
        trommel_upsert(filter, &keys, ask_table, &table, &bitmap, 1, NULL, &error), "window");
  trommel_filter_free(filter);
}

int main(void) {
  const int32_t kinds[] = {TROMMEL_KEYS_INT64, TROMMEL_KEYS_INT32, TROMMEL_KEYS_DIGESTS,
                           TROMMEL_KEYS_BYTES32, TROMMEL_KEYS_SLICES};
  HOLDS(trommel_c_abi_version() == TROMMEL_C_ABI_VERSION);
  HOLDS(strchr(trommel_c_version(), '.') != NULL);
  HOLDS(strcmp(trommel_code_name(-1), "unknown") == 0);
  structs();
  null_handles();
  batches();
  strides();
  empty_keys();
  types();
  limits();
  windows();
  columns();
  attributes();
  large_batches();
  bytes_of_one_key();
  files();
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); ++i) {
    upserts(trommel_counting_create, kinds[i]);
    upserts(trommel_concurrent_create, kinds[i]);
  }
  upserts_of_other_types();
  if (num_wrong == 0) puts("all as expected");
  return num_wrong == 0 ? 0 : 1;
}
