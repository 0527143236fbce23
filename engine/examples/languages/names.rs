//! A set of names that changes, from Rust: the C ABI by `extern "C"`, linked as an archive.
use std::ffi::{c_void, CStr};
use std::os::raw::c_char;

/// trommel_scalable_config. What is 0 has its default.
#[repr(C)]
struct ScalableConfig {
    struct_size: u32,
    reserved: u32,
    first_capacity: u64,
    target_fpr: f64,
    max_capacity: u64,
    memory_limit_bytes: u64,
    side_memory_limit_bytes: u64,
    digest: *const c_void,
    executor: *const c_void,
}
#[repr(C)]
struct Error {
    code: i32,
    message: [c_char; 1020],
}
type OneKey = unsafe extern "C" fn(*mut c_void, *const u8, i64, *mut Error) -> i32;

extern "C" {
    fn trommel_scalable_create(config: &ScalableConfig, filter: &mut *mut c_void, error: &mut Error) -> i32;
    fn trommel_insert_bytes(filter: *mut c_void, data: *const u8, size: i64, error: *mut Error) -> i32;
    fn trommel_erase_bytes(filter: *mut c_void, data: *const u8, size: i64, error: *mut Error) -> i32;
    fn trommel_may_contain_bytes(filter: *mut c_void, data: *const u8, size: i64, error: *mut Error) -> i32;
    fn trommel_filter_free(filter: *mut c_void);
}

/// Grows with its keys. Any number of threads may use it.
struct Filter(*mut c_void);
unsafe impl Send for Filter {}
unsafe impl Sync for Filter {}

impl Filter {
    fn new() -> Result<Filter, String> {
        let mut config: ScalableConfig = unsafe { std::mem::zeroed() };
        config.struct_size = std::mem::size_of::<ScalableConfig>() as u32;
        let (mut filter, mut error) = (Filter(std::ptr::null_mut()), Error { code: 0, message: [0; 1020] });
        match unsafe { trommel_scalable_create(&config, &mut filter.0, &mut error) } {
            0 => Ok(filter),
            _ => Err(unsafe { CStr::from_ptr(error.message.as_ptr()) }.to_string_lossy().into_owned()),
        }
    }
    fn call(&self, function: OneKey, key: &[u8]) -> i32 {
        unsafe { function(self.0, key.as_ptr(), key.len() as i64, std::ptr::null_mut()) }
    }
    fn insert(&self, key: &[u8]) -> bool { self.call(trommel_insert_bytes, key) == 1 }
    fn erase(&self, key: &[u8]) -> bool { self.call(trommel_erase_bytes, key) == 1 }
    fn may_contain(&self, key: &[u8]) -> bool { self.call(trommel_may_contain_bytes, key) != 0 }
}
impl Drop for Filter {
    fn drop(&mut self) { unsafe { trommel_filter_free(self.0) } }
}

fn main() -> Result<(), String> {
    let filter = Filter::new()?;
    let name = |i: i32| format!("name-{i}").into_bytes();
    let inserted = (0..10000).filter(|&i| filter.insert(&name(i))).count();
    let erased = (0..5000).filter(|&i| filter.erase(&name(i))).count();
    let present = (0..20000).filter(|&i| filter.may_contain(&name(i))).count();
    println!("inserted {inserted} erased {erased} present {present}");
    Ok(())
}
