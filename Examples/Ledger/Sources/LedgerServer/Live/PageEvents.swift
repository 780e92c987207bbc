//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import LedgerApplication

/// What a listener is told of a state.
struct PageEvents {
    private struct Whole: Encodable {
        let balances: [BalanceWire]
        let imports: [ImportWire]
        let transactions: Int
    }

    private struct Balances: Encodable {
        let balances: [BalanceWire]
        let transactions: Int
    }

    /// The events as they are sent.
    private(set) var text = ""
    private let revision: Int
    private let encoder = JSONEncoder()

    /// Tells all of `state`, or what is new in it since a revision.
    init(of state: PageState, since told: Int?) throws {
        revision = state.revision
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let told else {
            try append(
                "state",
                Whole(
                    balances: Self.wires(of: state.accounts.values),
                    imports: state.imports.values.sorted { $0.status.id.uuidString < $1.status.id.uuidString }
                        .map { ImportWire($0.status) },
                    transactions: state.transactionCount
                )
            )
            return
        }
        let accounts = state.accounts.values.filter { $0.revision > told }
        if !accounts.isEmpty {
            try append("balances", Balances(balances: Self.wires(of: accounts), transactions: state.transactionCount))
        }
        let imports = state.imports.values.filter { $0.revision > told }
        for change in imports.sorted(by: { $0.status.id.uuidString < $1.status.id.uuidString }) {
            try append("import", ImportWire(change.status))
        }
    }

    private static func wires(of accounts: some Sequence<PageState.Account>) -> [BalanceWire] {
        accounts.map(\.state).sorted { $0.account < $1.account }.map { state in
            BalanceWire(account: state.account, amounts: state.amounts.map { AmountWire($0) })
        }
    }

    /// Adds an event; JSON of this encoder is a single line.
    private mutating func append(_ name: String, _ value: some Encodable) throws {
        let json = String(decoding: try encoder.encode(value), as: UTF8.self)
        text += "id: \(revision)\nevent: \(name)\ndata: \(json)\n\n"
    }
}
