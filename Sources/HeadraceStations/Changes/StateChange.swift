// SPDX-License-Identifier: Apache-2.0

/// The change of a property of a state.
public struct StateChange: Hashable, Sendable, CustomStringConvertible {
    /// Path of the property, such as `address.street`; `state` if the state has no properties.
    public let property: String

    /// The old value as text; `nil` if the property didn't exist.
    public let old: String?

    /// The new value as text; `nil` if the property no longer exists.
    public let new: String?

    /// The property with its old and its new value, in one line.
    public var description: String { "\(property): \(old ?? "nothing") → \(new ?? "nothing")" }
}
