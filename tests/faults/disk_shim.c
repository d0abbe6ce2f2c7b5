/* A disk that fails on demand, loaded by LD_PRELOAD: the nth call on a file of one folder fails,
 * once or for good.
 *
 * `disk_arm` names the call and the fault. Calls below the folder of `disk_watch` are counted, and
 * appended to a trace, from which the states after a power failure are built; tests/faults/disk.py
 * reads it. Calls on other files go straight to the C library. `fsync` only counts: what is on the
 * disk is the trace's business, and nobody waits.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* In the order of `CALLS` in disk.py. */
enum { OPEN, READ, WRITE, SYNC, TRUNCATE, RENAME, UNLINK, MKDIR, CHMOD, LOCK };
/* In place of an errno: the call does half of what it was asked for. */
enum { SHORT = -1 };

#define EXPORT __attribute__((visibility("default")))
#define LOAD(real, name) \
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, name)

static char folder[4096];
static int armed, wanted, fault, trace = -1;
static long nth, times, seen;

static int is_inside(const char *path) {
  size_t length = strlen(folder);
  return length && !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
}

static int find_path(int file, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, 4095);
  if (length < 0) return 0;
  path[length] = 0;
  return is_inside(path);
}

static void record(int call, int failed, const char *path, const char *other, long offset,
                   const void *data, long size) {
  if (trace < 0) return;
  long head[6] = {call, failed, offset, size, (long)strlen(path), (long)strlen(other)};
  syscall(SYS_write, trace, head, sizeof head);
  syscall(SYS_write, trace, path, head[4]);
  syscall(SYS_write, trace, other, head[5]);
  if (data) syscall(SYS_write, trace, data, size);
}

/* Count a call inside the folder; return 0, an errno, or SHORT. */
static int draw_fault(int call, const char *path) {
  int failed = 0;
  if (armed && (wanted < 0 || wanted == call)) {
    seen++;
    if (seen >= nth && (times < 0 || seen < nth + times)) failed = fault;
  }
  if (call == READ || call == LOCK || failed > 0) record(call, failed, path, "", 0, NULL, 0);
  return failed;
}

EXPORT void disk_watch(const char *path, const char *target) {
  if (trace >= 0) syscall(SYS_close, trace);
  trace = -1;
  snprintf(folder, sizeof folder, "%s", path);
  if (target[0]) trace = (int)syscall(SYS_open, target, O_WRONLY | O_CREAT | O_APPEND | O_TRUNC, 0600);
}

EXPORT void disk_arm(int call, long first, long count, int code) {
  wanted = call, nth = first, times = count, fault = code, seen = 0, armed = 1;
}

EXPORT void disk_disarm(void) { armed = 0; }

static int open_file(int (*real)(const char *, int, ...), const char *path, int flags, mode_t mode) {
  struct stat status;
  if (path[0] != '/' || !is_inside(path)) return real(path, flags, mode);
  int failed = draw_fault(OPEN, path);
  if (failed > 0) return errno = failed, -1;
  int is_new = lstat(path, &status) != 0, file = real(path, flags, mode);
  if (file < 0) return file;
  record(OPEN, 0, path, "", is_new && flags & O_CREAT, NULL, 0);
  if (flags & O_TRUNC && !is_new) record(TRUNCATE, 0, path, "", 0, NULL, 0);
  return file;
}

