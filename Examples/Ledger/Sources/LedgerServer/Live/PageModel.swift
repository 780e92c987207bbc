// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Headrace
import HeadraceStations
import LedgerApplication

/// The model of the page's services.
///
/// It queries changed accounts and imports, and pours them into the station, the store of the page.
final class PageModel: Sendable {
    let station: ActorStation<PageState, PageAction>
    private let container: Container
    private let imports: ImportService

    init(station: ActorStation<PageState, PageAction>, container: Container, imports: ImportService) {
        self.station = station
        self.container = container
        self.imports = imports
    }

    private var dispatcher: any CommandQueryDispatcher { container.resolve() }

    /// Loads the whole state.
    func load() async throws {
        await station.pour(.accountsRead(try await dispatcher.dispatch(GetAccountStates())))
        await station.pour(.importsRead(try await dispatcher.dispatch(GetImports())))
    }

    /// Loads the accounts and imports of `change`.
    func refresh(_ change: BooksChanged) async throws {
        if !change.accounts.isEmpty {
            await station.pour(.accountsRead(try await dispatcher.dispatch(GetAccountStates(of: change.accounts))))
        }
        imports.notice(change.imports)
        var statuses: [ImportStatus] = []
        for id in change.imports {
            if let status = try await dispatcher.dispatch(GetImportStatus(of: id)) { statuses.append(status) }
        }
        if !statuses.isEmpty { await station.pour(.importsRead(statuses)) }
    }
}
#endif
