//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An instruction to change something: a message that one handler carries out.
///
/// It says what is wanted and carries what that needs, as a value:
///
/// ```swift
/// struct AddSomethingCommand: CQDCommand {
///     var name: String
/// }
/// ```
///
/// A command gives no value back; ask for it with a ``CQDQuery``.
public protocol CQDCommand: DispatchedMessage where Output == Void {}
