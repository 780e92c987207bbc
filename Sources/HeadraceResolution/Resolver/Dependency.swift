// SPDX-License-Identifier: Apache-2.0

/// One type that an object resolves from its scope.
package struct Dependency: Sendable {
    /// The type as it is resolved; for a set, the type of the members.
    package let contract: Any.Type

    /// Whether the object resolves the whole set of the type.
    package let isSet: Bool

    init(_ contract: Any.Type, isSet: Bool = false) {
        self.contract = contract
        self.isSet = isSet
    }

    /// The type without the optionals around it.
    var wrapped: Any.Type {
        var type = contract
        while let optional = type as? any OptionalDependency.Type { type = optional.wrapped }
        return type
    }

    /// Whether the dependency may be missing.
    var isOptional: Bool {
        isSet || contract is any OptionalDependency.Type
    }

    /// Finds the targets that the dependency resolves to.
    ///
    /// The look-ups have the same order as in `ResolutionScope`.
    ///
    /// - Parameters:
    ///   - single: Returns the target of a type that is registered.
    ///   - members: Returns the targets of a type that has a set.
    /// - Returns: The targets, or `nil` if the dependency is missing and not optional.
    func targets<Target>(
        single: (Any.Type) -> Target?,
        members: (Any.Type) -> [Target]?
    ) -> [Target]? {
        if isSet, let set = members(contract) { return set }
        var type = contract
        while true {
            if let target = single(type) { return [target] }
            guard let optional = type as? any OptionalDependency.Type else { break }
            type = optional.wrapped
        }
        if let array = type as? any SetDependency.Type, let set = members(array.element) { return set }
        return isOptional ? [] : nil
    }
}
