// SPDX-License-Identifier: Apache-2.0

import Headrace
import HeadraceServices

/// The service tree of the page.
///
/// It loads the state, and refreshes it when the event log grows.
struct LedgerServices: Service {
    let log: EventLog
    let position: Int64

    var body: some Service {
        Store(model: PageModel.self)
            .bootstrap { model in try await model.load() }
            .mutate(on: BooksChanged.self) { model, change, _ in try await model.refresh(change) }
            .emit(
                using: ActionFeed(after: position, every: .zero) { [log] position in
                    await log.nextPage(after: position).map { [$0] } ?? []
                } position: { page in
                    page.last
                } action: { page in
                    BooksChanged(page.events)
                }
            )
    }
}
