// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CSimulationEscapes.h"

#include <stddef.h>

#if defined(HEADRACE_SIMULATION) && defined(__linux__)

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static __thread void (*watcher)(headrace_escape);

void headrace_watch_thread(void (*report)(headrace_escape)) {
    watcher = report;
}

int headrace_can_watch(void) {
    return 1;
}

unsigned long headrace_call_stack(void) {
    void *frames[24];
    const int count = backtrace(frames, 24);
    unsigned long hash = 14695981039346656037UL;
    for (int index = 0; index < count; index++) {
        hash = (hash ^ (unsigned long)frames[index]) * 1099511628211UL;
    }
    return hash;
}

// The order of a Dictionary depends on addresses unless this variable is set before the process starts, so the process starts again.
__attribute__((constructor)) static void restart_with_deterministic_hashing(int count, char **arguments) {
    (void)count;
    if (getenv("SWIFT_DETERMINISTIC_HASHING") == NULL && setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1) == 0) {
        // If it fails, the process goes on, and a simulation reports what it can't repeat.
        execv("/proc/self/exe", arguments);
    }
}

static void note(headrace_escape escape) {
    void (*report)(headrace_escape) = watcher;
    if (report == NULL) {
        return;
    }
    watcher = NULL;
    report(escape);
    watcher = report;
}

typedef int (*clock_gettime_function)(clockid_t, struct timespec *);
typedef int (*gettimeofday_function)(struct timeval *, void *);
typedef time_t (*time_function)(time_t *);
typedef ssize_t (*getrandom_function)(void *, size_t, unsigned int);
typedef int (*getentropy_function)(void *, size_t);
typedef int (*open_function)(const char *, int, ...);
typedef int (*nanosleep_function)(const struct timespec *, struct timespec *);
typedef int (*usleep_function)(useconds_t);
typedef unsigned int (*sleep_function)(unsigned int);
typedef int (*sem_wait_function)(sem_t *);
typedef int (*sem_timedwait_function)(sem_t *, const struct timespec *);
typedef int (*connect_function)(int, const struct sockaddr *, socklen_t);
typedef int (*pthread_create_function)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef long (*syscall_function)(long, ...);

// Finds the original of a function at its first call. Two threads may both do it, with the same result.
#define ORIGINAL(name)                                                                                                \
    static name##_function original;                                                                                  \
    if (original == NULL) {                                                                                           \
        original = (name##_function)dlsym(RTLD_NEXT, #name);                                                          \
    }

int clock_gettime(clockid_t clock, struct timespec *time) {
    ORIGINAL(clock_gettime)
    note(headrace_escape_clock);
    return original(clock, time);
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    ORIGINAL(gettimeofday)
    note(headrace_escape_clock);
    return original(time, zone);
}

time_t time(time_t *result) {
    ORIGINAL(time)
    note(headrace_escape_clock);
    return original(result);
}

ssize_t getrandom(void *buffer, size_t size, unsigned int flags) {
    ORIGINAL(getrandom)
    note(headrace_escape_random);
    return original(buffer, size, flags);
}

int getentropy(void *buffer, size_t size) {
    ORIGINAL(getentropy)
    note(headrace_escape_random);
    return original(buffer, size);
}

int open(const char *path, int flags, ...) {
    ORIGINAL(open)
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (watcher != NULL && (strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0)) {
        note(headrace_escape_random);
    }
    return original(path, flags, mode);
}

int nanosleep(const struct timespec *time, struct timespec *rest) {
    ORIGINAL(nanosleep)
    note(headrace_escape_blocking);
    return original(time, rest);
}

int usleep(useconds_t time) {
    ORIGINAL(usleep)
    note(headrace_escape_blocking);
    return original(time);
}

unsigned int sleep(unsigned int time) {
    ORIGINAL(sleep)
    note(headrace_escape_blocking);
    return original(time);
}

int sem_wait(sem_t *semaphore) {
    ORIGINAL(sem_wait)
    note(headrace_escape_blocking);
    return original(semaphore);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict time) {
    ORIGINAL(sem_timedwait)
    note(headrace_escape_blocking);
    return original(semaphore, time);
}

int connect(int descriptor, const struct sockaddr *address, socklen_t length) {
    ORIGINAL(connect)
    note(headrace_escape_network);
    return original(descriptor, address, length);
}

int pthread_create(
    pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*start)(void *), void *restrict argument
) {
    ORIGINAL(pthread_create)
    note(headrace_escape_thread);
    return original(thread, attributes, start, argument);
}

// The standard library draws random bytes by the number of the call.
long syscall(long number, ...) {
    ORIGINAL(syscall)
    long values[6];
    va_list arguments;
    va_start(arguments, number);
    for (int index = 0; index < 6; index++) {
        values[index] = va_arg(arguments, long);
    }
    va_end(arguments);
    if (number == SYS_getrandom) {
        note(headrace_escape_random);
    }
    return original(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}

#else

void headrace_watch_thread(void (*report)(headrace_escape)) {
    (void)report;
}

int headrace_can_watch(void) {
    return 0;
}

unsigned long headrace_call_stack(void) {
    return 0;
}

#endif
