// A set of names that changes, from Go: the C ABI by cgo.
package main

// #cgo pkg-config: trommel_c
// #include <trommel/c.h>
import "C"

import (
	"fmt"
	"log"
	"unsafe"
)

// Filter grows with its keys. Any number of goroutines may use it.
type Filter struct{ handle *C.trommel_filter }

func NewFilter() (filter Filter, err error) {
	config := C.trommel_scalable_config{struct_size: C.sizeof_trommel_scalable_config}
	var failure C.trommel_error
	if C.trommel_scalable_create(&config, &filter.handle, &failure) != C.TROMMEL_OK {
		err = fmt.Errorf("trommel: %s", C.GoString(&failure.message[0]))
	}
	return filter, err
}

// view returns the key's bytes with one behind them: an empty key has an address, too.
func view(key string) (unsafe.Pointer, C.int64_t) {
	return unsafe.Pointer(&append([]byte(key), 0)[0]), C.int64_t(len(key))
}

func (f Filter) Insert(key string) bool {
	data, size := view(key)
	return C.trommel_insert_bytes(f.handle, data, size, nil) == 1
}
func (f Filter) Erase(key string) bool {
	data, size := view(key)
	return C.trommel_erase_bytes(f.handle, data, size, nil) == 1
}
func (f Filter) MayContain(key string) bool {
	data, size := view(key)
	return C.trommel_may_contain_bytes(f.handle, data, size, nil) != 0
}
func (f Filter) Close() { C.trommel_filter_free(f.handle) }

func count(size int, call func(string) bool) (yes int) {
	for i := 0; i < size; i++ {
		if call(fmt.Sprintf("name-%d", i)) {
			yes++
		}
	}
	return yes
}

func main() {
	filter, err := NewFilter()
	if err != nil {
		log.Fatal(err)
	}
	defer filter.Close()
	fmt.Printf("inserted %d erased %d present %d\n", count(10000, filter.Insert),
		count(5000, filter.Erase), count(20000, filter.MayContain))
}
