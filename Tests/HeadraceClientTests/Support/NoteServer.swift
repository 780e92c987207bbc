// SPDX-License-Identifier: Apache-2.0

#if Client
import Foundation
import HTTPTypes
import HeadraceClient
import HeadraceCommands
import HeadraceDomain
import HeadraceStorage
import Synchronization

struct RenameNote: OfflineCommand {
    static let commandName = "rename-note"
    let note: String
    let title: String

    var orderKey: String { note }
}

/// Keeps the titles of notes.
///
/// A command with a known key has no effect.
final class NoteServer: MessageTransport {
    /// What happens to a request.
    enum Behaviour: Sendable {
        case works

        /// The command takes effect, and the answer is lost.
        case losesTheAnswer
        case isUnreachable

        /// The request ends with its task.
        case isSilent
        case answers(Int, HTTPFields = [:])

        static let refuses = answers(422)
    }

    struct Sent: Sendable {
        let title: String
        let key: String
        let fields: HTTPFields
    }

    private struct State {
        var titles: [String: [String]] = [:]
        var known: Set<String> = []
        var sent: [Sent] = []
        var behaviour: @Sendable (RenameNote) -> Behaviour = { _ in .works }
    }

    private struct Unreachable: Error {}

    private let state = Mutex(State())
    private let requests = DeliverySignal()

    /// Returns when `count` requests have come.
    func waitForRequests(_ count: UInt64) async { await requests.waitRegardless(after: count - 1) }

    /// The requests, in the order in which they came.
    var sent: [Sent] { state.withLock { $0.sent } }

    func titles(of note: String) -> [String] { state.withLock { $0.titles[note, default: []] } }

    /// Lets later requests have the result of `behaviour`.
    func behaves(_ behaviour: @escaping @Sendable (RenameNote) -> Behaviour) {
        state.withLock { $0.behaviour = behaviour }
    }

    func send(_ request: HTTPRequest, body: Data?) async throws -> TransportResponse {
        let command = try DocumentCoding.decode(RenameNote.self, from: body ?? Data())
        let fields = request.headerFields
        let key = HTTPField.Name("Idempotency-Key").flatMap { fields[$0] } ?? ""
        let behaviour = state.withLock { state in
            state.sent.append(Sent(title: command.title, key: key, fields: fields))
            let behaviour = state.behaviour(command)
            switch behaviour {
            case .works, .losesTheAnswer:
                if state.known.insert(key).inserted { state.titles[command.note, default: []].append(command.title) }
            case .isUnreachable, .isSilent, .answers: break
            }
            return behaviour
        }
        requests.notify()
        switch behaviour {
        case .works: return TransportResponse(HTTPResponse(status: .noContent), body: Data())
        case .losesTheAnswer, .isUnreachable: throw Unreachable()
        case .isSilent:
            for await _ in AsyncStream<Never>.makeStream().stream {}
            throw CancellationError()
        case .answers(let status, let fields):
            let problem = #"{"title": "No", "status": \#(status), "detail": "No.", "code": "no"}"#
            return TransportResponse(
                HTTPResponse(status: .init(code: status), headerFields: fields), body: Data(problem.utf8))
        }
    }
}
#endif
