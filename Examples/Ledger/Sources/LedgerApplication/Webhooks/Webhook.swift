//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation

/// Where posted transactions are told to another program.
public protocol Webhook: Sendable {
    /// Tells of a transaction; returns when the other side has taken it.
    ///
    /// - Parameters:
    ///   - body: The event as JSON.
    ///   - id: The identifier of the event: the same however often it is told, so that the other side can know it again.
    /// - Throws: Whatever keeps it from being taken; it is told again later then.
    func send(_ body: Data, id: UUID) async throws
}
