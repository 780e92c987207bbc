// SPDX-License-Identifier: Apache-2.0

import Headrace
import HeadraceStations

struct DeskScreen: Dripper {
    struct State: Equatable, Sendable {
        var loans: [String] = []
        var message = ""
    }

    enum Action: Sendable {
        case lendTapped(book: String, reader: String)
        case lent(Result<Void, any Error>)
        case bookWentOut(title: String, reader: String)
    }

    let dispatcher: any CommandQueryDispatcher

    var body: some Dripper<State, Action> {
        let dispatcher = dispatcher
        Drip { state, action in
            switch action {
            case .lendTapped(let book, let reader):
                return .dispatch(LendBook(book: book, reader: reader), by: dispatcher) { .lent($0) }
            case .lent(.success):
                state.message = ""
                return .none
            case .lent(.failure(let error)):
                state.message = "\(error)"
                return .none
            case .bookWentOut(let title, let reader):
                state.loans.append("\(title): \(reader)")
                return .none
            }
        }
    }
}
