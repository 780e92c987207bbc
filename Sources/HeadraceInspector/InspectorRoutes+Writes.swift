// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceRelay
import HeadraceStorage
import HeadraceWorkflows

extension InspectorRoutes {
    /// An operation on dead letters, on pending deliveries, on a subscription, or on a workflow.
    private enum Operation: Equatable {
        case replayLetters, discardLetters, correctLetter
        case retry, cancel
        case pause, resume, replay
        case workflow(WorkflowOperation)

        init?(_ path: ArraySlice<String>) {
            switch path {
            case ["dead-letters", "replay"]: self = .replayLetters
            case ["dead-letters", "discard"]: self = .discardLetters
            case ["dead-letters", "correct"]: self = .correctLetter
            case ["pending", "retry"]: self = .retry
            case ["pending", "cancel"]: self = .cancel
            case ["subscriptions", "pause"]: self = .pause
            case ["subscriptions", "resume"]: self = .resume
            case ["subscriptions", "replay"]: self = .replay
            case ["workflows", "cancel"]: self = .workflow(.cancel)
            case ["workflows", "retry"]: self = .workflow(.retry)
            case ["workflows", "terminate"]: self = .workflow(.terminate)
            default: return nil
            }
        }
    }

    private struct LetterSelection: Decodable {
        let store: String?
        let ids: [Int64]
    }

    private struct CorrectedLetter: Decodable {
        let store: String?
        let id: Int64
        let content: String
    }

    private struct DeliverySelection: Decodable {
        let store: String?
        let ids: [String]
    }

    private struct SubscriptionSelection: Decodable {
        let store: String?
        let subscription: String
    }

    private struct CountResponse: Encodable {
        let count: Int
    }

    /// A change that is checked and ready to be carried out.
    private struct Change {
        let store: String?

        /// The record of the operation.
        let record: OperatorLog.Operation

        /// Whether ``perform`` stores the record.
        var recordsItself = false

        let perform: (any DeliveryStore) async throws -> Int
    }

    /// The content isn't shown, so the operator can't correct it.
    private struct HiddenContentError: Error {}

    nonisolated(nonsending) func post(_ target: RequestTarget, _ request: InspectorRequest) async -> InspectorResponse {
        guard target.path.first == "api" else { return Self.notFound }
        let path = target.path.dropFirst()
        let (isReplay, isRestore) = (path == ["stations", "replay"], path == ["stations", "restore"])
        let operation = Operation(path)
        guard isReplay || isRestore || operation != nil else { return Self.notFound }
        // A replay changes only a copy.
        guard allowsWrites || isReplay else {
            return .refusal(403, "The inspector is read-only. To fix, start it with 'allowsWrites: true'.")
        }
        let type = request.value(of: "content-type")?.lowercased().split(separator: ";").first
        guard type?.trimmingCharacters(in: .whitespaces) == "application/json" else {
            return .refusal(
                415, "The body must be JSON. To fix, send the header field 'Content-Type: application/json'.")
        }
        let operatorName = operatorName(request)
        guard let operation else { return await upload(request, restoring: isRestore, by: operatorName) }
        let change: Change
        do {
            change = try self.change(operation, request.body, by: operatorName)
        } catch is UnknownInstanceError {
            return Self.noInstance
        } catch {
            return .refusal(400, Self.hint(for: operation))
        }
        if change.record.target.count > limits.deadLetterCount {
            return .refusal(
                413, "The request has more than \(limits.deadLetterCount) identifiers. To fix, send several requests.")
        }
        guard let inspected = inspectedStore(change.store) else { return Self.noStore }
        inspector.activate()
        if change.record.target.isEmpty { return .json(CountResponse(count: 0)) }
        return await answering {
            do {
                if !change.recordsItself {
                    try await OperatorLog(in: inspected.store).record(change.record, by: operatorName)
                }
                return .json(CountResponse(count: try await change.perform(inspected.store)))
            } catch let error as RelayError {
                return .refusal(409, error.message)
            } catch let error as WorkflowError {
                return Self.refusal(of: error)
            } catch is HiddenContentError {
                return Self.hiddenContent
            }
        }
    }

