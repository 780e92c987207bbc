// SPDX-License-Identifier: Apache-2.0

// Notices when the code of a simulation leaves it.
//
// On Linux, these functions of the C library are replaced in the whole process: those that read a clock, draw random bytes, wait,
// connect, or start a thread. Each calls the original. On a watched thread, it reports the call first.
//
// A process with this library starts itself again with SWIFT_DETERMINISTIC_HASHING=1 before its main function, unless the variable
// has a value.

#ifndef CSIMULATION_ESCAPES_H
#define CSIMULATION_ESCAPES_H

/// What a function of the C library does.
typedef enum headrace_escape {
    headrace_escape_clock = 0,
    headrace_escape_random = 1,
    headrace_escape_blocking = 2,
    headrace_escape_network = 3,
    headrace_escape_thread = 4,
} headrace_escape;

/// Reports the calls of this thread to `report`; `NULL` ends that.
///
/// While `report` runs, its own calls aren't reported.
void headrace_watch_thread(void (*report)(headrace_escape escape));

/// Writes the addresses of the calls that lead here to `frames`, innermost first, and returns their number, at most `limit`.
int headrace_call_stack(void **frames, int limit);

/// Writes the name of the function at `address`, as text, and returns 1; returns 0 if it belongs to no file, or has no name.
///
/// `image` receives the name of its file. It reads the symbols of that file.
int headrace_function_name(const void *address, char *name, int size, const char **image);

/// Whether calls can be noticed on this platform.
int headrace_can_watch(void);

#endif
