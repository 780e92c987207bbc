// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// A message observer that also receives the changes of a station's state.
///
/// To find the changes, the station reads each property before and after each action. A station without such an observer
/// avoids this cost.
public protocol StateObserver: MessageObserver {
    /// Called after an action has changed the state, on the actor of the station.
    ///
    /// - Parameters:
    ///   - changes: The changed properties; not empty.
    ///   - context: The context of the action.
    func stateChanged(_ changes: [StateChange], in context: MessageContext)
}
