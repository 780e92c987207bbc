// SPDX-License-Identifier: Apache-2.0

// A virtual file system (VFS) of SQLite whose power can fail, for tests.
//
// A machine keeps all files in memory. Each file has a content that the program reads, and a content that is on the
// disk. A write changes the first; a sync makes the second equal to it. A power failure drops the writes that were not
// synced, or keeps some of their sectors, and makes the rest the new content. The process goes on, but each connection
// that was open before the failure receives an I/O error from then on.
//
// What is modelled:
//
// - Unsynced writes are lost, kept, or kept in part. Each write is split at the borders of sectors. A sector can be old,
//   new, half new, or garbage, in the bytes of the write. Sectors reach the disk in any order. A truncation is lost or
//   kept.
// - Bytes that aren't written are not damaged, even if their sector is ("powersafe overwrite"). The VFS "unix" of SQLite
//   assumes this too, and SQLite depends on it: the first write after a recovery can begin in the last synced sector. Half
//   of the machines report this to SQLite. For the other machines, SQLite pads each commit to the end of a sector.
// - A sync makes everything durable that was written to that file before. The disk doesn't lie.
// - The creation and deletion of files are durable when the folder is synced. A power failure keeps a prefix of those
//   that were not synced. The first sync of a journal or of a write-ahead log, by each connection, syncs the folder, and so
//   does a deletion that SQLite asks to be durable. The VFS "unix" of SQLite does the same.
// - Locks, and the shared memory of the write-ahead log, exist for the connections of one process, and end with the power.
// - A sync that fails (`powerMachineFailSync`) leaves its writes readable, but no later sync makes them durable. Linux
//   does the same.
//
// Not modelled: damage to bytes that were not written, disks that claim to have synced, more than one process.
//
// Related SQLite documentation: <https://www.sqlite.org/vfs.html>, <https://www.sqlite.org/atomiccommit.html>.

#ifndef POWER_FAILURE_VFS_H
#define POWER_FAILURE_VFS_H

#include <stdint.h>

/// The calls of a VFS that `powerMachineFailAt` counts.
enum PowerCalls {
    /// Writes, truncations, deletions, and syncs.
    powerCallsAll,

    /// Syncs alone.
    powerCallsSync,
};

/// Creates a machine with an empty disk, and registers its VFS, for example "power-7" for machine 7.
///
/// `seed` decides what survives each failure. `sectorSize` is the number of bytes in a sector, a power of 2.
/// Returns the number of the machine, or -1 if there are too many machines.
int powerMachineCreate(uint64_t seed, int sectorSize);

/// Unregisters the VFS, and frees the disk.
///
/// Returns the number of files that are still open. If it is not 0, the memory is not freed.
int powerMachineDestroy(int machine);

/// Lets the power fail at the `count`th call from now, counting from 1: before a sync, within a write.
void powerMachineFailAt(int machine, enum PowerCalls calls, int64_t count);

/// Lets the power fail now.
void powerMachineFail(int machine);

/// Whether the power has failed, and the machine was not started since.
int powerMachineIsOff(int machine);

/// Switches the machine on again after a failure: files can be opened.
void powerMachineStart(int machine);

/// Lets the `count`th sync from now fail, counting from 1, while the power stays on. Other calls are not affected.
void powerMachineFailSync(int machine, int64_t count);

/// Lets every call fail until it is called with 0; nothing is lost.
void powerMachineSetBroken(int machine, int isBroken);

/// Number of syncs since the machine was created.
int64_t powerMachineSyncCount(int machine);

#endif
