//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace

/// An account was given a rule, or freed of it.
public struct AccountRuleSet: DurableDomainEvent {
    /// The name under which the event is stored.
    public static let eventName = "account-rule-set"

    /// The full name of the account.
    public let account: String

    /// The rule; `nil` for none.
    public let rule: AccountRule?
}
