//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How much of what happens a test has to assert.
public struct Exhaustivity: Hashable, Sendable {
    enum Kind: Hashable, Sendable { case on, off }

    let kind: Kind

    /// Each change of the state, each action that effects send back, and the end of each effect.
    public static let on = Exhaustivity(kind: .on)

    /// Only what the test names: other properties may change, other actions may come, effects may go on.
    public static let off = Exhaustivity(kind: .off)
}
