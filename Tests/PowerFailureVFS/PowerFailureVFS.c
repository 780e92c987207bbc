// SPDX-License-Identifier: Apache-2.0

// Without the trait SQLite, this file is empty.
#ifdef HEADRACE_SQLITE

#include "PowerFailureVFS.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// MARK: Types

enum { maximumMachines = 64, maximumRegions = 64 };

/// A byte array that can grow.
typedef struct Bytes {
    unsigned char *data;
    sqlite3_int64 count;
    sqlite3_int64 capacity;
} Bytes;

/// A write or a truncation that was not synced.
typedef struct Change {
    struct Change *next;
    sqlite3_int64 offset; // The new size for a truncation.
    int count;            // -1 for a truncation.
    unsigned char data[];
} Change;

typedef struct Handle Handle;

/// The shared memory of a write-ahead log.
typedef struct SharedMemory {
    int handles; // Number of handles that have it mapped.
    int regionCount;
    void *regions[maximumRegions];
    int shared[SQLITE_SHM_NLOCK]; // Number of shared locks of each slot.
    Handle *exclusive[SQLITE_SHM_NLOCK];
} SharedMemory;

/// A file. It exists until the machine is destroyed, because a power failure can restore a deleted file.
typedef struct File {
    struct File *next;
    char *name; // NULL for a temporary file
    bool isLinked;
    bool isLinkedOnDisk;
    Bytes now;
    Bytes onDisk;
    Change *firstChange;
    Change *lastChange;
    int sharedLocks;
    Handle *writer; // The handle with the lock RESERVED or a stronger lock.
    SharedMemory *memory;
} File;

/// A creation or deletion of a file that was not synced.
typedef struct FolderChange {
    File *file;
    bool isLinked;
} FolderChange;

typedef struct Machine {
    sqlite3_vfs vfs;
    char name[32];
    pthread_mutex_t lock; // Protects everything below.
    uint64_t random;
    int sectorSize;
    int characteristics;
    File *files;
    FolderChange folderChanges[64];
    int folderChangeCount;
    int64_t generation; // Number of power failures.
    bool isOff;
    bool isBroken;
    int64_t callsToFailure; // 0 for no failure.
    enum PowerCalls countedCalls;
    int64_t syncsToError; // 0 for no error.
    int64_t syncCount;
    int openHandles;
} Machine;

/// An open file.
struct Handle {
    sqlite3_file base;
    Machine *machine;
    File *file;
    int64_t generation;
    int lock;
    bool syncsFolder;
    SharedMemory *memory;
    unsigned sharedSlots; // One bit for each slot.
    unsigned exclusiveSlots;
};

static Machine *machines[maximumMachines];
static pthread_mutex_t machinesLock = PTHREAD_MUTEX_INITIALIZER;

static void begin(Machine *machine) { pthread_mutex_lock(&machine->lock); }

static int end(Machine *machine, int code) {
    pthread_mutex_unlock(&machine->lock);
    return code;
}

/// Returns a random number less than `bound`, by SplitMix64.
static uint64_t randomBelow(Machine *machine, uint64_t bound) {
    machine->random += 0x9E3779B97F4A7C15;
    uint64_t mixed = machine->random;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return (mixed ^ (mixed >> 31)) % bound;
}

// MARK: Bytes

/// Sets the length of `bytes` to `count`. New bytes are 0.
static void resize(Bytes *bytes, sqlite3_int64 count) {
    if (count > bytes->capacity) {
        sqlite3_int64 capacity = count * 2;
        unsigned char *data = realloc(bytes->data, (size_t)capacity);
        if (data == NULL) abort();
        bytes->data = data;
        bytes->capacity = capacity;
    }
    if (count > bytes->count) memset(bytes->data + bytes->count, 0, (size_t)(count - bytes->count));
    bytes->count = count;
}

static void put(Bytes *bytes, sqlite3_int64 offset, const void *data, sqlite3_int64 count) {
    if (count == 0) return;
    if (offset + count > bytes->count) resize(bytes, offset + count);
    memcpy(bytes->data + offset, data, (size_t)count);
}

// MARK: The disk

static void addChange(File *file, sqlite3_int64 offset, int count, const void *data) {
    size_t size = count > 0 ? (size_t)count : 0;
    Change *change = malloc(sizeof(Change) + size);
    if (change == NULL) abort();
    change->next = NULL;
    change->offset = offset;
    change->count = count;
    if (size > 0) memcpy(change->data, data, size);
    if (file->lastChange != NULL) file->lastChange->next = change;
    else file->firstChange = change;
    file->lastChange = change;
}

