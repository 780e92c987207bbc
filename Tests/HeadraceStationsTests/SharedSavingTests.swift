// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceTesting
import Synchronization
import Testing

@testable import HeadraceStations

/// A storage that the test holds in the middle of a write.
private final class GatedStorage: SharedStorage {
    let stored = ConditionVariable<Settings?>(nil)
    let replacements = Mutex(0)
    let gate: Gate

    init(_ gate: Gate = Gate()) {
        self.gate = gate
    }

    func load() async throws -> Settings? { stored.value }

    func replace(by change: @Sendable (Settings?) -> Settings) async throws -> Settings {
        let new = change(stored.value)
        await gate.pass()
        try Task.checkCancellation()
        replacements.withLock { $0 += 1 }
        stored.change { $0 = new }
        return new
    }
}

@Suite(.timeLimit(.minutes(2))) struct SharedSavingTests {
    private static func station(_ settings: SharedState<Settings>) -> ActorStation<Editor.State, Editor.Action> {
        ActorStation(initialState: Editor.State(settings: settings.value)) { Editor(settings: settings) }
    }

    @Test func aValueThatChangesBackDuringASaveIsStored() async throws {
        let storage = GatedStorage()
        let settings = try await SharedState(in: storage, default: Settings())
        let station = Self.station(settings)

        let first = await station.pour(.resize(1))
        await storage.gate.arrivals(1)
        let second = await station.pour(.resize(10))
        storage.gate.open()
        try await first.finish()
        try await second.finish()

        #expect(settings.value == Settings())
        #expect(storage.stored.value == Settings())
    }

    @Test func changesDuringASaveAreStoredTogether() async throws {
        let storage = GatedStorage()
        let settings = try await SharedState(in: storage, default: Settings())
        let station = Self.station(settings)

        var tasks = [await station.pour(.resize(1))]
        await storage.gate.arrivals(1)
        for size in 2...5 { tasks.append(await station.pour(.resize(size))) }
        storage.gate.open()
        for task in tasks { try await task.finish() }

        #expect(storage.stored.value == Settings(size: 5))
        #expect(storage.replacements.withLock(\.self) == 2)
    }

    @Test func theRuleDoesNotMergeTheValuesOfASingleWriter() async throws {
        let storage = GatedStorage()
        let settings = try await SharedState(in: storage, default: Settings()) { _, _, theirs in theirs }

        settings.update { $0.size = 1 }
        async let saving: Void = settings.save()
        await storage.gate.arrivals(1)
        settings.update { $0.size = 2 }
        storage.gate.open()
        try await saving
        #expect(settings.value.size == 2)
        try await settings.save()

        #expect(storage.stored.value == Settings(size: 2))
    }

    @MainActor @Test func aCancelledActionSavesItsChange() async throws {
        let storage = GatedStorage(.opened)
        let settings = try await SharedState(in: storage, default: Settings())
        let station = Station(initialState: Editor.State()) { Editor(settings: settings) }

        // No effect of the action has begun.
        station.pour(.resize(1)).cancel()

        await storage.stored.wait { $0?.size == 1 }
    }

    @Test func aReleasedStationSavesItsChange() async throws {
        let storage = GatedStorage()
        let settings = try await SharedState(in: storage, default: Settings())
        var station: ActorStation? = Self.station(settings)
        let task = await station?.pour(.resize(1))
        await storage.gate.arrivals(1)

        station = nil
        try await task?.finish()
        storage.gate.open()

        await storage.stored.wait { $0?.size == 1 }
    }

    @Test func aCancelledSaveGoesOn() async throws {
        let storage = GatedStorage()
        let settings = try await SharedState(in: storage, default: Settings())
        settings.update { $0.size = 1 }
        let saving = Task { try await settings.save() }
        await storage.gate.arrivals(1)

        saving.cancel()
        await #expect(throws: CancellationError.self) { try await saving.value }
        storage.gate.open()

        await storage.stored.wait { $0?.size == 1 }
    }
}
