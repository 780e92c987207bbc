// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceServices
import HeadraceStations

struct BookWentOut: Action {
    let title: String
    let reader: String
}

struct LoanCount {
    var loans = 0
}

struct DeskServices: Service {
    let store: SQLiteStore
    let station: ActorStationOf<DeskScreen>

    var body: some Service {
        Group {
            Store(model: LoanCount.self)
                .mutate(on: BookWentOut.self) { model, action, send in
                    model.loans += 1
                }
                .with(model: LoanCount())
        }
        .observe(on: BookWentOut.self) { action in
            await station.pour(.bookWentOut(title: action.title, reader: action.reader))
        }
        .emit(
            using: ActionFeed(after: 0, every: .milliseconds(100)) { position in
                try await store.events(after: position, limit: 100)
            } position: {
                $0.position
            } action: { record -> BookWentOut? in
                guard record.event.name == BookLent.eventName else { return nil }
                let lent = try? JSONDecoder().decode(BookLent.self, from: record.event.json)
                return lent.map { BookWentOut(title: $0.title, reader: $0.reader) }
            }
        )
    }
}
