//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Who a message is handled for: a user, a service, a job.
public protocol Principal: Sendable {
    /// Tells the principal from all others, as logs and stored events show it.
    var principalID: String { get }
}
