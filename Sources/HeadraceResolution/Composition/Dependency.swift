//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// One type that an object takes from its scope.
package struct Dependency: Sendable {
    /// The type as it is resolved; of a set, the type of its members.
    package let contract: Any.Type

    /// Whether all that joined the set of the type are taken.
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

    /// Whether it may be missing.
    var isOptional: Bool {
        isSet || contract is any OptionalDependency.Type
    }
}
