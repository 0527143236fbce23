/* The functions of names.js: create(), and insert, erase and mayContain of a filter and a Buffer.
 */
#include <node_api.h>
#include <trommel/c.h>

static void free_filter(napi_env env, void* filter, void* hint) {
  (void)env;
  (void)hint;
  trommel_filter_free(filter);
}

static napi_value create(napi_env env, napi_callback_info info) {
  trommel_scalable_config config = {.struct_size = sizeof(config)};
  trommel_filter* filter = NULL;
  trommel_error error;
  napi_value result = NULL;
  (void)info;
  if (trommel_scalable_create(&config, &filter, &error) != TROMMEL_OK) {
    napi_throw_error(env, trommel_code_name(error.code), error.message);
  } else if (napi_create_external(env, filter, free_filter, NULL, &result) != napi_ok) {
    trommel_filter_free(filter);
  }
  return result;
}

typedef int32_t (*one_key)(trommel_filter*, const void*, int64_t, trommel_error*);
static int32_t may_contain(trommel_filter* filter, const void* data, int64_t size,
                           trommel_error* error) {
  return trommel_may_contain_bytes(filter, data, size, error);
}
static const one_key kFunctions[] = {trommel_insert_bytes, trommel_erase_bytes, may_contain};

/* `info` has the function to call. */
static napi_value call(napi_env env, napi_callback_info info) {
  napi_value args[2];
  napi_value result = NULL;
  size_t num_args = 2;
  size_t size = 0;
  void *function, *filter, *data;
  trommel_error error;
  int32_t answer;
  if (napi_get_cb_info(env, info, &num_args, args, NULL, &function) != napi_ok || num_args != 2 ||
      napi_get_value_external(env, args[0], &filter) != napi_ok ||
      napi_get_buffer_info(env, args[1], &data, &size) != napi_ok) {
    napi_throw_type_error(env, NULL, "expected a filter and a Buffer");
    return NULL;
  }
  answer = (*(const one_key*)function)(filter, data, (int64_t)size, &error);
  if (answer < 0) napi_throw_error(env, trommel_code_name(error.code), error.message);
  napi_get_boolean(env, answer > 0, &result);
  return result;
}

NAPI_MODULE_INIT() {
  static const char* const kNames[] = {"insert", "erase", "mayContain"};
  napi_value function;
  size_t i;
  napi_create_function(env, "create", NAPI_AUTO_LENGTH, create, NULL, &function);
  napi_set_named_property(env, exports, "create", function);
  for (i = 0; i < 3; ++i) {
    napi_create_function(env, kNames[i], NAPI_AUTO_LENGTH, call, (void*)&kFunctions[i], &function);
    napi_set_named_property(env, exports, kNames[i], function);
  }
  return exports;
}
