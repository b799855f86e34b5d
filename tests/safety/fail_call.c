// Makes the n-th call of one kind fail, for faults.py: loaded before the C library (LD_PRELOAD).
//   FAIL_CALL   write, rename, sync, open, malloc or fork
//   FAIL_AT     which call fails, from 1; 0: none
//   FAIL_FOR    how many in a row fail; 1 unless given
//   FAIL_ERRNO  the number of the error; 0: that of a full disk, or what fits the call
//   FAIL_COUNT  a file to which the number of calls is written at the end
// Counted is from main() on.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { k_write, k_rename, k_sync, k_open, k_malloc, k_fork, k_none };
static const char* const names[] = {"write", "rename", "sync", "open", "malloc", "fork"};
static enum kind chosen = k_none;
static long fail_at = 0, fail_for = 1;
static int fail_errno = 0;
static atomic_long calls = 0;
static atomic_int counting = 0;

static int fails(enum kind kind, int usual) {
  if (kind != chosen || !atomic_load(&counting)) return 0;
  const long n = atomic_fetch_add(&calls, 1) + 1;
  if (fail_at == 0 || n < fail_at || n >= fail_at + fail_for) return 0;
  errno = fail_errno != 0 ? fail_errno : usual;
  return 1;
}

static long number(const char* name, long otherwise) {
  const char* const text = getenv(name);
  return text != NULL ? atol(text) : otherwise;
}

static void begin(void) {
  const char* const kind = getenv("FAIL_CALL");
  fail_at = number("FAIL_AT", 0);
  fail_for = number("FAIL_FOR", 1);
  fail_errno = (int)number("FAIL_ERRNO", 0);
  for (int k = 0; kind != NULL && k < k_none; ++k)
    if (strcmp(kind, names[k]) == 0) chosen = (enum kind)k;
  // What the program starts is not to fail: only the first process is.
  unsetenv("LD_PRELOAD");
  atomic_store(&counting, 1);
}

static void end(void) {
  atomic_store(&counting, 0);
  const char* const file = getenv("FAIL_COUNT");
  if (file == NULL) return;
  FILE* const out = fopen(file, "w");
  if (out == NULL) return;
  fprintf(out, "%ld\n", atomic_load(&calls));
  fclose(out);
}

static int (*real_main)(int, char**, char**);
static int counted_main(int argc, char** argv, char** env) {
  begin();
  atexit(end);
  return real_main(argc, argv, env);
}

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void* stack_end) {
  int (*const real)(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void), void (*)(void), void*) =
      dlsym(RTLD_NEXT, "__libc_start_main");
  real_main = main;
  return real(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (real == NULL) real = dlsym(RTLD_NEXT, #name)

// Standard output and error are left alone: what is asked is whether the message arrives.
ssize_t write(int fd, const void* data, size_t size) {
  REAL(ssize_t, write, int, const void*, size_t);
  return fd > 2 && fails(k_write, ENOSPC) ? -1 : real(fd, data, size);
}
ssize_t writev(int fd, const struct iovec* parts, int count) {
  REAL(ssize_t, writev, int, const struct iovec*, int);
  return fd > 2 && fails(k_write, ENOSPC) ? -1 : real(fd, parts, count);
}
ssize_t pwrite(int fd, const void* data, size_t size, off_t at) {
  REAL(ssize_t, pwrite, int, const void*, size_t, off_t);
  return fails(k_write, ENOSPC) ? -1 : real(fd, data, size, at);
}
ssize_t pwrite64(int fd, const void* data, size_t size, off64_t at) {
  REAL(ssize_t, pwrite64, int, const void*, size_t, off64_t);
  return fails(k_write, ENOSPC) ? -1 : real(fd, data, size, at);
}
int rename(const char* from, const char* to) {
  REAL(int, rename, const char*, const char*);
  return fails(k_rename, EIO) ? -1 : real(from, to);
}
int renameat(int a, const char* from, int b, const char* to) {
  REAL(int, renameat, int, const char*, int, const char*);
  return fails(k_rename, EIO) ? -1 : real(a, from, b, to);
}
int fsync(int fd) {
  REAL(int, fsync, int);
  return fails(k_sync, EIO) ? -1 : real(fd);
}
int fdatasync(int fd) {
  REAL(int, fdatasync, int);
  return fails(k_sync, EIO) ? -1 : real(fd);
}

static mode_t mode_of(int flags, va_list rest) { return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0; }
#define OPEN(name) \
  int name(const char* path, int flags, ...) { \
    REAL(int, name, const char*, int, ...); \
    va_list rest; \
    va_start(rest, flags); \
    const mode_t mode = mode_of(flags, rest); \
    va_end(rest); \
    return fails(k_open, EACCES) ? -1 : real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)
#define OPENAT(name) \
  int name(int folder, const char* path, int flags, ...) { \
    REAL(int, name, int, const char*, int, ...); \
    va_list rest; \
    va_start(rest, flags); \
    const mode_t mode = mode_of(flags, rest); \
    va_end(rest); \
    return fails(k_open, EACCES) ? -1 : real(folder, path, flags, mode); \
  }
OPENAT(openat)
OPENAT(openat64)
int mkostemp(char* pattern, int flags) {
  REAL(int, mkostemp, char*, int);
  return fails(k_open, EACCES) ? -1 : real(pattern, flags);
}
int mkostemp64(char* pattern, int flags) {
  REAL(int, mkostemp64, char*, int);
  return fails(k_open, EACCES) ? -1 : real(pattern, flags);
}
FILE* fopen(const char* path, const char* mode) {
  REAL(FILE*, fopen, const char*, const char*);
  return fails(k_open, EACCES) ? NULL : real(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  REAL(FILE*, fopen64, const char*, const char*);
  return fails(k_open, EACCES) ? NULL : real(path, mode);
}

int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* how,
                char* const* argv, char* const* env) {
  REAL(int, posix_spawn, pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*, char* const*,
       char* const*);
  return fails(k_fork, EAGAIN) ? EAGAIN : real(pid, path, actions, how, argv, env);
}
pid_t fork(void) {
  REAL(pid_t, fork, void);
  return fails(k_fork, EAGAIN) ? -1 : real();
}

// dlsym may ask for memory before the real functions are known.
extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
void* malloc(size_t size) { return fails(k_malloc, ENOMEM) ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return fails(k_malloc, ENOMEM) ? NULL : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return fails(k_malloc, ENOMEM) ? NULL : __libc_realloc(old, size); }
