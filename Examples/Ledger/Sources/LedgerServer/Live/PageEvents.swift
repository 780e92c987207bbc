// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Headrace
import HeadraceInspector
import LedgerApplication

/// The server-sent events for a state of the page.
struct PageEvents {
    private struct Whole: Encodable {
        let balances: [BalanceResponse]
        let imports: [ImportResponse]
        let transactions: Int
    }

    private struct Balances: Encodable {
        let balances: [BalanceResponse]
        let transactions: Int
    }

    private(set) var events: [ServerSentEvent] = []
    private let revision: Int

    /// Creates the events for all of `state`, or for its changes since the revision `written`.
    init(of state: PageState, since written: Int?) throws {
        revision = state.revision
        guard let written else {
            try append(
                "state",
                Whole(
                    balances: Self.balances(of: state.accounts.values),
                    imports: state.imports.values.sorted { $0.status.id.uuidString < $1.status.id.uuidString }
                        .map { ImportResponse($0.status) },
                    transactions: state.transactionCount
                )
            )
            return
        }
        let accounts = state.accounts.values.filter { $0.revision > written }
        if !accounts.isEmpty {
            try append(
                "balances", Balances(balances: Self.balances(of: accounts), transactions: state.transactionCount))
        }
        let imports = state.imports.values.filter { $0.revision > written }
        for change in imports.sorted(by: { $0.status.id.uuidString < $1.status.id.uuidString }) {
            try append("import", ImportResponse(change.status))
        }
    }

    private static func balances(of accounts: some Sequence<PageState.AccountEntry>) -> [BalanceResponse] {
        accounts.map(\.state).sorted { $0.account < $1.account }.map { state in
            BalanceResponse(account: state.account, amounts: state.amounts.map { AmountResponse($0) })
        }
    }

    private mutating func append(_ name: String, _ value: some Encodable) throws {
        events.append(try ServerSentEvent(name, json: value, id: "\(revision)"))
    }
}
#endif
