// SPDX-License-Identifier: Apache-2.0

import HeadraceTesting
import Testing

@testable import desk

@Suite struct DeskScreenTests {
    @Test func aRefusalIsShown() async {
        let dispatcher = RecordingDispatcher()
        dispatcher.stub(LendBook.self) { _ in throw UnknownBook(id: "9") }
        let station = TestStation(initialState: DeskScreen.State()) { DeskScreen(dispatcher: dispatcher) }

        await station.pour(.lendTapped(book: "9", reader: "Ada"))
        await station.receive {
            if case .lent(.failure) = $0 { true } else { false }
        } assert: {
            $0.message = #"UnknownBook(id: "9")"#
        }
        await station.finish()
    }
}
