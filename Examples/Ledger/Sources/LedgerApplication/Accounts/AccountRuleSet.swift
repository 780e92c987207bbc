// SPDX-License-Identifier: Apache-2.0

public import Headrace

/// The rule of an account was set or removed.
public struct AccountRuleSet: DurableDomainEvent {
    /// The name of the event in the store.
    public static let eventName = "account-rule-set"

    /// The full name of the account.
    public let account: String

    /// The rule; `nil` if it was removed.
    public let rule: AccountRule?
}
