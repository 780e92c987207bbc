//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
    /// Linux has no SwiftUI, so the continuous integration there does not compile this file.
    ///
    /// - Parameters:
    ///   - property: What the binding reads.
    ///   - action: Makes the action that is poured when something is set.
    /// - Returns: The binding.
    public func bind<Value>(
        _ property: KeyPath<State, Value>,
        pour action: @escaping @MainActor (Value) -> Action
    ) -> Binding<Value> {
        Binding(
            get: { MainActor.assumeIsolated { self[dynamicMember: property] } },
            set: { value in MainActor.assumeIsolated { _ = self.pour(action(value)) } }
        )
    }
}
#endif
