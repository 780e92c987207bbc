//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Headrace

/// Why the program ends with exit code 1, as the person at the terminal is told.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = Report.printable(description)
    }

    /// Runs `operation`, and tells what it throws without what only a program would need.
    static func telling<Value>(_ operation: () throws -> Value) throws -> Value {
        do {
            return try operation()
        } catch {
            throw Failure(message(of: error))
        }
    }

    /// As the synchronous ``telling(_:)``.
    static func telling<Value>(_ operation: () async throws -> Value) async throws -> Value {
        do {
            return try await operation()
        } catch {
            throw Failure(message(of: error))
        }
    }

    private static func message(of error: any Error) -> String {
        switch error {
        case let error as StoreError: error.message
        case let error as DispatchError: error.message
        default: "\(error)"
        }
    }
}