    /// The name of the operator.
    private func operatorName(_ request: InspectorRequest) -> String {
        let configuration = inspector.recorder.configuration
        let name = configuration.operatorHeader.flatMap { request.value(of: $0.lowercased()) }
        return (name ?? configuration.operatorName).truncated(to: 200)
    }

    private static func hint(for operation: Operation) -> String {
        switch operation {
        case .replayLetters, .discardLetters: #"The body must be JSON like {"ids": [1, 2]}."#
        case .correctLetter: #"The body must be JSON like {"id": 1, "content": "{\"amount\":5}"}."#
        case .retry, .cancel: #"The body must be JSON like {"ids": ["1.2"]}."#
        case .pause, .resume, .replay: #"The body must be JSON like {"subscription": "mail"}."#
        case .workflow: #"The body must be JSON like {"instance": "…"}, with the 'instance' from a response."#
        }
    }

    private func change(_ operation: Operation, _ body: Data, by operatorName: String) throws -> Change {
        let decoder = JSONDecoder()
        switch operation {
        case .replayLetters, .discardLetters:
            let selection = try decoder.decode(LetterSelection.self, from: body)
            let replays = operation == .replayLetters
            let name = replays ? "replay dead letters" : "discard dead letters"
            let record = OperatorLog.Operation(name, of: selection.ids.map { "\($0)" })
            return Change(store: selection.store, record: record) { store in
                let letters = DeadLetters(in: store)
                return replays ? try await letters.replay(selection.ids) : try await letters.discard(selection.ids)
            }
        case .correctLetter:
            let letter = try decoder.decode(CorrectedLetter.self, from: body)
            let record = OperatorLog.Operation("correct dead letter", of: ["\(letter.id)"])
            return Change(store: letter.store, record: record, recordsItself: true) { [inspector] store in
                let letters = DeadLetters(in: store, relays: inspector.relays)
                if let found = try await letters.find(letter.id), found.content != .missing,
                    inspector.recorder.configuration.wholeContent(of: found.content) == nil
                {
                    throw HiddenContentError()
                }
                try await letters.replay(letter.id, correctedTo: Data(letter.content.utf8), by: operatorName)
                return 1
            }
        case .retry, .cancel:
            let selection = try decoder.decode(DeliverySelection.self, from: body)
            let ids = try selection.ids.map { text in
                guard let id = PendingDelivery.ID(text) else {
                    throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: text))
                }
                return id
            }
            let name = operation == .retry ? "retry deliveries" : "cancel deliveries"
            return Change(store: selection.store, record: OperatorLog.Operation(name, of: selection.ids)) { store in
                let pending = PendingDeliveries(in: store)
                if operation == .retry { return try await pending.retry(ids) }
                return try await pending.cancel(
                    ids, reason: "The operator '\(operatorName)' has cancelled the delivery.")
            }
        case .pause, .resume, .replay:
            let selection = try decoder.decode(SubscriptionSelection.self, from: body)
            let subscription = selection.subscription
            let name = operation == .pause ? "pause" : operation == .resume ? "resume" : "replay"
            let record = OperatorLog.Operation(name, of: [subscription])
            return Change(store: selection.store, record: record) { [inspector] store in
                switch operation {
                case .pause: try await Subscriptions(in: store).pause(subscription)
                case .resume: try await Subscriptions(in: store).resume(subscription)
                default: return try await inspector.replay(subscription, in: store)
                }
                return 1
            }
        case .workflow(let operation):
            let selection = try decoder.decode(InstanceSelection.self, from: body)
            guard let instance = handles.instance(of: selection.instance) else { throw UnknownInstanceError() }
            let record = OperatorLog.Operation(
                "\(operation.rawValue) workflow", of: ["\(instance.workflow)/\(instance.key)"])
            return Change(store: selection.store, record: record) { store in
                try await Workflows(inspecting: store).perform(operation, on: instance)
                return 1
            }
        }
    }
}

extension Inspector {
    /// Replays all events of a subscription of `store`, and returns their number.
    ///
    /// - Throws: ``HeadraceRelay/RelayError`` if no shown relay of the store knows the events of the subscription.
    fileprivate nonisolated(nonsending) func replay(
        _ subscription: String,
        in store: any DeliveryStore
    ) async throws -> Int {
        guard let relay = relay(of: subscription, in: store) else { throw RelayError.noReplayingRelay(subscription) }
        return try await relay.replay(subscription)
    }
}
