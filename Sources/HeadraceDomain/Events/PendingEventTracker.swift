//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Tracks which entities of one context have raised events, by numbers that the context assigns.
final class PendingEventTracker {
    private var numbers: [Int] = []

    /// Notes that the entity `number`, which had no events, has raised an event.
    func note(_ number: Int) {
        numbers.append(number)
    }

    /// Returns the numbers noted since the last call, each once.
    func takeAll() -> [Int] {
        defer { numbers.removeAll() }
        return numbers
    }
}
