//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A property of a state that an action has changed.
public struct StateChange: Hashable, Sendable, CustomStringConvertible {
    /// Its name, with those around it: `address.street`; `state` where the state has no properties.
    public let property: String

    /// What it was, as text; `nil` where there was none.
    public let old: String?

    /// What it is, as text; `nil` where there is none.
    public let new: String?

    /// All three in a line.
    public var description: String { "\(property): \(old ?? "nothing") → \(new ?? "nothing")" }
}