static void forgetChanges(File *file) {
    for (Change *change = file->firstChange; change != NULL;) {
        Change *next = change->next;
        free(change);
        change = next;
    }
    file->firstChange = file->lastChange = NULL;
}

/// Writes the whole of `change` to the disk.
static void keep(File *file, const Change *change) {
    if (change->count < 0) resize(&file->onDisk, change->offset);
    else put(&file->onDisk, change->offset, change->data, change->count);
}

/// Writes some sectors of `change` to the disk. `percent` of them are new. Some of the rest are torn or garbage.
static void keepSome(Machine *machine, File *file, const Change *change, uint64_t percent, bool damages) {
    if (change->count < 0) {
        if (randomBelow(machine, 100) < percent) keep(file, change);
        return;
    }
    sqlite3_int64 offset = change->offset;
    const sqlite3_int64 last = change->offset + change->count;
    while (offset < last) {
        sqlite3_int64 count = machine->sectorSize - offset % machine->sectorSize;
        if (count > last - offset) count = last - offset;
        const unsigned char *data = change->data + (offset - change->offset);
        if (randomBelow(machine, 100) < percent) {
            put(&file->onDisk, offset, data, count);
        } else if (damages && randomBelow(machine, 4) == 0) {
            put(&file->onDisk, offset, data, (sqlite3_int64)randomBelow(machine, (uint64_t)count));
        } else if (damages && randomBelow(machine, 8) == 0) {
            for (sqlite3_int64 at = offset; at < offset + count; at++) {
                unsigned char garbage = (unsigned char)randomBelow(machine, 256);
                put(&file->onDisk, at, &garbage, 1);
            }
        }
        offset += count;
    }
}

static void syncFolder(Machine *machine) {
    for (int index = 0; index < machine->folderChangeCount; index++) {
        FolderChange change = machine->folderChanges[index];
        change.file->isLinkedOnDisk = change.isLinked;
    }
    machine->folderChangeCount = 0;
}

static void setLinked(Machine *machine, File *file, bool isLinked) {
    const int room = (int)(sizeof machine->folderChanges / sizeof machine->folderChanges[0]);
    if (machine->folderChangeCount == room) syncFolder(machine);
    file->isLinked = isLinked;
    machine->folderChanges[machine->folderChangeCount++] = (FolderChange){file, isLinked};
}

/// Decides which changes survive, and closes everything.
static void failPower(Machine *machine) {
    if (machine->isOff) return;
    machine->isOff = true;
    machine->generation++;
    machine->callsToFailure = machine->syncsToError = 0;

    // Of five failures, one loses everything, one loses nothing, one keeps a prefix, and the others keep sectors.
    const uint64_t kind = randomBelow(machine, 5);
    const uint64_t percent = kind == 0 ? 0 : kind == 1 ? 100 : 1 + randomBelow(machine, 99);

    const int room = machine->folderChangeCount;
    int kept = kind == 0 ? 0 : kind == 1 ? room : (int)randomBelow(machine, (uint64_t)room + 1);
    machine->folderChangeCount = kept;
    syncFolder(machine);

    for (File *file = machine->files; file != NULL; file = file->next) {
        uint64_t count = 0;
        for (Change *change = file->firstChange; change != NULL; change = change->next) count++;
        uint64_t prefix = count == 0 ? 0 : randomBelow(machine, count + 1);
        for (Change *change = file->firstChange; change != NULL; change = change->next) {
            if (kind != 2) {
                keepSome(machine, file, change, percent, kind > 2);
            } else if (prefix > 0) {
                keep(file, change);
                if (--prefix == 0 && change->next != NULL) keepSome(machine, file, change->next, percent, true);
            }
        }
        forgetChanges(file);
        resize(&file->now, 0);
        put(&file->now, 0, file->onDisk.data, file->onDisk.count);
        file->isLinked = file->isLinkedOnDisk;
        file->sharedLocks = 0;
        file->writer = NULL;
        file->memory = NULL; // The handles that have it mapped free it.
    }
}

/// Whether this is the call at which the power fails.
static bool failsHere(Machine *machine, enum PowerCalls calls) {
    if (machine->callsToFailure == 0) return false;
    if (machine->countedCalls == powerCallsSync && calls != powerCallsSync) return false;
    return --machine->callsToFailure == 0;
}

/// Whether the power has failed since the file was opened.
static bool isDead(const Handle *handle) { return handle->generation != handle->machine->generation; }

