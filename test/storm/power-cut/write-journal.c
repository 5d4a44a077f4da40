/*
 * Preloaded into a process, it journals every change of the files below JOURNAL_FOLDER to the file JOURNAL_FILE: creations,
 * writes, truncations, renames, removals, and the beginning and end of every sync. A replay can then leave out what was not
 * synced. Shared memory of SQLite (-shm) is not journalled: it does not outlive the machine.
 *
 * A sync of a file whose path ends with JOURNAL_SLOW_FILE takes JOURNAL_SLOW_MS longer, as on a slow disk. With JOURNAL_SLOW_FROM
 * only after a file of that path was created.
 *
 *     cc -shared -fPIC -O2 -o write-journal.so write-journal.c -ldl -lpthread
 *
 * A record is the header below, the path (for a rename both, with a zero byte between) and the bytes written. It is appended
 * with one call, so that threads and processes can share the file. All calls keep their results and errors.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CREATED = 1, WRITTEN, TRUNCATED, RENAMED, REMOVED, SYNC_BEGUN, SYNC_ENDED };

struct header {
  uint32_t operation;
  uint32_t path_length;
  uint64_t offset;
  uint64_t length;
  uint64_t thread;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int journal = -1;
static const char *folder;
static size_t folder_length;

static ssize_t (*real_writev)(int, const struct iovec *, int);

#define REAL(type, name, ...)                                   \
  static type (*real)(__VA_ARGS__);                             \
  if (!real) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static int is_ready(void) {
  if (folder) return folder_length > 0;
  pthread_mutex_lock(&mutex);
  if (!folder) {
    const char *name = getenv("JOURNAL_FOLDER");
    const char *file = getenv("JOURNAL_FILE");
    int (*real_open)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    real_writev = (ssize_t(*)(int, const struct iovec *, int))dlsym(RTLD_NEXT, "writev");
    if (name && file) journal = real_open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    folder_length = journal >= 0 ? strlen(name) : 0;
    folder = name ? name : "";
  }
  pthread_mutex_unlock(&mutex);
  return folder_length > 0;
}

static int is_watched(const char *path) {
  size_t length = strlen(path);
  if (strncmp(path, folder, folder_length) != 0 || (path[folder_length] != '/' && path[folder_length] != 0)) return 0;
  return length < 4 || strcmp(path + length - 4, "-shm") != 0;
}

/* The path of an open file, if it is watched. */
static int find_path(int descriptor, char *path) {
  char link[64];
  int saved = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  errno = saved;
  if (length <= 0) return 0;
  path[length] = 0;
  return is_watched(path);
}

static int make_absolute(int at, const char *name, char *path) {
  if (name[0] == '/') return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
  char base[PATH_MAX];
  if (at == AT_FDCWD) {
    if (!getcwd(base, sizeof base)) return 0;
  } else {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", at);
    ssize_t length = readlink(link, base, sizeof base - 1);
    if (length <= 0) return 0;
    base[length] = 0;
  }
  return snprintf(path, PATH_MAX, "%s/%s", base, name) < PATH_MAX;
}

static void append(uint32_t operation, const char *path, size_t path_length, uint64_t offset, const struct iovec *bytes,
                   int count, uint64_t length) {
  int saved = errno;
  struct header header = {operation, (uint32_t)path_length, offset, length, (uint64_t)syscall(SYS_gettid)};
  struct iovec parts[64];
  parts[0] = (struct iovec){&header, sizeof header};
  parts[1] = (struct iovec){(void *)path, path_length};
  int used = 2;
  uint64_t left = length;
  for (int i = 0; i < count && left > 0 && used < 64; i++, used++) {
    uint64_t take = bytes[i].iov_len < left ? bytes[i].iov_len : left;
    parts[used] = (struct iovec){bytes[i].iov_base, take};
    left -= take;
  }
  pthread_mutex_lock(&mutex);
  ssize_t done = real_writev(journal, parts, used);
  pthread_mutex_unlock(&mutex);
  /* A journal with a hole would prove nothing. */
  if (left > 0 || done != (ssize_t)(sizeof header + path_length + length)) abort();
  errno = saved;
}

static void note(uint32_t operation, const char *path, uint64_t offset) {
  append(operation, path, strlen(path), offset, NULL, 0, 0);
}

static void note_write(int descriptor, const struct iovec *bytes, int count, int64_t offset, ssize_t written) {
  char path[PATH_MAX];
  if (written <= 0 || descriptor == journal || !find_path(descriptor, path)) return;
  if (offset < 0) offset = lseek(descriptor, 0, SEEK_CUR) - written;
  append(WRITTEN, path, strlen(path), (uint64_t)offset, bytes, count, (uint64_t)written);
}

static int open_watched(int at, const char *name, int flags, mode_t mode) {
  REAL(int, "openat", int, const char *, int, ...);
  char path[PATH_MAX];
  struct stat status;
  int saved = errno;
  int watched = is_ready() && (flags & (O_CREAT | O_TRUNC)) && make_absolute(at, name, path) && is_watched(path);
  int existed = watched && stat(path, &status) == 0;
  errno = saved;
  int descriptor = real(at, name, flags, mode);
  if (descriptor >= 0 && watched && !existed) note(CREATED, path, 0);
  if (descriptor >= 0 && watched && existed && (flags & O_TRUNC)) note(TRUNCATED, path, 0);
  return descriptor;
}

#define MODE_OF(flags)                    \
  mode_t mode = 0;                        \
  if ((flags) & (O_CREAT | O_TMPFILE)) {  \
    va_list list;                         \
    va_start(list, flags);                \
    mode = va_arg(list, mode_t);          \
    va_end(list);                         \
  }

