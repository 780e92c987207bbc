//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The bindings that joined the set of one type, in the order of their registration.
final class MemberBindings: Sendable {
    let bindings: [Binding]

    init(_ bindings: [Binding]) {
        self.bindings = bindings
    }
}
