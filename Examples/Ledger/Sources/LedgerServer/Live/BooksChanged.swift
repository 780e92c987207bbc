// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Headrace
import HeadraceServices
import HeadraceStorage
import LedgerApplication

/// An action with the accounts and imports that events of the log have changed.
struct BooksChanged: Action {
    let accounts: Set<String>
    let imports: Set<UUID>

    /// Creates the action from `events`.
    ///
    /// Returns `nil` if they change nothing on the page.
    init?(_ events: [EventRecord]) {
        let decoder = JSONDecoder()
        var accounts: Set<String> = []
        var imports: Set<UUID> = []
        for record in events {
            switch record.event.name {
            case AccountMoved.eventName:
                if let account = try? decoder.decode(AccountName.self, from: record.event.json) {
                    accounts.insert(account.account)
                }
            case ImportChanged.eventName:
                if let change = try? decoder.decode(ImportChanged.self, from: record.event.json) {
                    imports.insert(change.id)
                }
            default:
                break
            }
        }
        if accounts.isEmpty && imports.isEmpty { return nil }
        self.accounts = accounts
        self.imports = imports
    }

    /// The relevant part of `AccountMoved`.
    private struct AccountName: Decodable {
        let account: String
    }
}
#endif
