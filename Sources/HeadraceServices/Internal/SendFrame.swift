//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// What a handler is part of: a send, perhaps one of many within each other.
@usableFromInline
struct SendFrame: Sendable {
    /// How many sends it is within, not counting the first.
    @usableFromInline var depth: Int

    /// Whether it handles what an error has become, so that errors stay errors.
    @usableFromInline var isTransformed: Bool

    @inlinable
    init(depth: Int = 0, isTransformed: Bool = false) {
        self.depth = depth
        self.isTransformed = isTransformed
    }

    /// The frame of what is sent within this one.
    func inner(sending action: Any.Type, limit: Int) throws -> SendFrame {
        guard depth < limit else { throw ServiceError.tooDeep(action, limit: limit) }
        return SendFrame(depth: depth + 1, isTransformed: isTransformed)
    }

    /// The same for what an error has become.
    var transformed: SendFrame { SendFrame(depth: depth, isTransformed: true) }
}
