/* The shared library as a plugin loads it, and unloads it again: unload LIBRARY. Its pages are gone
 * after dlclose, which one unique symbol or one destructor of a thread's object would prevent. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trommel/c.h"

static int is_mapped(const char* library) {
  char line[4096];
  int found = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  if (maps == NULL) exit(3);
  while (fgets(line, sizeof(line), maps) != NULL) found |= strstr(line, library) != NULL;
  fclose(maps);
  return found;
}

static void fail(const char* what, const char* why) {
  fprintf(stderr, "unload: %s: %s\n", what, why);
  exit(1);
}

/* The address of a function of the library. A void* becomes a function in no other way in C99. */
static void find(void* library, const char* name, void* function) {
  void* address = dlsym(library, name);
  if (address == NULL) fail(name, dlerror());
  memcpy(function, &address, sizeof(address));
}

int main(int argc, char** argv) {
  trommel_code (*counting)(const trommel_counting_config*, trommel_filter**, trommel_error*);
  trommel_code (*scalable)(const trommel_scalable_config*, trommel_filter**, trommel_error*);
  trommel_code (*executor)(int32_t, trommel_executor**, trommel_error*);
  int32_t (*insert)(trommel_filter*, const void*, int64_t, trommel_error*);
  int32_t (*may_contain)(const trommel_filter*, const void*, int64_t, trommel_error*);
  void (*free_filter)(trommel_filter*);
  trommel_counting_config sized = {.struct_size = sizeof(sized), .capacity = 100000};
  trommel_scalable_config grows = {.struct_size = sizeof(grows)};
  trommel_filter* filters[2] = {NULL, NULL};
  trommel_executor* threads = NULL;
  trommel_error error = {0, ""};
  const char* name;
  void* library;
  int i;
  int64_t key;
  if (argc != 2) return 2;
  name = strrchr(argv[1], '/') == NULL ? argv[1] : strrchr(argv[1], '/') + 1;
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) fail("dlopen", dlerror());
  find(library, "trommel_counting_create", &counting);
  find(library, "trommel_scalable_create", &scalable);
  find(library, "trommel_executor_create", &executor);
  find(library, "trommel_insert_bytes", &insert);
  find(library, "trommel_may_contain_bytes", &may_contain);
  find(library, "trommel_filter_free", &free_filter);
  if (counting(&sized, &filters[0], &error) != TROMMEL_OK) fail("counting", error.message);
  if (scalable(&grows, &filters[1], &error) != TROMMEL_OK) fail("scalable", error.message);
  for (i = 0; i < 2; ++i) {
    for (key = 0; key < 100000; ++key) {
      if (insert(filters[i], &key, sizeof(key), &error) != 1) fail("insert", error.message);
    }
    for (key = 0; key < 100000; ++key) {
      if (may_contain(filters[i], &key, sizeof(key), &error) != 1) fail("query", error.message);
    }
    free_filter(filters[i]);
  }
  /* By default there are no executors, and the message says how to have them. */
  if (executor(2, &threads, &error) == TROMMEL_OK) fail("executor", "is there");
  if (strstr(error.message, "TROMMEL_C_EXECUTOR") == NULL) fail("executor", error.message);
  if (!is_mapped(name)) fail(name, "is not mapped before dlclose: a wrong name?");
  if (dlclose(library) != 0) fail("dlclose", dlerror());
  if (is_mapped(name)) fail(name, "is still mapped after dlclose");
  puts("used and unmapped");
  return 0;
}
