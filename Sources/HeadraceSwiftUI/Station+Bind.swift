// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import HeadraceStations
public import SwiftUI

extension Station {
    /// A binding to a property of the state, which pours an action instead of setting it.
    ///
    /// ```swift
    /// TextField("Name", text: station.bind(\.name, pour: { .nameChanged($0) }))
    /// ```
    ///
    /// Use the binding on the main actor, as views do. Neither the value nor the key path needs to be `Sendable`.
    ///
    /// - Parameters:
    ///   - property: Key path of the property that the binding reads.
    ///   - action: Makes the action that is poured when a value is set.
    /// - Returns: The binding.
    public func bind<Value>(
        _ property: KeyPath<State, Value>,
        pour action: @escaping @MainActor (Value) -> Action
    ) -> Binding<Value> {
        Binding(
            get: { @MainActor in self[dynamicMember: property] },
            set: { @MainActor value in self.pour(action(value)) }
        )
    }
}
#endif
