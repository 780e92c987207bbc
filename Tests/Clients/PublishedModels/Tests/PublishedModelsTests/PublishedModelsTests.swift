// SPDX-License-Identifier: Apache-2.0

import Headrace
import OpenCombine
import Testing

/// `@Resolvable` on models with property wrappers that provide their values, as in Combine.
@Suite @MainActor struct PublishedModelsTests {
    private let container: Container = {
        let builder = ContainerBuilder()
        builder.singleton((any Shelf).self) { FullShelf() }
        builder.transient(Catalogue.self)
        builder.transient(Reader.self)
        builder.commandQueryDispatch().standard(commandHandlers: [BorrowHandler.self])
        return builder.build()
    }()

    @Test func aPublishedPropertyKeepsItsValueAndTheOtherPropertiesAreResolved() {
        let catalogue: Catalogue = container.resolve()

        #expect(catalogue.displayedError == nil)
        #expect(catalogue.titles == ["none"])
        #expect(catalogue.shelf.count == 3)
    }

    @Test func subscribersOfAPublishedPropertyReceiveTheResultOfADispatch() async {
        let reader: Reader = container.resolve()
        var seen: [String] = []
        let subscription = reader.$displayedError.sink { seen.append($0.map { "\($0)" } ?? "none") }

        await reader.borrow()

        #expect(seen == ["none", "NotAllowed()"])
        #expect(reader.displayedError is NotAllowed)
        withExtendedLifetime(subscription) {}
    }

    @Test func modelsDoNotShareValues() {
        let (one, other): (Catalogue, Catalogue) = (container.resolve(), container.resolve())

        one.titles.append("first")

        #expect(one.titles == ["none", "first"])
        #expect(other.titles == ["none"])
    }

    @Test func theDependenciesOfAModelAreKnownWithoutCreatingIt() {
        let builder = ContainerBuilder()
        builder.transient(Catalogue.self)

        let error = #expect(throws: CompositionError.self) { try builder.validate() }

        #expect(error?.problems.map(\.kind) == [.missing])
        #expect(error?.description.contains("Shelf") == true)
    }
}

private protocol Shelf: Sendable {
    var count: Int { get }
}

private struct FullShelf: Shelf {
    let count = 3
}

private struct NotAllowed: Error {}

private struct Borrow: CQDCommand {}

@Resolvable
private final class BorrowHandler: HandlesCommand {
    private let shelf: any Shelf

    func handle(_ command: Borrow) async throws {
        if shelf.count > 0 { throw NotAllowed() }
    }
}

@Resolvable
private final class Catalogue: ObservableObject {
    @Published private(set) var displayedError: (any Error)? = nil
    @Published var titles = ["none"]
    let shelf: any Shelf
}

@MainActor
@Resolvable
private final class Reader: ObservableObject {
    @Published private(set) var displayedError: (any Error)? = nil
    private let dispatcher: any CommandQueryDispatcher

    func borrow() async {
        do {
            try await dispatcher.dispatch(Borrow())
        } catch {
            displayedError = error
        }
    }
}
