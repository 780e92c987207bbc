//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Headrace

/// The services behind the page: they prepare it, and follow the log of events.
struct BooksTree: Service {
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
