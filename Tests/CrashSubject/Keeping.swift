// SPDX-License-Identifier: Apache-2.0

#if SQLite && Client
import Foundation
import HTTPTypes
import HeadraceClient
import HeadraceCommands
import HeadraceDomain
import HeadraceProcesses
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting

/// Writes entries on a device, which are sent to a server that is killed with the device.
enum Keeping {
    static func run(path: String, count: Int) async throws {
        let device = try await Subject(path: path, entities: [StoredOfflineCommand.self, Diary.self])
        let server = try await Subject(path: "\(path)-server", entities: [Copy.self])
        guard let store = device.store.observable else { throw UnknownArguments(arguments: [path]) }
        let transport = DiaryServer(dispatcher: container(server).resolve())
        let remote = try RemoteDispatcher(
            MessageAPI([.post("entries", command: Copied.self)]), at: "http://localhost", through: transport)
        let offline = OfflineDispatcher(remote, on: store)

        let running = Task { try await offline.run() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for diary in 0..<8 {
                group.addTask {
                    for _ in 0..<count { try await write("\(diary)", on: store, offline) }
                }
            }
            try await group.waitForAll()
        }
        for try await pending in offline.observePending() where pending.isEmpty { break }
        running.cancel()
    }

    private static func container(_ server: Subject) -> Container {
        let builder = ContainerBuilder()
        builder.domain(store: server.store, relay: Relaying.configuration, observers: CrashFaults.observers)
        builder.commandQueryDispatch().standard(
            commandHandlers: [CopiedHandler.self], resolvedMiddleware: [IdempotencyMiddleware.self])
        return builder.build()
    }

    private static func write(_ id: String, on store: any ObservableStore, _ offline: OfflineDispatcher) async throws {
        let number = try await UnitOfWork(on: store, delegator: RecordingDelegator()).execute { context in
            let diary = try await context.find(Diary.self, id: id) ?? Diary(id)
            context.insert(diary)
            diary.count += 1
            try await offline.send(Copied(diary: id, number: diary.count))
            return diary.count
        }
        CrashSubject.say("kept \(id) \(number)")
    }
}

/// Dispatches the commands of requests.
private struct DiaryServer: MessageTransport {
    let dispatcher: any CommandQueryDispatcher

    func send(_ request: HTTPRequest, body: Data?) async throws -> TransportResponse {
        let command = try DocumentCoding.decode(Copied.self, from: body ?? Data())
        let key = HTTPField.Name("Idempotency-Key").flatMap { request.headerFields[$0] }
        try await IdempotencyMiddleware.withKey(key) { try await dispatcher.dispatch(command) }
        return TransportResponse(HTTPResponse(status: .noContent), body: Data())
    }
}

private struct Copied: OfflineCommand {
    static let commandName = "copied"
    var diary: String
    var number: Int

    var orderKey: String { diary }
}

private struct CopiedHandler: HandlesCommand, Resolvable {
    private let unitOfWork: UnitOfWork<EntityContext>

    init(scope: any DependencyResolutionScope) {
        unitOfWork = scope.resolve()
    }

    func handle(_ command: Copied) async throws {
        try await unitOfWork.execute { context in
            let copy = try await context.find(Copy.self, id: command.diary) ?? Copy(command.diary)
            context.insert(copy)
            copy.count += 1
            if command.number != copy.count { copy.mistakes.append("\(command.number) as \(copy.count)") }
        }
    }
}

private final class Diary: StoredEntity {
    static let entityName = "diary"

    let id: String
    var count = 0
    var raisedEvents = RaisedEvents()

    init(_ id: String) { self.id = id }
}

private final class Copy: StoredEntity {
    static let entityName = "copy"

    let id: String
    var count = 0
    var mistakes: [String] = []
    var raisedEvents = RaisedEvents()

    init(_ id: String) { self.id = id }
}
#endif