/// Whether a call on the file fails.
static bool isUseless(const Handle *handle) { return isDead(handle) || handle->machine->isBroken; }

// MARK: Files

static void unmap(Handle *handle);
static int unlock(sqlite3_file *base, int level);

static int closeFile(sqlite3_file *base) {
    Handle *handle = (Handle *)base;
    unlock(base, SQLITE_LOCK_NONE);
    begin(handle->machine);
    unmap(handle);
    handle->machine->openHandles--;
    return end(handle->machine, SQLITE_OK);
}

static int readFile(sqlite3_file *base, void *buffer, int count, sqlite3_int64 offset) {
    Handle *handle = (Handle *)base;
    begin(handle->machine);
    if (isUseless(handle)) return end(handle->machine, SQLITE_IOERR_READ);
    const Bytes *bytes = &handle->file->now;
    sqlite3_int64 there = bytes->count > offset ? bytes->count - offset : 0;
    if (there > count) there = count;
    if (there > 0) memcpy(buffer, bytes->data + offset, (size_t)there);
    memset((char *)buffer + there, 0, (size_t)(count - there));
    return end(handle->machine, there < count ? SQLITE_IOERR_SHORT_READ : SQLITE_OK);
}

static int writeFile(sqlite3_file *base, const void *buffer, int count, sqlite3_int64 offset) {
    Handle *handle = (Handle *)base;
    begin(handle->machine);
    if (isUseless(handle)) return end(handle->machine, SQLITE_IOERR_WRITE);
    put(&handle->file->now, offset, buffer, count);
    addChange(handle->file, offset, count, buffer);
    if (failsHere(handle->machine, powerCallsAll)) {
        failPower(handle->machine);
        return end(handle->machine, SQLITE_IOERR_WRITE);
    }
    return end(handle->machine, SQLITE_OK);
}

static int truncateFile(sqlite3_file *base, sqlite3_int64 size) {
    Handle *handle = (Handle *)base;
    begin(handle->machine);
    if (isUseless(handle)) return end(handle->machine, SQLITE_IOERR_TRUNCATE);
    if (size < handle->file->now.count) {
        resize(&handle->file->now, size);
        addChange(handle->file, size, -1, NULL);
    }
    if (failsHere(handle->machine, powerCallsAll)) {
        failPower(handle->machine);
        return end(handle->machine, SQLITE_IOERR_TRUNCATE);
    }
    return end(handle->machine, SQLITE_OK);
}

static int syncFile(sqlite3_file *base, int flags) {
    (void)flags;
    Handle *handle = (Handle *)base;
    Machine *machine = handle->machine;
    begin(machine);
    if (isUseless(handle)) return end(machine, SQLITE_IOERR_FSYNC);
    machine->syncCount++;
    if (failsHere(machine, powerCallsSync)) {
        failPower(machine);
        return end(machine, SQLITE_IOERR_FSYNC);
    }
    const bool fails = machine->syncsToError > 0 && --machine->syncsToError == 0;
    const uint64_t percent = randomBelow(machine, 100);
    for (Change *change = handle->file->firstChange; change != NULL; change = change->next) {
        if (fails) keepSome(machine, handle->file, change, percent, false);
        else keep(handle->file, change);
    }
    forgetChanges(handle->file);
    if (fails) return end(machine, SQLITE_IOERR_FSYNC);
    if (handle->syncsFolder) syncFolder(machine);
    handle->syncsFolder = false;
    return end(machine, SQLITE_OK);
}

static int fileSize(sqlite3_file *base, sqlite3_int64 *size) {
    Handle *handle = (Handle *)base;
    begin(handle->machine);
    if (isUseless(handle)) return end(handle->machine, SQLITE_IOERR_FSTAT);
    *size = handle->file->now.count;
    return end(handle->machine, SQLITE_OK);
}

static int fileControl(sqlite3_file *base, int operation, void *argument) {
    (void)base, (void)operation, (void)argument;
    return SQLITE_NOTFOUND;
}

static int sectorSize(sqlite3_file *base) { return ((Handle *)base)->machine->sectorSize; }

static int deviceCharacteristics(sqlite3_file *base) { return ((Handle *)base)->machine->characteristics; }

// MARK: Locks of files

