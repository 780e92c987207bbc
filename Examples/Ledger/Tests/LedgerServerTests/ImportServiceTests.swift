// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Headrace
import LedgerApplication
import Logging
import Synchronization
import Testing

@testable import LedgerServer

@Suite(.timeLimit(.minutes(1))) struct ImportServiceTests {
    /// The start reads the paused import, and then its journal; the import is resumed in between.
    @Test func anImportThatIsResumedDuringTheStartOfTheServerContinues() async throws {
        let store = try InMemoryStore(entities: LedgerComposition.entities)
        let container = try LedgerComposition.makeContainer(on: store)
        let dispatcher: any CommandQueryDispatcher = container.resolve()
        let (resumed, paused) = (UUID.version7(), UUID.version7())
        for id in [resumed, paused] {
            let content = Fingerprint(["\(id)"])
            try await dispatcher.dispatch(BeginImport(id, of: "\(id).journal", content: content, total: 1))
            try await dispatcher.dispatch(ChangeImport(.pause, of: id))
        }
        let spool = HeldSpool(resumed, Array("2026-01-01 x\n    a   1 EUR\n    b\n".utf8))
        let service = ImportService(
            container: container,
            spool: spool,
            limits: LedgerServerLimits(),
            observers: [],
            clock: ContinuousClock(),
            logger: Logger(label: "test")
        )

        let start = Task { try await service.run() }
        await spool.isReadByStart.wait()
        try await service.resume(resumed)
        await spool.isDiscarded.wait()
        start.cancel()
        try await start.value

        #expect(try await dispatcher.dispatch(GetImportStatus(of: resumed))?.state == .finished)
        #expect(try await dispatcher.dispatch(GetImportStatus(of: paused))?.state == .paused)
    }
}

/// A spool whose answers about one import arrive in the order of the requests, and the second after the start of its run.
private final class HeldSpool: JournalSpool {
    let isReadByStart = Signal()
    let isDiscarded = Signal()
    private let isReadByResume = Signal()
    private let isNextRead = Signal()
    private let held: UUID
    private let journal: [UInt8]
    private let reads = Mutex(0)

    /// Creates a spool with `journal` for each import, which holds answers about the import `held`.
    init(_ held: UUID, _ journal: [UInt8]) {
        self.held = held
        self.journal = journal
    }

    func keep(_ bytes: [UInt8], for id: UUID) async throws -> FolderLock? { nil }

    func bytes(of id: UUID) async throws -> [UInt8] {
        if id != held {
            // The start takes up one import after the other.
            isNextRead.send()
            return journal
        }
        let count = reads.withLock { reads in
            reads += 1
            return reads
        }
        if count == 1 {
            isReadByStart.send()
            await isReadByResume.wait()
        } else {
            isReadByResume.send()
            await isNextRead.wait()
        }
        return journal
    }

    func discard(_ id: UUID) async {
        if id == held { isDiscarded.send() }
    }

    func discardLeftovers(except open: () async throws -> Set<UUID>) async throws {}
}

/// An event that one task waits for.
private struct Signal: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func send() { continuation.finish() }

    func wait() async {
        for await _ in stream {}
    }
}
#endif
