//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// The errors of services that run at the same time, by their places.
@usableFromInline
final class FailureList: Sendable {
    private let failures = Mutex<[(place: Int, error: any Error)]>([])

    @usableFromInline
    init() {}

    @usableFromInline
    func add(_ error: any Error, at place: Int) {
        failures.withLock { $0.append((place, error)) }
    }

    /// Throws them in the order of their places, if there are any.
    @usableFromInline
    func rethrow() throws {
        let failures = failures.withLock { $0 }
        if !failures.isEmpty { throw Failures(failures.sorted { $0.place < $1.place }.map(\.error)) }
    }
}