static int lock(sqlite3_file *base, int level) {
    Handle *handle = (Handle *)base;
    File *file = handle->file;
    begin(handle->machine);
    if (isUseless(handle)) return end(handle->machine, SQLITE_IOERR_LOCK);
    if (handle->lock >= level) return end(handle->machine, SQLITE_OK);
    if (level == SQLITE_LOCK_SHARED) {
        if (file->writer != NULL && file->writer->lock >= SQLITE_LOCK_PENDING) return end(handle->machine, SQLITE_BUSY);
        file->sharedLocks++;
    } else {
        if (file->writer != NULL && file->writer != handle) return end(handle->machine, SQLITE_BUSY);
        file->writer = handle;
        if (level == SQLITE_LOCK_EXCLUSIVE && file->sharedLocks > 1) {
            handle->lock = SQLITE_LOCK_PENDING;
            return end(handle->machine, SQLITE_BUSY);
        }
    }
    handle->lock = level;
    return end(handle->machine, SQLITE_OK);
}

static int unlock(sqlite3_file *base, int level) {
    Handle *handle = (Handle *)base;
    File *file = handle->file;
    begin(handle->machine);
    if (!isDead(handle) && handle->lock > level) {
        if (file->writer == handle) file->writer = NULL;
        if (level == SQLITE_LOCK_NONE) file->sharedLocks--;
        handle->lock = level;
    }
    return end(handle->machine, SQLITE_OK);
}

static int checkReservedLock(sqlite3_file *base, int *result) {
    Handle *handle = (Handle *)base;
    begin(handle->machine);
    *result = handle->file->writer != NULL;
    return end(handle->machine, isUseless(handle) ? SQLITE_IOERR_CHECKRESERVEDLOCK : SQLITE_OK);
}

// MARK: Shared memory

static int mapMemory(sqlite3_file *base, int region, int size, int extends, void volatile **result) {
    Handle *handle = (Handle *)base;
    begin(handle->machine);
    *result = NULL;
    if (isUseless(handle) || region >= maximumRegions) return end(handle->machine, SQLITE_IOERR_SHMMAP);
    if (handle->memory == NULL) {
        if (handle->file->memory == NULL) handle->file->memory = calloc(1, sizeof(SharedMemory));
        if (handle->file->memory == NULL) abort();
        handle->memory = handle->file->memory;
        handle->memory->handles++;
    }
    SharedMemory *memory = handle->memory;
    while (extends && memory->regionCount <= region) {
        memory->regions[memory->regionCount] = calloc(1, (size_t)size);
        if (memory->regions[memory->regionCount] == NULL) abort();
        memory->regionCount++;
    }
    if (region < memory->regionCount) *result = memory->regions[region];
    return end(handle->machine, SQLITE_OK);
}

static int lockMemory(sqlite3_file *base, int offset, int count, int flags) {
    Handle *handle = (Handle *)base;
    begin(handle->machine);
    SharedMemory *memory = handle->memory;
    if (isDead(handle) && flags & SQLITE_SHM_UNLOCK) return end(handle->machine, SQLITE_OK);
    if (memory == NULL || (isUseless(handle) && flags & SQLITE_SHM_LOCK)) return end(handle->machine, SQLITE_IOERR_SHMLOCK);
    for (int slot = offset; !(flags & SQLITE_SHM_UNLOCK) && slot < offset + count; slot++) {
        const unsigned bit = 1u << slot;
        const int othersShared = memory->shared[slot] - ((handle->sharedSlots & bit) != 0);
        const bool isTaken = memory->exclusive[slot] != NULL && memory->exclusive[slot] != handle;
        if (isTaken || (flags & SQLITE_SHM_EXCLUSIVE && othersShared > 0)) return end(handle->machine, SQLITE_BUSY);
    }
    for (int slot = offset; slot < offset + count; slot++) {
        const unsigned bit = 1u << slot;
        if (flags & SQLITE_SHM_EXCLUSIVE) {
            const bool locks = flags & SQLITE_SHM_LOCK;
            memory->exclusive[slot] = locks ? handle : NULL;
            handle->exclusiveSlots = locks ? handle->exclusiveSlots | bit : handle->exclusiveSlots & ~bit;
        } else if (flags & SQLITE_SHM_LOCK && !(handle->sharedSlots & bit)) {
            memory->shared[slot]++;
            handle->sharedSlots |= bit;
        } else if (flags & SQLITE_SHM_UNLOCK && handle->sharedSlots & bit) {
            memory->shared[slot]--;
            handle->sharedSlots &= ~bit;
        }
    }
    return end(handle->machine, SQLITE_OK);
}

static void memoryBarrier(sqlite3_file *base) {
    Handle *handle = (Handle *)base;
    begin(handle->machine);
    end(handle->machine, SQLITE_OK);
}

