// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceTesting
import Synchronization
import Testing

@testable import HeadraceStations

struct Settings: Codable, Equatable, Sendable {
    var size = 10
    var theme = "light"

    /// Takes each property from the writer that has changed it.
    static func merge(_ base: Settings, _ mine: Settings, _ theirs: Settings) -> Settings {
        Settings(
            size: mine.size == base.size ? theirs.size : mine.size,
            theme: mine.theme == base.theme ? theirs.theme : mine.theme
        )
    }
}

struct Editor: Dripper {
    struct State: Equatable, Sendable {
        var settings = Settings()
        var notes = 0
    }

    enum Action: Equatable, Sendable {
        case resize(Int)
        case restyle(String)
        case note
        case settingsChanged(Settings)

        static let toSettings = Case(Action.settingsChanged) {
            if case .settingsChanged(let settings) = $0 { settings } else { nil }
        }
    }

    let settings: SharedState<Settings>

    var body: some Dripper<State, Action> {
        Drip<State, Action> { state, action in
            switch action {
            case .resize(let size): state.settings.size = size
            case .restyle(let theme): state.settings.theme = theme
            case .note: state.notes += 1
            case .settingsChanged: break
            }
            return .none
        }
        .sharing(\.settings, with: settings, action: Action.toSettings)
    }
}

/// A storage in memory whose writes the test lets fail.
private final class MemoryStorage<Value: Sendable>: SharedStorage {
    let stored = Mutex<Value?>(nil)
    let isBroken = Mutex(false)

    func load() async throws -> Value? { stored.withLock(\.self) }

    func replace(by change: @Sendable (Value?) -> Value) async throws -> Value {
        if isBroken.withLock(\.self) { throw EffectFailure() }
        return stored.withLock { stored in
            let new = change(stored)
            stored = new
            return new
        }
    }
}

