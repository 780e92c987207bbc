//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if SQLite
import Foundation
import HeadraceDomain
import HeadraceSQLite
import HeadraceTesting
import Synchronization

/// Writes to a store until it kills itself, without warning, at a fault point.
///
///     CrashSubject PATH FAULT_POINT PASSES SEED
///
/// It prints a line for each unit of work whose commit has returned, and nothing of any other. At the given pass of the
/// fault point it gets SIGKILL; where there are not as many, it ends by itself and prints `done`.
@main
enum CrashSubject {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let point = FaultPoint(rawValue: arguments[2]), let passes = Int(arguments[3]),
            let seed = UInt64(arguments[4])
        else {
            FileHandle.standardError.write(Data("usage: CrashSubject PATH FAULT_POINT PASSES SEED\n".utf8))
            exit(2)
        }
        let passed = Mutex(0)
        var configuration = SQLiteStore.Configuration()
        configuration.faults = { reached in
            if reached != point { return }
            let isTheOne = passed.withLock { count in
                count += 1
                return count == passes
            }
            if isTheOne { kill(getpid(), SIGKILL) }
        }
        let store = try SQLiteStore(
            path: arguments[1], entities: [Entry.self, Total.self], configuration: configuration)
        try await write(to: store, seed: seed)
        print("done")
    }

    private static func write(to store: SQLiteStore, seed: UInt64) async throws {
        try await execute(on: store) { context in
            if try await context.find(Total.self, id: "total") == nil { context.insert(Total()) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<16 {
                group.addTask {
                    for number in 0..<60 {
                        let id = "\(seed)-\(task)-\(number)"
                        // One in five is rolled back, by itself or by SQL that fails in its savepoint.
                        switch (number + task) % 10 {
                        case 0: try? await insert("refused-" + id, into: store) { _ in throw Refusal() }
                        case 5: try? await insert("refused-" + id, into: store) { $0.perform { _ in throw Refusal() } }
                        default:
                            try await insert(id, into: store) { _ in }
                            acknowledge(id)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Stores an entry, with its event, and counts it in the total, which all writers change.
    private static func insert(
        _ id: String,
        into store: SQLiteStore,
        then finish: @Sendable (EntityContext) throws -> Void
    ) async throws {
        while true {
            do {
                return try await execute(on: store) { context in
                    let entry = Entry(id)
                    context.insert(entry)
                    entry.raiseEvent(EntryStored(id: id))
                    try await context.find(Total.self, id: "total")?.count += 1
                    try finish(context)
                }
            } catch let error as StoreError where error.code == .versionConflict {
                continue
            }
        }
    }

    private static func execute(
        on store: SQLiteStore,
        _ body: (EntityContext) async throws -> Void
    ) async throws {
        try await UnitOfWork(delegator: RecordingDelegator(), context: EntityContext(store)).execute(body)
    }

    /// Writes the line at once and whole: what is in a buffer dies with the process.
    private static func acknowledge(_ id: String) {
        FileHandle.standardOutput.write(Data((id + "\n").utf8))
    }
}

private struct Refusal: Error {}

private final class Entry: StoredEntity {
    static let entityName = "entry"

    let id: String
    var raisedEvents = RaisedEvents()

    init(_ id: String) { self.id = id }
}

private final class Total: StoredEntity {
    static let entityName = "total"

    var id = "total"
    var count = 0
    var raisedEvents = RaisedEvents()
}

private struct EntryStored: DurableDomainEvent {
    static let eventName = "entry-stored"
    var id: String
}
#else
/// Without a store that outlives it there is nothing that a crash could harm.
@main
enum CrashSubject {
    static func main() {}
}
#endif
