//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Is told of every message that is handled; log, metrics, traces and an inspector are observers.
///
/// It changes nothing and must not take long: it is called in the task that handles the message.
public protocol MessageObserver: Sendable {
    /// The handling of a message begins.
    func messageBegan(_ context: MessageContext)

    /// The handling of a message has ended, `duration` after it began.
    func messageEnded(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration)
}
