//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation

/// Says that there is no such import.
public struct UnknownImport: Error, Sendable, CustomStringConvertible {
    /// The import that was asked for.
    public let id: UUID

    /// Creates the error.
    public init(id: UUID) {
        self.id = id
    }

    /// What happened and how to fix it.
    public var description: String {
        "There is no import '\(id)'. To fix, take the identifier that was given when it was begun."
    }
}
