//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A type that an object makes in its scope while it is used: a handler, for a dispatcher.
///
/// What it takes must be registered, but it may well take the object itself: it is made later.
package struct RegistrationPart: Sendable {
    let type: Any.Type
    let dependencies: Dependencies

    /// The title in a drawing, if it is not the name of the type.
    package var label: String?

    /// What a drawing says below the title.
    package var remark = "made later"

    /// What to do so that the dependencies can be proved, if they can't.
    package var advice: String?

    /// What the part makes in turn.
    package var parts: [RegistrationPart] = []

    /// Names `type`, by what it states of itself.
    package init<Part: Resolvable>(_ type: Part.Type) {
        self.type = type
        dependencies = type.ownDependencies
    }

    /// Names `type`, which takes `dependencies`.
    package init(_ type: Any.Type, _ dependencies: Dependencies) {
        self.type = type
        self.dependencies = dependencies
    }
}
