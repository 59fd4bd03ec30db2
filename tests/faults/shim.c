/* Preloaded into a process: at its Nth step of writing below a folder, something goes wrong.

   FAULT_FOLDER  steps are those on files below it: opening to write, write, fsync, fchmod,
                 rename, unlink, mkdir
   FAULT_AT      the step, from 1
   FAULT_KIND    kill: dies before the step; torn: dies after it, a write half done;
                 full: from this step on the disk is full
   FAULT_LOG     if set, a line a step is appended to this file
*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 4096 };
static _Atomic int steps;
static char watched[FILES];

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int is_below(const char *path) {
    const char *folder = getenv("FAULT_FOLDER");
    return folder && path && strncmp(path, folder, strlen(folder)) == 0;
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/* Counts a step. True if the disk is full; "torn" is left to the caller. */
static int step(const char *what, int *torn) {
    int now = atomic_fetch_add(&steps, 1) + 1;
    const char *at = getenv("FAULT_AT"), *kind = getenv("FAULT_KIND"), *log = getenv("FAULT_LOG");
    int wanted = at ? atoi(at) : 0;
    if (log) {
        int file = REAL(open)(log, O_WRONLY | O_CREAT | O_APPEND, 0644);
        dprintf(file, "%s\n", what);
        REAL(close)(file);
    }
    *torn = 0;
    if (!kind || !wanted || now < wanted) return 0;
    if (strcmp(kind, "full") == 0) return 1;
    if (now != wanted) return 0;
    if (strcmp(kind, "kill") == 0) die();
    *torn = 1;
    return 0;
}

static int opened(int (*real)(const char *, int, ...), const char *path, int flags, mode_t mode) {
    int torn = 0, below = is_below(path), writes = (flags & O_ACCMODE) != O_RDONLY;
    if (below && writes && step("open", &torn)) { errno = ENOSPC; return -1; }
    int file = real(path, flags, mode);
    if (torn) die();
    if (below && file >= 0 && file < FILES) watched[file] = 1;
    return file;
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return opened(REAL(open), path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return opened(REAL(open64), path, flags, mode);
}

int close(int file) {
    if (file >= 0 && file < FILES) watched[file] = 0;
    return REAL(close)(file);
}

ssize_t write(int file, const void *data, size_t size) {
    int torn;
    if (file < 0 || file >= FILES || !watched[file]) return REAL(write)(file, data, size);
    if (step("write", &torn)) {
        /* What fits is written; the next try says that no more does. */
        if (size > 1 && watched[file] == 1) {
            watched[file] = 2;
            return REAL(write)(file, data, size / 2);
        }
        errno = ENOSPC;
        return -1;
    }
    if (torn) {
        REAL(write)(file, data, size / 2);
        die();
    }
    return REAL(write)(file, data, size);
}

int fsync(int file) {
    int torn;
    if (file < 0 || file >= FILES || !watched[file]) return REAL(fsync)(file);
    if (step("fsync", &torn)) { errno = ENOSPC; return -1; }
    int result = REAL(fsync)(file);
    if (torn) die();
    return result;
}

int fchmod(int file, mode_t mode) {
    int torn = 0;
    if (file >= 0 && file < FILES && watched[file]) step("fchmod", &torn);
    int result = REAL(fchmod)(file, mode);
    if (torn) die();
    return result;
}

int rename(const char *from, const char *to) {
    int torn = 0;
    if (is_below(to) && step("rename", &torn)) { errno = ENOSPC; return -1; }
    int result = REAL(rename)(from, to);
    if (torn) die();
    return result;
}

int unlink(const char *path) {
    int torn = 0;
    if (is_below(path)) step("unlink", &torn);
    int result = REAL(unlink)(path);
    if (torn) die();
    return result;
}

int mkdir(const char *path, mode_t mode) {
    int torn = 0;
    if (is_below(path) && step("mkdir", &torn)) { errno = ENOSPC; return -1; }
    int result = REAL(mkdir)(path, mode);
    if (torn) die();
    return result;
}
