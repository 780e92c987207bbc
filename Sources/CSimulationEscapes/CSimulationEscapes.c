// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CSimulationEscapes.h"

#include <stddef.h>

#if defined(HEADRACE_SIMULATION) && defined(__linux__)

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
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

// Follows the frame pointers, because some libraries have no tables for another way.
int headrace_call_stack(void **frames, int limit) {
    pthread_attr_t attributes;
    void *stack = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
        return 0;
    }
    pthread_attr_getstack(&attributes, &stack, &size);
    pthread_attr_destroy(&attributes);
    const uintptr_t end = (uintptr_t)stack + size - 2 * sizeof(uintptr_t);
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    int count = 0;
    while (count < limit && frame >= (uintptr_t)stack && frame <= end && frame % sizeof(uintptr_t) == 0) {
        const uintptr_t *values = (const uintptr_t *)frame;
        frames[count++] = (void *)values[1];
        // Swift marks the frames of asynchronous functions in a high bit.
        const uintptr_t next = values[0] & ~((uintptr_t)1 << 60);
        if (next <= frame) {
            break;
        }
        frame = next;
    }
    return count;
}

// Of the standard library; it returns text of malloc.
extern char *swift_demangle(const char *name, size_t length, char *output, size_t *size, uint32_t flags) __attribute__((weak));

// Finds the function at an offset in the symbols of a file in memory.
static const char *find_function(const unsigned char *file, size_t size, uintptr_t offset) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)file;
    if (size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64
        || header->e_shoff + (size_t)header->e_shnum * sizeof(Elf64_Shdr) > size) {
        return NULL;
    }
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + header->e_shoff);
    for (int index = 0; index < header->e_shnum; index++) {
        const Elf64_Shdr *section = &sections[index];
        if (section->sh_type != SHT_SYMTAB || section->sh_link >= header->e_shnum
            || section->sh_offset + section->sh_size > size) {
            continue;
        }
        const Elf64_Sym *symbols = (const Elf64_Sym *)(file + section->sh_offset);
        const Elf64_Shdr *names = &sections[section->sh_link];
        for (size_t number = 0; number < section->sh_size / sizeof(Elf64_Sym); number++) {
            const Elf64_Sym *symbol = &symbols[number];
            if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && offset >= symbol->st_value
                && offset - symbol->st_value < symbol->st_size && symbol->st_name < names->sh_size
                && names->sh_offset + names->sh_size <= size) {
                return (const char *)file + names->sh_offset + symbol->st_name;
            }
        }
    }
    return NULL;
}

int headrace_function_name(const void *address, char *name, int size, const char **image) {
    Dl_info info;
    if (dladdr(address, &info) == 0 || info.dli_fname == NULL) {
        return 0;
    }
    const char *slash = strrchr(info.dli_fname, '/');
    *image = slash == NULL ? info.dli_fname : slash + 1;
    const char *symbol = info.dli_sname;
    // The file of the program itself may have been named by a relative path.
    int descriptor = open(info.dli_fname, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        descriptor = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    }
    struct stat status;
    void *file = MAP_FAILED;
    if (descriptor >= 0 && fstat(descriptor, &status) == 0) {
        file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    }
    if (file != MAP_FAILED) {
        // The call returns to the next instruction, which may belong to the next function.
        const uintptr_t offset = (uintptr_t)address - 1 - (uintptr_t)info.dli_fbase;
        const char *found = find_function(file, (size_t)status.st_size, offset);
        if (found != NULL) {
            symbol = found;
        }
    }
    if (symbol != NULL) {
        char *text = swift_demangle == NULL ? NULL : swift_demangle(symbol, strlen(symbol), NULL, NULL, 0);
        snprintf(name, (size_t)size, "%s", text == NULL ? symbol : text);
        free(text);
    }
    if (file != MAP_FAILED) {
        munmap(file, (size_t)status.st_size);
    }
    if (descriptor >= 0) {
        close(descriptor);
    }
    return symbol != NULL;
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

int headrace_call_stack(void **frames, int limit) {
    (void)frames;
    (void)limit;
    return 0;
}

int headrace_function_name(const void *address, char *name, int size, const char **image) {
    (void)address;
    (void)name;
    (void)size;
    (void)image;
    return 0;
}

#endif
