//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes

extension HTTPField.Name {
    /// The key by which repetitions of a request are detected.
    ///
    /// Source: <https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/>
    static let idempotencyKey = named("Idempotency-Key")

    private static func named(_ name: String) -> HTTPField.Name {
        guard let known = HTTPField.Name(name) else {
            preconditionFailure("'\(name)' isn't a valid field name. To fix, correct it.")
        }
        return known
    }
}
