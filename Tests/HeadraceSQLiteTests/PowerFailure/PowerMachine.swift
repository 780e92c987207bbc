// SPDX-License-Identifier: Apache-2.0

#if SQLite
import HeadraceSQLite
import PowerFailureVFS

/// A machine in memory whose power can fail, with the disk that a store is on.
///
/// The header of `PowerFailureVFS` describes the model of a failure.
final class PowerMachine: Sendable {
    private let number: Int32

    /// Creates a machine with an empty disk; `seed` decides what survives each failure.
    init(seed: UInt64, sectorSize: Int32) {
        number = powerMachineCreate(seed, sectorSize)
        precondition(number >= 0, "There are too many machines. To fix, destroy machines after use.")
    }

    /// The name of the machine's file system in SQLite.
    private var vfs: String { "power-\(number)" }

    /// Whether the power has failed and the machine was not started again.
    var isOff: Bool { powerMachineIsOff(number) != 0 }

    /// Number of syncs since the machine was created.
    var syncCount: Int { Int(powerMachineSyncCount(number)) }

    /// Lets the power fail at the `count`th call from now, counting from 1: within a write, or before a sync.
    func failPower(atCall count: Int) { powerMachineFailAt(number, powerCallsAll, Int64(count)) }

    /// Lets the power fail before the `count`th sync, counting from 1.
    func failPower(atSync count: Int) { powerMachineFailAt(number, powerCallsSync, Int64(count)) }

    /// Lets the power fail now.
    func failPower() { powerMachineFail(number) }

    /// Lets the `count`th sync fail, counting from 1; the power stays on.
    func failSync(_ count: Int) { powerMachineFailSync(number, Int64(count)) }

    /// Lets every call fail, until the disk is repaired; nothing is lost.
    func breakDisk() { powerMachineSetBroken(number, 1) }

    /// Ends what ``breakDisk()`` began.
    func repairDisk() { powerMachineSetBroken(number, 0) }

    /// Switches the machine on after a failure.
    func start() { powerMachineStart(number) }

    /// Opens the store of the machine.
    func openStore() throws -> SQLiteStore {
        var configuration = SQLiteStore.Configuration()
        configuration.vfs = vfs
        return try SQLiteStore(
            path: "/store.sqlite",
            entities: [PowerEntry.self, PowerCounter.self, PowerEffect.self],
            configuration: configuration
        )
    }

    /// Frees the disk, unless files are open.
    ///
    /// - Returns: The number of files that are still open.
    func destroy() -> Int { Int(powerMachineDestroy(number)) }
}
#endif
