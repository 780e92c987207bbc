//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace

/// An account was opened: something was posted to it for the first time.
public struct AccountOpened: DurableDomainEvent {
    /// The name under which the event is stored.
    public static let eventName = "account-opened"

    /// The full name of the account.
    public let account: String
}