@Suite(.timeLimit(.minutes(2))) struct SharedStateTests {
    private static func station(_ settings: SharedState<Settings>) -> TestStation<Editor.State, Editor.Action> {
        TestStation(initialState: Editor.State(settings: settings.value)) { Editor(settings: settings) }
    }

    @Test func aChangeReachesTheOtherStationAsAnAction() async {
        let settings = SharedState(Settings())
        let (one, two) = (Self.station(settings), Self.station(settings))
        await two.pour(.note) { $0.notes = 1 }

        await one.pour(.resize(12)) { $0.settings.size = 12 }
        await two.receive(.settingsChanged(Settings(size: 12))) { $0.settings.size = 12 }

        #expect(settings.value == Settings(size: 12))
        await one.finish()
        await two.finish()
    }

    @MainActor @Test func stationsOnDifferentActorsShareAValue() async throws {
        let settings = SharedState(Settings())
        let main = Station(initialState: Editor.State(settings: settings.value)) { Editor(settings: settings) }
        let server = ActorStation(initialState: Editor.State(settings: settings.value)) { Editor(settings: settings) }
        var sizes = main.states(of: \.settings.size).makeAsyncIterator()
        #expect(await sizes.next() == 10)

        await server.pour(.resize(20))
        #expect(await sizes.next() == 20)
        main.pour(.restyle("dark"))
        for await state in await server.states() where state.settings.theme == "dark" { break }

        #expect(await server.settings == Settings(size: 20, theme: "dark"))
    }

    @Test func theSharedValueWinsWhenAStationIsCreated() async {
        let settings = SharedState(Settings(size: 30))
        let station = TestStation(initialState: Editor.State()) { Editor(settings: settings) }

        await station.receive(.settingsChanged(Settings(size: 30))) { $0.settings.size = 30 }

        #expect(settings.value == Settings(size: 30))
        await station.finish()
    }

    @Test func theFirstActionOfAnActorStationDoesNotOverwriteTheSharedValue() async {
        let settings = SharedState(Settings(size: 30), merge: Settings.merge)
        let station = ActorStation(initialState: Editor.State()) { Editor(settings: settings) }

        await station.pour(.restyle("dark"))

        #expect(settings.value == Settings(size: 30, theme: "dark"))
        #expect(await station.settings == Settings(size: 30, theme: "dark"))
    }

    /// Changes the size in a station that doesn't receive a change of the theme, and returns the shared value.
    private static func conflict(_ settings: SharedState<Settings>) async -> Settings {
        let station = ActorStation(initialState: Editor.State(), middleware: [RefusingSettings()]) {
            Editor(settings: settings)
        }
        await station.pour(.note)
        settings.update { $0.theme = "dark" }
        await station.pour(.resize(11))
        return settings.value
    }

    @Test func theLastWriterWinsWithoutARule() async {
        #expect(await Self.conflict(SharedState(Settings())) == Settings(size: 11))
    }

    @Test func aRuleMergesTheValuesOfTwoWriters() async {
        let settings = SharedState(Settings(), merge: Settings.merge)

        #expect(await Self.conflict(settings) == Settings(size: 11, theme: "dark"))
    }

    @Test func aStationSavesItsChangesBeforeTheActionIsFinished() async throws {
        let storage = MemoryStorage<Settings>()
        let settings = try await SharedState(in: storage, default: Settings())
        let station = Self.station(settings)
        #expect(storage.stored.withLock(\.self) == nil)

        try await station.pour(.resize(12)) { $0.settings.size = 12 }.finish()

        #expect(storage.stored.withLock(\.self) == Settings(size: 12))
        let again = try await SharedState(in: storage, default: Settings())
        #expect(again.value == Settings(size: 12))
        await station.finish()
    }

    @Test func aFailedSaveFailsItsActionAndTheNextSaveStoresTheValue() async throws {
        let storage = MemoryStorage<Settings>()
        let settings = try await SharedState(in: storage, default: Settings())
        let station = ActorStation(initialState: Editor.State()) { Editor(settings: settings) }
        storage.isBroken.withLock { $0 = true }

        let task = await station.pour(.resize(1))
        await #expect(throws: EffectFailure.self) { try await task.finish() }
        #expect(await station.settings.size == 1)

        storage.isBroken.withLock { $0 = false }
        try await station.pour(.restyle("dark")).finish()
        #expect(storage.stored.withLock(\.self) == Settings(size: 1, theme: "dark"))
    }

    @Test func aChangeByAnotherProcessIsMergedBySavingAndReloading() async throws {
        // Two shared states over one storage take the same steps as two processes.
        let storage = MemoryStorage<Settings>()
        let one = try await SharedState(in: storage, default: Settings(), merge: Settings.merge)
        let two = try await SharedState(in: storage, default: Settings(), merge: Settings.merge)
        let station = Self.station(two)
        await station.pour(.note) { $0.notes = 1 }

        one.update { $0.size = 11 }
        try await one.save()
        try await station.pour(.restyle("dark")) { $0.settings.theme = "dark" }.finish()
        await station.receive(.settingsChanged(Settings(size: 11, theme: "dark"))) { $0.settings.size = 11 }
        try await one.reload()

        #expect(one.value == Settings(size: 11, theme: "dark"))
        await station.finish()
    }

    @Test func concurrentWritersOfOneStorageLoseNothing() async throws {
        let storage = MemoryStorage<Int>()
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    let count = try await SharedState(in: storage, default: 0) { base, mine, theirs in
                        theirs + mine - base
                    }
                    for _ in 0..<25 {
                        count.update { $0 += 1 }
                        try await count.save()
                    }
                }
            }
            try await group.waitForAll()
        }

        #expect(storage.stored.withLock(\.self) == 100)
    }

    @Test func aReleasedStationNoLongerReceivesChanges() async {
        let settings = SharedState(Settings())
        let freed = CancellableGate()
        var station: ActorStation? = ActorStation(initialState: WatchedState(gate: freed)) {
            Drip<WatchedState, Settings> { _, _ in .none }
                .sharing(\.settings, with: settings, action: Case({ (settings: Settings) in settings }) { $0 })
        }
        // The subscription starts with the first change, and its effect brings the second.
        for size in [1, 2] {
            settings.update { $0.size = size }
            await station?.waitForSize(size)
        }
        #expect(settings.subscriberCount == 1)

        station = nil
        await freed.wait()

        #expect(settings.subscriberCount == 0)
    }
}

/// A state that opens a gate when it is released.
private struct WatchedState: Sendable {
    var settings = Settings()
    let witness: Witness

    init(gate: CancellableGate) {
        witness = Witness(gate)
    }
}

extension ActorStation where State == WatchedState {
    fileprivate func waitForSize(_ size: Int) async {
        for await state in await states() where state.settings.size == size { break }
    }
}

/// Refuses the actions of a shared state.
private struct RefusingSettings: ActionMiddleware {
    func shouldExecute<A: Sendable>(_ action: A, in context: MessageContext) -> Bool {
        if case .settingsChanged? = action as? Editor.Action { false } else { true }
    }
}
