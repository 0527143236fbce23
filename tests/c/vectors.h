/* The text of test vectors in C99: lines, options, keys in all layouts, and text that grows. */
#ifndef TROMMEL_TESTS_C_VECTORS_H_
#define TROMMEL_TESTS_C_VECTORS_H_

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "trommel/c.h"

enum { MAX_WORDS = 256 };

struct line {
  char* text; /* of the whole line, cut into words */
  size_t capacity;
  const char* words[MAX_WORDS];
  int num_words;
  const char* options[MAX_WORDS]; /* "name=value" */
  int num_options;
  const char* expected; /* behind the arrow */
  int has_result;
  int number;
  int num_calls; /* before it */
};
/* Reads the next line; one without words is a comment or empty. Returns 0 at the end. */
int read_line(FILE* file, struct line* line);

const char* option(const struct line* line, const char* name, const char* by_default);
uint64_t number_option(const struct line* line, const char* name);
double rate_option(const struct line* line, const char* name);
uint64_t parse_number(const char* text);
/* Returns how many bytes the digits stand for; writes at most `capacity`. "-" is none. */
size_t from_hex(const char* hex, uint8_t* bytes, size_t capacity);

/* Keys in all layouts of their kind. */
struct owned_keys {
  int32_t kind; /* INT64, INT32, DIGESTS, BYTES64 */
  int64_t num_keys;
  uint8_t* data;  /* integers, adjacent; or all bytes */
  uint8_t* apart; /* integers, some bytes apart, the last one first */
  int64_t num_bytes;
  int64_t* offsets64;
  int32_t* offsets32;
  trommel_slice* slices;
};
void parse_keys(const struct line* line, struct owned_keys* keys);
void free_keys(struct owned_keys* keys);
/* The keys in a layout of their kind: variant 0, 1 or 2. */
trommel_keys view_of(const struct owned_keys* keys, int variant);
trommel_key key_of(const struct owned_keys* keys, int64_t i);

struct text {
  char* data;
  size_t size;
  size_t capacity;
};
void add_text(struct text* text, const char* format, ...);
/* Of these bytes with seed 0, 16 digits. */
void add_xxh64(struct text* text, const uint8_t* bytes, int64_t num_bytes);

/* A keys line, a filter or bytes of that name. */
struct named {
  char name[64];
  struct owned_keys keys;
  trommel_filter* filter;
  trommel_column_map* map;
  int64_t num_columns;
  trommel_attributes* attributes;
  uint8_t* bytes;
  int64_t num_bytes;
  struct named* next;
};
struct program {
  char folder[512];
  struct named* names;
};

struct named* named(struct program* program, const char* name);

/* --- Options, and results as the vectors spell them (vector_filters.c). */

const char* type_name(int32_t type);

int32_t encoding_option(const struct line* line);
/* The policy of a line, whose key stays in `secret`. */
trommel_digest_policy policy_option(const struct line* line, uint8_t secret[16]);
void code_text(trommel_code code, const trommel_error* error, struct text* out);
void bits_text(const uint64_t* bitmap, int64_t num_keys, struct text* out);
void numbers_text(const uint64_t* numbers, int64_t size, struct text* out);
/* "size=N xxh64=H" of bytes that were written. */
void bytes_text(const struct named* bytes, struct text* out);
/* A trommel_source over the bytes of a struct named; refuses ranges beyond them. */
int32_t read_named(void* context, int64_t offset, void* buffer, int64_t num_bytes);
/* Makes room in `to` for what a first call said. */
void make_room(struct named* to, int64_t num_bytes);

/* "done=N refused=N". */
void done_text(const trommel_outcome* outcome, struct text* out);
void size_text(const struct line* line, struct text* out);
void run_on_filter(struct program* program, const struct line* line, struct text* out);

/* Calls of columns and tuples (vector_sets.c). Return 0 for calls of other kinds. */
int run_on_columns(struct program* program, const struct line* line, struct text* out);
int run_on_tuples(struct program* program, const struct line* line, struct text* out);

/* Memory, or the end of the program. */
void* zeroed(size_t num_bytes);
void* grown(void* memory, size_t num_bytes);
/* Ends the program, naming what does not hold. */
void check(int holds, const char* what);

#endif
