//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Headrace
import LedgerApplication
import LedgerBooks

/// What the page shows, with a number for when each part was last changed.
struct PageState: Sendable, Equatable {
    /// How many imports are shown at the most, the newest ones.
    static let mostImports = 100

    struct Account: Sendable {
        var state: GetAccountStates.AccountState
        var revision: Int
    }

    struct Import: Sendable {
        var status: ImportStatus
        var revision: Int
    }

    /// Counts the changes.
    private(set) var revision = 0
    private(set) var accounts: [String: Account] = [:]
    private(set) var imports: [UUID: Import] = [:]

    /// How many transactions there are.
    private(set) var transactionCount = 0

    /// Two states of one station are equal when nothing was changed in between.
    static func == (left: PageState, right: PageState) -> Bool { left.revision == right.revision }

    mutating func take(_ states: [GetAccountStates.AccountState]) {
        let changed = states.filter { accounts[$0.account]?.state != $0 }
        if changed.isEmpty { return }
        revision += 1
        for state in changed {
            transactionCount += state.transactionCount - (accounts[state.account]?.state.transactionCount ?? 0)
            accounts[state.account] = Account(state: state, revision: revision)
        }
    }

    mutating func take(_ statuses: [ImportStatus]) {
        let changed = statuses.filter { imports[$0.id]?.status != $0 }
        if changed.isEmpty { return }
        revision += 1
        for status in changed { imports[status.id] = Import(status: status, revision: revision) }
        let tooMany = imports.count - Self.mostImports
        if tooMany > 0 {
            let closed = imports.values.filter { !$0.status.isOpen }.map(\.status.id)
            for id in closed.sorted(by: { $0.uuidString < $1.uuidString }).prefix(tooMany) { imports[id] = nil }
        }
    }
}

/// What happens to what the page shows.
enum PageAction: Sendable {
    /// Accounts stand as is said.
    case accountsRead([GetAccountStates.AccountState])

    /// Imports stand as is said.
    case importsRead([ImportStatus])
}

/// Keeps what the page shows up to date.
struct PageDripper: Dripper {
    typealias State = PageState
    typealias Action = PageAction

    var body: some Dripper<PageState, PageAction> {
        Drip { state, action in
            switch action {
            case .accountsRead(let states): state.take(states)
            case .importsRead(let statuses): state.take(statuses)
            }
            return .none
        }
    }
}
