// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceStations
import HeadraceSwiftUI
import Observation
import SwiftUI
import Testing

/// Stations in views.
@Suite @MainActor struct StationViewTests {
    @Test func aViewReadsAStationAndPoursIntoIt() throws {
        let station = Station(initialState: Counter.State()) {
            Counter()
        }
        let screen = Screen(ContentView(station: station))
        #expect(screen.buttons == ["0"])

        try screen.press("0")
        screen.draw()

        #expect(screen.buttons == ["1"])
        #expect(station.count == 1)
    }

    @Test func aFieldPoursTheEnteredTextAndShowsTheState() throws {
        let station = Station(initialState: Profile.State(name: "ada")) {
            Profile()
        }
        let screen = Screen(ProfileView(station: station))
        #expect(try screen.text(of: "Name") == "Ada")

        try screen.enter("grace", into: "Name")

        #expect(station.edits == 1)
        #expect(try screen.text(of: "Name") == "Grace")
        screen.draw()
        #expect(screen.texts == ["Hello, Grace"])
    }

    @Test func aBindingReadsTheStateAndChangesItOnlyByAnAction() {
        let station = Station(initialState: Counter.State()) {
            Counter()
        }

        let count = station.bind(\.count) { .set($0) }
        count.wrappedValue = 7

        #expect(station.count == 7)
        station.pour(.increase)
        #expect(count.wrappedValue == 8)
    }

    @Test func aBindingMayHaveAValueThatIsNotSendable() {
        let station = Station(initialState: Selection.State()) {
            Selection()
        }
        let other = Row(title: "other")

        let row = station.bind(\.row) { .select($0.title) }
        row.wrappedValue = other

        #expect(row.wrappedValue.title == "other")
        #expect(row.wrappedValue !== other)
    }

    @Test func readingABindingNotifiesObserversOfTheState() async {
        let station = Station(initialState: Counter.State()) {
            Counter()
        }
        let count = station.bind(\.count) { .set($0) }

        await confirmation { changed in
            withObservationTracking {
                _ = count.wrappedValue
            } onChange: {
                changed()
            }
            count.wrappedValue = 1
        }
    }
}

private struct Counter: Dripper {
    @Observable
    final class State {
        var count = 0
    }

    enum Action {
        case increase
        case set(Int)
    }

    var body: some Dripper<State, Action> {
        Drip { state, action in
            switch action {
            case .increase:
                state.count += 1
                return .none

            case .set(let count):
                state.count = count
                return .none
            }
        }
    }
}

private struct ContentView: View {
    let station: StationOf<Counter>

    var body: some View {
        Button("\(station.count)") {
            station.pour(.increase)
        }
    }
}

private struct Profile: Dripper {
    struct State {
        var name: String
        var edits = 0

        var title: String { name.capitalized }
    }

    enum Action {
        case nameChanged(String)
    }

    var body: some Dripper<State, Action> {
        Drip { state, action in
            switch action {
            case .nameChanged(let name):
                state.name = name
                state.edits += 1
                return .none
            }
        }
    }
}

private struct ProfileView: View {
    let station: StationOf<Profile>

    var body: some View {
        TextField("Name", text: station.bind(\.title, pour: { .nameChanged($0) }))
        Text("Hello, \(station.title)")
    }
}

private final class Row {
    let title: String

    init(title: String) {
        self.title = title
    }
}

private struct Selection: Dripper {
    @Observable
    final class State {
        var row = Row(title: "none")
    }

    enum Action {
        case select(String)
    }

    var body: some Dripper<State, Action> {
        Drip { state, action in
            switch action {
            case .select(let title):
                state.row = Row(title: title)
                return .none
            }
        }
    }
}