int open(const char *name, int flags, ...) { MODE_OF(flags) return open_watched(AT_FDCWD, name, flags, mode); }
int open64(const char *name, int flags, ...) { MODE_OF(flags) return open_watched(AT_FDCWD, name, flags, mode); }
int openat(int at, const char *name, int flags, ...) { MODE_OF(flags) return open_watched(at, name, flags, mode); }
int openat64(int at, const char *name, int flags, ...) { MODE_OF(flags) return open_watched(at, name, flags, mode); }

ssize_t write(int descriptor, const void *bytes, size_t length) {
  REAL(ssize_t, "write", int, const void *, size_t);
  ssize_t written = real(descriptor, bytes, length);
  struct iovec part = {(void *)bytes, length};
  if (is_ready()) note_write(descriptor, &part, 1, -1, written);
  return written;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
  REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
  ssize_t written = real(descriptor, bytes, length, offset);
  struct iovec part = {(void *)bytes, length};
  if (is_ready()) note_write(descriptor, &part, 1, offset, written);
  return written;
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t offset) {
  return pwrite(descriptor, bytes, length, offset);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  REAL(ssize_t, "writev", int, const struct iovec *, int);
  ssize_t written = real(descriptor, parts, count);
  if (is_ready()) note_write(descriptor, parts, count, -1, written);
  return written;
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
  REAL(ssize_t, "pwritev", int, const struct iovec *, int, off_t);
  ssize_t written = real(descriptor, parts, count, offset);
  if (is_ready()) note_write(descriptor, parts, count, offset, written);
  return written;
}
ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off64_t offset) {
  return pwritev(descriptor, parts, count, offset);
}

int ftruncate(int descriptor, off_t length) {
  REAL(int, "ftruncate", int, off_t);
  int result = real(descriptor, length);
  char path[PATH_MAX];
  if (result == 0 && is_ready() && find_path(descriptor, path)) note(TRUNCATED, path, (uint64_t)length);
  return result;
}
int ftruncate64(int descriptor, off64_t length) { return ftruncate(descriptor, length); }

static void delay_sync(const char *path) {
  const char *name = getenv("JOURNAL_SLOW_FILE");
  const char *delay = getenv("JOURNAL_SLOW_MS");
  const char *begin = getenv("JOURNAL_SLOW_FROM");
  if (!name || !delay || strlen(path) < strlen(name) || strcmp(path + strlen(path) - strlen(name), name) != 0) return;
  if (begin && access(begin, F_OK) != 0) return;
  usleep((useconds_t)atoi(delay) * 1000);
}

static int sync_watched(int (*real)(int), int descriptor) {
  char path[PATH_MAX];
  int watched = is_ready() && find_path(descriptor, path);
  if (watched) note(SYNC_BEGUN, path, 0);
  if (watched) delay_sync(path);
  int result = real(descriptor);
  if (watched && result == 0) note(SYNC_ENDED, path, 0);
  return result;
}
int fsync(int descriptor) {
  REAL(int, "fsync", int);
  return sync_watched(real, descriptor);
}
int fdatasync(int descriptor) {
  REAL(int, "fdatasync", int);
  return sync_watched(real, descriptor);
}

static void note_removal(int at, const char *name, int result) {
  char path[PATH_MAX];
  if (result == 0 && is_ready() && make_absolute(at, name, path) && is_watched(path)) note(REMOVED, path, 0);
}
int unlink(const char *name) {
  REAL(int, "unlink", const char *);
  int result = real(name);
  note_removal(AT_FDCWD, name, result);
  return result;
}
int unlinkat(int at, const char *name, int flags) {
  REAL(int, "unlinkat", int, const char *, int);
  int result = real(at, name, flags);
  note_removal(at, name, result);
  return result;
}

static void note_rename(int from_at, const char *from, int to_at, const char *to, int result) {
  char paths[2 * PATH_MAX], target[PATH_MAX];
  if (result != 0 || !is_ready() || !make_absolute(from_at, from, paths) || !make_absolute(to_at, to, target)) return;
  if (!is_watched(paths) && !is_watched(target)) return;
  size_t length = strlen(paths);
  strcpy(paths + length + 1, target);
  append(RENAMED, paths, length + 1 + strlen(target), 0, NULL, 0, 0);
}
int rename(const char *from, const char *to) {
  REAL(int, "rename", const char *, const char *);
  int result = real(from, to);
  note_rename(AT_FDCWD, from, AT_FDCWD, to, result);
  return result;
}
int renameat(int from_at, const char *from, int to_at, const char *to) {
  REAL(int, "renameat", int, const char *, int, const char *);
  int result = real(from_at, from, to_at, to);
  note_rename(from_at, from, to_at, to, result);
  return result;
}

/* A way to write that is not journalled would make the replay wrong: such a call ends the process. */
static void refuse(int descriptor) {
  char path[PATH_MAX];
  if (is_ready() && find_path(descriptor, path)) abort();
}
int fallocate(int descriptor, int mode, off_t offset, off_t length) {
  REAL(int, "fallocate", int, int, off_t, off_t);
  refuse(descriptor);
  return real(descriptor, mode, offset, length);
}
int posix_fallocate(int descriptor, off_t offset, off_t length) {
  REAL(int, "posix_fallocate", int, off_t, off_t);
  refuse(descriptor);
  return real(descriptor, offset, length);
}
ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t length, unsigned flags) {
  REAL(ssize_t, "copy_file_range", int, off64_t *, int, off64_t *, size_t, unsigned);
  refuse(to);
  return real(from, from_at, to, to_at, length, flags);
}
