// SPDX-License-Identifier: Apache-2.0

#if Tool
import ArgumentParser
import Foundation
import HeadraceRelay

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
#endif
