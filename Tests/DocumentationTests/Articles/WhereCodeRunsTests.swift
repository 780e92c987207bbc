// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HeadraceCommands
import HeadraceResolution
import Testing

private struct Digest: CQDQuery {
    typealias Value = String
    let text: Text
}

private struct PlainDigest: CQDQuery {
    typealias Value = String
    let text: Text
}

/// The key that identifies the queue of the main actor.
private let mainQueueKey = DispatchSpecificKey<Bool>()

/// A text that records the queue on which it is hashed.
private struct Text: Hashable {
    let notes: Notes

    static func == (one: Text, other: Text) -> Bool { one.notes === other.notes }

    func hash(into hasher: inout Hasher) {
        notes.note(DispatchQueue.getSpecific(key: mainQueueKey) == true ? "on the main actor" : "elsewhere")
    }
}

private final class DigestHandler: HandlesQuery, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    @concurrent
    func handle(_ query: Digest) async throws -> String {
        String(query.text.hashValue, radix: 16)
    }
}

private final class PlainDigestHandler: HandlesQuery, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ query: PlainDigest) async throws -> String {
        String(query.text.hashValue, radix: 16)
    }
}

@Suite struct WhereCodeRunsTests {
    @MainActor
    @Test func aHandlerLeavesTheMainActorOnlyIfConcurrent() async throws {
        DispatchQueue.main.setSpecific(key: mainQueueKey, value: true)
        let builder = ContainerBuilder()
        builder.commandQueryDispatch().standard(queryHandlers: [DigestHandler.self, PlainDigestHandler.self])
        let dispatcher: any CommandQueryDispatcher = builder.build().resolve()
        let (left, stayed) = (Notes(), Notes())

        _ = try await dispatcher.dispatch(Digest(text: Text(notes: left)))
        _ = try await dispatcher.dispatch(PlainDigest(text: Text(notes: stayed)))

        #expect(left.all == ["elsewhere"])
        #expect(stayed.all == ["on the main actor"])
    }
}