/// Frees the shared memory if this is the last handle that has it mapped.
static void unmap(Handle *handle) {
    SharedMemory *memory = handle->memory;
    if (memory == NULL) return;
    for (int slot = 0; slot < SQLITE_SHM_NLOCK; slot++) {
        if (handle->sharedSlots & (1u << slot)) memory->shared[slot]--;
        if (handle->exclusiveSlots & (1u << slot)) memory->exclusive[slot] = NULL;
    }
    handle->sharedSlots = handle->exclusiveSlots = 0;
    handle->memory = NULL;
    if (--memory->handles > 0) return;
    if (handle->file->memory == memory) handle->file->memory = NULL;
    for (int region = 0; region < memory->regionCount; region++) free(memory->regions[region]);
    free(memory);
}

static int unmapMemory(sqlite3_file *base, int deletes) {
    (void)deletes;
    Handle *handle = (Handle *)base;
    begin(handle->machine);
    unmap(handle);
    return end(handle->machine, SQLITE_OK);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = closeFile,
    .xRead = readFile,
    .xWrite = writeFile,
    .xTruncate = truncateFile,
    .xSync = syncFile,
    .xFileSize = fileSize,
    .xLock = lock,
    .xUnlock = unlock,
    .xCheckReservedLock = checkReservedLock,
    .xFileControl = fileControl,
    .xSectorSize = sectorSize,
    .xDeviceCharacteristics = deviceCharacteristics,
    .xShmMap = mapMemory,
    .xShmLock = lockMemory,
    .xShmBarrier = memoryBarrier,
    .xShmUnmap = unmapMemory,
};

// MARK: The folder

static File *find(Machine *machine, const char *name) {
    for (File *file = machine->files; file != NULL; file = file->next) {
        if (file->isLinked && file->name != NULL && strcmp(file->name, name) == 0) return file;
    }
    return NULL;
}

static File *create(Machine *machine, const char *name) {
    File *file = calloc(1, sizeof(File));
    if (file == NULL) abort();
    file->next = machine->files;
    machine->files = file;
    if (name == NULL) return file;
    file->name = strdup(name);
    if (file->name == NULL) abort();
    setLinked(machine, file, true);
    return file;
}

static int openFile(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *outFlags) {
    Machine *machine = vfs->pAppData;
    Handle *handle = (Handle *)base;
    handle->base.pMethods = NULL;
    begin(machine);
    if (machine->isOff) return end(machine, SQLITE_CANTOPEN);
    File *file = name == NULL ? NULL : find(machine, name);
    if (file == NULL && !(flags & SQLITE_OPEN_CREATE)) return end(machine, SQLITE_CANTOPEN);
    if (file == NULL) file = create(machine, name);
    const bool isJournal = flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL);
    *handle = (Handle){
        .base.pMethods = &methods,
        .machine = machine,
        .file = file,
        .generation = machine->generation,
        .syncsFolder = isJournal && flags & SQLITE_OPEN_CREATE,
    };
    machine->openHandles++;
    if (outFlags != NULL) *outFlags = flags;
    return end(machine, SQLITE_OK);
}

static int deleteFile(sqlite3_vfs *vfs, const char *name, int syncsFolder) {
    Machine *machine = vfs->pAppData;
    begin(machine);
    if (machine->isOff) return end(machine, SQLITE_IOERR_DELETE);
    File *file = find(machine, name);
    if (file == NULL) return end(machine, SQLITE_IOERR_DELETE_NOENT);
    setLinked(machine, file, false);
    if (failsHere(machine, powerCallsAll)) {
        failPower(machine);
        return end(machine, SQLITE_IOERR_DELETE);
    }
    if (syncsFolder) syncFolder(machine);
    return end(machine, SQLITE_OK);
}

static int hasAccess(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    Machine *machine = vfs->pAppData;
    begin(machine);
    const File *file = find(machine, name);
    // Like the VFS "unix", this treats an empty file as one that doesn't exist.
    *result = file != NULL && (flags != SQLITE_ACCESS_EXISTS || file->now.count > 0);
    return end(machine, machine->isOff ? SQLITE_IOERR_ACCESS : SQLITE_OK);
}

static int fullPath(sqlite3_vfs *vfs, const char *name, int size, char *result) {
    (void)vfs;
    sqlite3_snprintf(size, result, "%s", name);
    return SQLITE_OK;
}

// The remaining methods are not about files.