#define OPENS(name) \
  EXPORT int name(const char *path, int flags, ...) { \
    static int (*real)(const char *, int, ...); \
    LOAD(real, #name); \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    return open_file(real, path, flags, mode); \
  }
OPENS(open)
OPENS(open64)

/* Halve what is asked for, so that a call that is always cut short still comes to an end. */
static size_t cut(int failed, size_t size) { return failed == SHORT ? (size + 1) / 2 : size; }

EXPORT ssize_t write(int file, const void *data, size_t size) {
  static ssize_t (*real)(int, const void *, size_t);
  LOAD(real, "write");
  char path[4096];
  if (!find_path(file, path)) return real(file, data, size);
  int failed = draw_fault(WRITE, path);
  if (failed > 0) return errno = failed, -1;
  struct stat status;
  long offset = fcntl(file, F_GETFL) & O_APPEND && !fstat(file, &status) ? status.st_size
                                                                         : lseek(file, 0, SEEK_CUR);
  ssize_t done = real(file, data, cut(failed, size));
  if (done > 0) record(WRITE, failed, path, "", offset, data, done);
  return done;
}

#define WRITES(name, type) \
  EXPORT ssize_t name(int file, const void *data, size_t size, type offset) { \
    static ssize_t (*real)(int, const void *, size_t, type); \
    LOAD(real, #name); \
    char path[4096]; \
    if (!find_path(file, path)) return real(file, data, size, offset); \
    int failed = draw_fault(WRITE, path); \
    if (failed > 0) return errno = failed, -1; \
    ssize_t done = real(file, data, cut(failed, size), offset); \
    if (done > 0) record(WRITE, failed, path, "", offset, data, done); \
    return done; \
  }
WRITES(pwrite, off_t)
WRITES(pwrite64, off64_t)

#define READS(name, type) \
  EXPORT ssize_t name(int file, void *data, size_t size, type offset) { \
    static ssize_t (*real)(int, void *, size_t, type); \
    LOAD(real, #name); \
    char path[4096]; \
    if (!find_path(file, path)) return real(file, data, size, offset); \
    int failed = draw_fault(READ, path); \
    if (failed > 0) return errno = failed, -1; \
    return real(file, data, cut(failed, size), offset); \
  }
READS(pread, off_t)
READS(pread64, off64_t)

EXPORT ssize_t read(int file, void *data, size_t size) {
  static ssize_t (*real)(int, void *, size_t);
  LOAD(real, "read");
  char path[4096];
  if (!find_path(file, path)) return real(file, data, size);
  int failed = draw_fault(READ, path);
  if (failed > 0) return errno = failed, -1;
  return real(file, data, cut(failed, size));
}

#define SYNCS(name) \
  EXPORT int name(int file) { \
    static int (*real)(int); \
    LOAD(real, #name); \
    char path[4096]; \
    if (!find_path(file, path)) return real(file); \
    int failed = draw_fault(SYNC, path); \
    if (failed > 0) return errno = failed, -1; \
    record(SYNC, 0, path, "", 0, NULL, 0); \
    return 0; \
  }
SYNCS(fsync)
SYNCS(fdatasync)

#define TRUNCATES(name, type) \
  EXPORT int name(int file, type size) { \
    static int (*real)(int, type); \
    LOAD(real, #name); \
    char path[4096]; \
    if (!find_path(file, path)) return real(file, size); \
    int failed = draw_fault(TRUNCATE, path); \
    if (failed > 0) return errno = failed, -1; \
    int done = real(file, size); \
    if (!done) record(TRUNCATE, 0, path, "", size, NULL, 0); \
    return done; \
  }
TRUNCATES(ftruncate, off_t)
TRUNCATES(ftruncate64, off64_t)

EXPORT int rename(const char *path, const char *other) {
  static int (*real)(const char *, const char *);
  LOAD(real, "rename");
  if (!is_inside(path) && !is_inside(other)) return real(path, other);
  int failed = draw_fault(RENAME, path);
  if (failed > 0) return errno = failed, -1;
  int done = real(path, other);
  if (!done) record(RENAME, 0, path, other, 0, NULL, 0);
  return done;
}

EXPORT int unlink(const char *path) {
  static int (*real)(const char *);
  LOAD(real, "unlink");
  if (!is_inside(path)) return real(path);
  int failed = draw_fault(UNLINK, path);
  if (failed > 0) return errno = failed, -1;
  int done = real(path);
  if (!done) record(UNLINK, 0, path, "", 0, NULL, 0);
  return done;
}

EXPORT int mkdir(const char *path, mode_t mode) {
  static int (*real)(const char *, mode_t);
  LOAD(real, "mkdir");
  if (!is_inside(path)) return real(path, mode);
  int failed = draw_fault(MKDIR, path);
  if (failed > 0) return errno = failed, -1;
  int done = real(path, mode);
  if (!done) record(MKDIR, 0, path, "", 0, NULL, 0);
  return done;
}

EXPORT int chmod(const char *path, mode_t mode) {
  static int (*real)(const char *, mode_t);
  LOAD(real, "chmod");
  if (!is_inside(path)) return real(path, mode);
  int failed = draw_fault(CHMOD, path);
  if (failed > 0) return errno = failed, -1;
  record(CHMOD, 0, path, "", 0, NULL, 0);
  return real(path, mode);
}

EXPORT int flock(int file, int operation) {
  static int (*real)(int, int);
  LOAD(real, "flock");
  char path[4096];
  if (!find_path(file, path)) return real(file, operation);
  int failed = draw_fault(LOCK, path);
  if (failed > 0) return errno = failed, -1;
  return real(file, operation);
}

#define LOCKS(name) \
  EXPORT int name(int file, int command, ...) { \
    static int (*real)(int, int, ...); \
    LOAD(real, #name); \
    va_list rest; \
    va_start(rest, command); \
    void *argument = va_arg(rest, void *); \
    va_end(rest); \
    char path[4096]; \
    if (command != F_SETLK || !find_path(file, path)) return real(file, command, argument); \
    /* Letting go of a lock cannot fail. */ \
    int failed = ((struct flock *)argument)->l_type == F_UNLCK ? 0 : draw_fault(LOCK, path); \
    if (failed > 0) return errno = failed, -1; \
    return real(file, command, argument); \
  }
LOCKS(fcntl)
LOCKS(fcntl64)
