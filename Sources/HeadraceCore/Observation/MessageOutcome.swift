//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How the handling of a message has ended.
public enum MessageOutcome: Sendable {
    /// It was handled.
    case success

    /// It was refused, or handling it failed: with this error, cancellation included.
    case failure(any Error)
}
