//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The errors of several services on their way up, in the order written.
@usableFromInline
struct Failures: Error {
    struct Entry: Sendable {
        let error: any Error

        /// Whether it was transformed before, so that no one transforms it again.
        var isFinal = false
    }

    let entries: [Entry]

    init(_ entries: [Entry]) {
        self.entries = entries
    }

    @usableFromInline
    init(_ errors: [any Error]) {
        entries = errors.flatMap { Self.entries(of: $0) }
    }

    static func entries(of error: any Error) -> [Entry] {
        (error as? Failures)?.entries ?? [Entry(error: error)]
    }

    /// What whoever sends gets to see of `error`.
    @usableFromInline
    static func reported(_ error: any Error) -> any Error {
        guard let failures = error as? Failures else { return error }
        let errors = failures.entries.map(\.error)
        if errors.count == 1 { return errors[0] }
        return errors.allSatisfy { $0 is CancellationError } ? CancellationError() : ServiceFailures(errors)
    }
}
