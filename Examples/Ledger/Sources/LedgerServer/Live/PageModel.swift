//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Headrace
import LedgerApplication

/// What the services of the page work on: they ask for what has changed and pour it into the station.
final class PageModel: Sendable {
    let station: ActorStation<PageState, PageAction>
    private let container: Container
    private let desk: ImportDesk

    init(station: ActorStation<PageState, PageAction>, container: Container, desk: ImportDesk) {
        self.station = station
        self.container = container
        self.desk = desk
    }

    /// Takes everything that there is.
    func load() async throws {
        let dispatcher: any CommandQueryDispatcher = container.resolve()
        await station.pour(.accountsRead(try await dispatcher.dispatch(GetAccountStates())))
        await station.pour(.importsRead(try await dispatcher.dispatch(GetImports())))
    }

    /// Takes what `change` says is another.
    func refresh(_ change: BooksChanged) async throws {
        let dispatcher: any CommandQueryDispatcher = container.resolve()
        if !change.accounts.isEmpty {
            await station.pour(.accountsRead(try await dispatcher.dispatch(GetAccountStates(of: change.accounts))))
        }
        desk.notice(change.imports)
        var statuses: [ImportStatus] = []
        for id in change.imports {
            if let status = try await dispatcher.dispatch(GetImportStatus(of: id)) { statuses.append(status) }
        }
        if !statuses.isEmpty { await station.pour(.importsRead(statuses)) }
    }
}
