//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A command that can be stored and carried out later.
///
/// ```swift
/// struct SendReminder: CQDCommand, DurableCommand {
///     static let commandName = "send-reminder"
///     var customerId: UUID
/// }
///
/// relay.carryOut(SendReminder.self) { try await dispatcher.dispatch($0) }
/// ```
public protocol DurableCommand: Codable, Sendable {
    /// The name under which the command is stored, which must never change, even if the type is renamed.
    static var commandName: String { get }
}
