//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A message that changes something and has exactly one handler.
///
/// A command is a value that describes the change and holds its data:
///
/// ```swift
/// struct AddSomethingCommand: CQDCommand {
///     var name: String
/// }
/// ```
///
/// A command returns no value. To read a value, dispatch a ``CQDQuery``.
public protocol CQDCommand: DispatchedMessage where Output == Void {}
