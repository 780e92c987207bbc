// SPDX-License-Identifier: Apache-2.0

#if Tool
import ArgumentParser
import Foundation
import HeadraceDomain
import HeadracePostgres
import HeadraceProcesses
import HeadraceRelay
import HeadraceSQLite
import HeadraceStorage
import HeadraceWorkflows

#if Postgres
#endif
#if SQLite
#endif

/// The entities that a command reads.
enum StoreEntities {
    case none, schedules, workflows

    var types: [any StoredEntity.Type] {
        switch self {
        case .none: []
        case .schedules: [StoredSchedule.self]
        case .workflows: [StoredWorkflow.self]
        }
    }
}

/// An open store, whatever its kind.
struct OpenStore {
    let store: any DeliveryStore

    /// Returns the damage that the store finds in its file; `nil` if the store can't look for damage.
    let findDamage: (() async throws -> [String])?

    /// Opens the SQLite file `location`, or the PostgreSQL database with that URL.
    ///
    /// It creates no file.
    ///
    /// - Throws: ``ToolFailure``; ``HeadraceStorage/StoreError``.
    init(_ location: String, schema: String?, entities: StoreEntities) async throws {
        if ["postgres://", "postgresql://"].contains(where: location.hasPrefix) {
            try await self.init(url: location, schema: schema, entities: entities)
        } else {
            try self.init(file: location, entities: entities)
        }
    }

    #if SQLite
    private init(file path: String, entities: StoreEntities) throws {
        // Opening would create the file.
        if !FileManager.default.fileExists(atPath: path) { throw ToolFailure.noFile(path) }
        let store = try SQLiteStore(path: path, entities: entities.types)
        self.init(store: store, findDamage: { try await store.findDamage() })
    }
    #else
    private init(file path: String, entities: StoreEntities) throws { throw ToolFailure.without("SQLite") }
    #endif

    #if Postgres
    private init(url: String, schema: String?, entities: StoreEntities) async throws {
        var configuration = PostgresStore.Configuration()
        if let schema { configuration.schema = schema }
        let store = try await PostgresStore(url: url, entities: entities.types, configuration: configuration)
        self.init(store: store, findDamage: nil)
    }
    #else
    private init(url: String, schema: String?, entities: StoreEntities) async throws {
        throw ToolFailure.without("Postgres")
    }
    #endif

    private init(store: any DeliveryStore, findDamage: (() async throws -> [String])?) {
        self.store = store
        self.findDamage = findDamage
    }
}

/// The options of a command that changes the store, and its record in the log.
struct ChangeOption: ParsableArguments {
    @OptionGroup var store: StoreOption

    @Option(
        name: .customLong("operator"),
        help: ArgumentHelp(
            "Your name for the record of the operation; the name of the user of the operating system by default.",
            valueName: "name")
    )
    var name: String?

    /// The name of the operator.
    var operatorName: String {
        let user = NSUserName()
        return name ?? (user.isEmpty ? "unknown" : user)
    }

    func validate() throws {
        if name?.isEmpty == true { throw ValidationError("'--operator' must not be empty.") }
    }

    /// Does the same as ``StoreOption/run(with:_:)``, and passes a value that records operations.
    ///
    /// - Throws: ``ToolFailure``.
    func run<Value: Report>(
        with entities: StoreEntities = .none,
        _ operation: (OpenStore, Recorder) async throws -> Value
    ) async throws {
        try await store.run(with: entities) { open in
            try await operation(open, Recorder(log: OperatorLog(in: open.store), operatorName: operatorName))
        }
    }

    /// Records the operations of the operator.
    struct Recorder {
        fileprivate let log: OperatorLog
        let operatorName: String

        /// Records an operation, which the caller carries out afterwards.
        func record(_ operation: String, of target: [String]) async throws {
            try await log.record(OperatorLog.Operation(operation, of: target), by: operatorName)
        }
    }
}

/// The options for the store and the form of the output.
struct StoreOption: ParsableArguments {
    @Option(
        name: [.customLong("database"), .customShort("d")],
        help: ArgumentHelp(
            "An SQLite file, or the URL of a PostgreSQL database; the environment variable HEADRACE_DATABASE by default.",
            valueName: "path or URL"
        ),
        completion: .file(extensions: ["sqlite", "sqlite3", "db"])
    )
    var location: String?

    @Option(help: "The schema of a PostgreSQL database; 'headrace' by default.")
    var schema: String?

    @Flag(help: "Print JSON for scripts. Its members are stable: later versions only add some.")
    var json = false

    /// Opens the store, runs `operation`, closes the store, and prints the result.
    ///
    /// - Throws: ``ToolFailure``.
    func run<Value: Report>(
        with entities: StoreEntities = .none,
        _ operation: (OpenStore) async throws -> Value
    ) async throws {
        let location = location ?? ProcessInfo.processInfo.environment["HEADRACE_DATABASE"]
        guard let location, !location.isEmpty else { throw ToolFailure.noDatabase }
        let report = try await ToolFailure.translating {
            let open = try await OpenStore(location, schema: schema, entities: entities)
            do {
                let report = try await operation(open)
                try open.store.close()
                return report
            } catch {
                // The first error is more important than an error of closing.
                try? open.store.close()
                throw error
            }
        }
        try report.print(asJSON: json)
    }
}
#endif