static int randomness(sqlite3_vfs *vfs, int count, char *result) {
    (void)vfs;
    sqlite3_vfs *system = sqlite3_vfs_find(NULL);
    return system->xRandomness(system, count, result);
}

static int sleepFor(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    sqlite3_vfs *system = sqlite3_vfs_find(NULL);
    return system->xSleep(system, microseconds);
}

static int currentTime(sqlite3_vfs *vfs, double *result) {
    (void)vfs;
    sqlite3_vfs *system = sqlite3_vfs_find(NULL);
    return system->xCurrentTime(system, result);
}

static int lastError(sqlite3_vfs *vfs, int size, char *text) {
    (void)vfs, (void)size, (void)text;
    return SQLITE_OK;
}

// MARK: Machines

static Machine *machineNumbered(int number) {
    pthread_mutex_lock(&machinesLock);
    Machine *machine = machines[number];
    pthread_mutex_unlock(&machinesLock);
    if (machine == NULL) abort();
    return machine;
}

int powerMachineCreate(uint64_t seed, int sectorSize) {
    Machine *machine = calloc(1, sizeof(Machine));
    if (machine == NULL) abort();
    machine->random = seed;
    machine->sectorSize = sectorSize;
    machine->characteristics = randomBelow(machine, 2) == 0 ? 0 : SQLITE_IOCAP_POWERSAFE_OVERWRITE;
    pthread_mutex_init(&machine->lock, NULL);
    machine->vfs = (sqlite3_vfs){
        .iVersion = 1,
        .szOsFile = sizeof(Handle),
        .mxPathname = 512,
        .zName = machine->name,
        .pAppData = machine,
        .xOpen = openFile,
        .xDelete = deleteFile,
        .xAccess = hasAccess,
        .xFullPathname = fullPath,
        .xRandomness = randomness,
        .xSleep = sleepFor,
        .xCurrentTime = currentTime,
        .xGetLastError = lastError,
    };

    pthread_mutex_lock(&machinesLock);
    int number = 0;
    while (number < maximumMachines && machines[number] != NULL) number++;
    if (number < maximumMachines) machines[number] = machine;
    pthread_mutex_unlock(&machinesLock);
    if (number == maximumMachines) {
        free(machine);
        return -1;
    }
    snprintf(machine->name, sizeof machine->name, "power-%d", number);
    sqlite3_vfs_register(&machine->vfs, 0);
    return number;
}

int powerMachineDestroy(int number) {
    Machine *machine = machineNumbered(number);
    begin(machine);
    const int handles = machine->openHandles;
    end(machine, SQLITE_OK);
    if (handles > 0) return handles;
    sqlite3_vfs_unregister(&machine->vfs);
    pthread_mutex_lock(&machinesLock);
    machines[number] = NULL;
    pthread_mutex_unlock(&machinesLock);
    for (File *file = machine->files; file != NULL;) {
        File *next = file->next;
        forgetChanges(file);
        free(file->now.data);
        free(file->onDisk.data);
        free(file->name);
        free(file);
        file = next;
    }
    pthread_mutex_destroy(&machine->lock);
    free(machine);
    return 0;
}

void powerMachineFailAt(int number, enum PowerCalls calls, int64_t count) {
    Machine *machine = machineNumbered(number);
    begin(machine);
    machine->countedCalls = calls;
    machine->callsToFailure = count;
    end(machine, SQLITE_OK);
}

void powerMachineFail(int number) {
    Machine *machine = machineNumbered(number);
    begin(machine);
    failPower(machine);
    end(machine, SQLITE_OK);
}

int powerMachineIsOff(int number) {
    Machine *machine = machineNumbered(number);
    begin(machine);
    return end(machine, machine->isOff);
}

void powerMachineStart(int number) {
    Machine *machine = machineNumbered(number);
    begin(machine);
    machine->isOff = false;
    end(machine, SQLITE_OK);
}

void powerMachineFailSync(int number, int64_t count) {
    Machine *machine = machineNumbered(number);
    begin(machine);
    machine->syncsToError = count;
    end(machine, SQLITE_OK);
}

void powerMachineSetBroken(int number, int isBroken) {
    Machine *machine = machineNumbered(number);
    begin(machine);
    machine->isBroken = isBroken;
    end(machine, SQLITE_OK);
}

int64_t powerMachineSyncCount(int number) {
    Machine *machine = machineNumbered(number);
    begin(machine);
    const int64_t count = machine->syncCount;
    end(machine, SQLITE_OK);
    return count;
}

#endif
