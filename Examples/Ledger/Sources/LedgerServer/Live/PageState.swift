// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Headrace
import HeadraceStations
import LedgerApplication
import LedgerBooks

/// The state of the page, with the revision of each part.
struct PageState: Sendable, Equatable {
    /// Maximum number of imports.
    ///
    /// The newest imports are kept.
    static let mostImports = 100

    struct AccountEntry: Sendable {
        var state: GetAccountStates.AccountState
        var revision: Int
    }

    struct ImportEntry: Sendable {
        var status: ImportStatus
        var revision: Int
    }

    /// Number of changes.
    private(set) var revision = 0
    private(set) var accounts: [String: AccountEntry] = [:]
    private(set) var imports: [UUID: ImportEntry] = [:]

    /// Number of transactions.
    private(set) var transactionCount = 0

    /// Compares the revisions.
    ///
    /// Two states of one station with the same revision are equal.
    static func == (left: PageState, right: PageState) -> Bool { left.revision == right.revision }

    mutating func take(_ states: [GetAccountStates.AccountState]) {
        let changed = states.filter { accounts[$0.account]?.state != $0 }
        if changed.isEmpty { return }
        revision += 1
        for state in changed {
            transactionCount += state.transactionCount - (accounts[state.account]?.state.transactionCount ?? 0)
            accounts[state.account] = AccountEntry(state: state, revision: revision)
        }
    }

    mutating func take(_ statuses: [ImportStatus]) {
        let changed = statuses.filter { imports[$0.id]?.status != $0 }
        if changed.isEmpty { return }
        revision += 1
        for status in changed { imports[status.id] = ImportEntry(status: status, revision: revision) }
        let tooMany = imports.count - Self.mostImports
        if tooMany > 0 {
            let closed = imports.values.filter { !$0.status.isOpen }.map(\.status.id)
            for id in closed.sorted(by: { $0.uuidString < $1.uuidString }).prefix(tooMany) { imports[id] = nil }
        }
    }
}

/// An action on the state of the page.
enum PageAction: Sendable {
    /// Accounts were read.
    case accountsRead([GetAccountStates.AccountState])

    /// Imports were read.
    case importsRead([ImportStatus])
}

/// The reducer (dripper) of the page's state.
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
#endif
