//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Remembers which entities of one context have raised events, by the numbers that the context gave them.
final class PendingEventTracker {
    private var numbers: [Int] = []

    /// Notes that the entity `number` has events, having had none.
    func note(_ number: Int) {
        numbers.append(number)
    }

    /// Gives the numbers noted since it was last asked, each once.
    func takeAll() -> [Int] {
        defer { numbers.removeAll() }
        return numbers
    }
}
