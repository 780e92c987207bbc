//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

/// A message observer that is told of the changes of a station's state as well.
///
/// Finding them out takes a look at each property before and after each action; a station whose observers are no
/// `StateObserver` saves it.
public protocol StateObserver: MessageObserver {
    /// An action has changed a state, on the actor of its station.
    ///
    /// - Parameters:
    ///   - changes: What is different; not empty.
    ///   - context: The action, as a message.
    func stateChanged(_ changes: [StateChange], in context: MessageContext)
}
