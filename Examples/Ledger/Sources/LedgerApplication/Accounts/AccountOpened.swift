// SPDX-License-Identifier: Apache-2.0

public import Headrace

/// An account was opened by the first posting to it.
public struct AccountOpened: DurableDomainEvent {
    /// The name of the event in the store.
    public static let eventName = "account-opened"

    /// The full name of the account.
    public let account: String
}
