// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceProjections
import HeadraceRelay
import HeadraceStorage

extension InspectorRoutes {
    static let pageLimit = 500

    nonisolated(nonsending) func get(_ target: RequestTarget) async -> InspectorResponse {
        switch target.path {
        case []: return Self.file("text/html; charset=utf-8", PackageResources.index_html)
        case ["icon.svg"]: return Self.file("image/svg+xml", PackageResources.icon_svg)
        case ["inspector.css"]: return Self.file("text/css; charset=utf-8", PackageResources.inspector_css)
        default: break
        }
        if target.path.count == 1, let script = Self.script(target.path[0]) {
            return Self.file("text/javascript; charset=utf-8", script)
        }
        guard target.path.first == "api" else { return Self.notFound }
        inspector.activate()
        switch target.path.dropFirst() {
        case ["overview"]: return .json(Overview(inspector, allowsWrites: allowsWrites))
        case ["messages"]: return messages(target)
        case ["events"]: return events(target)
        case ["rates"]: return .json(inspector.recorder.rates)
        case ["circuits"]: return .json(inspector.circuits)
        case ["projections"]: return await projections()
        case ["graphs"]: return .json(inspector.graphs)
        case ["stations"]: return .json(inspector.stations.map(\.view))
        case ["stations", "journal"]: return journal(target)
        case ["deliveries"]: return .json(inspector.recorder.deliveries)
        case ["log"], ["subscriptions"], ["dead-letters"]: return await store(target)
        case ["dead-letters", "content"]: return await contentOfDeadLetter(target)
        case ["pending"]: return await pending(target)
        case ["workflows"]: return await workflows(target)
        case ["workflows", "instance"]: return await workflowInstance(target)
        default: return Self.notFound
        }
    }

    /// Returns the script `name` of the page.
    private static func script(_ name: String) -> [UInt8]? {
        switch name {
        case "inspector.js": PackageResources.inspector_js
        case "elements.js": PackageResources.elements_js
        case "requests.js": PackageResources.requests_js
        case "panes.js": PackageResources.panes_js
        case "flow.js": PackageResources.flow_js
        case "chains.js": PackageResources.chains_js
        case "rows.js": PackageResources.rows_js
        case "json.js": PackageResources.json_js
        case "message.js": PackageResources.message_js
        case "rates.js": PackageResources.rates_js
        case "graphs.js": PackageResources.graphs_js
        case "stations.js": PackageResources.stations_js
        case "deliveries.js": PackageResources.deliveries_js
        case "log.js": PackageResources.log_js
        case "workflows.js": PackageResources.workflows_js
        default: nil
        }
    }

    static var notFound: InspectorResponse { .refusal(404, "There is nothing at this path.") }

    private static func file(_ type: String, _ bytes: [UInt8]) -> InspectorResponse {
        InspectorResponse(200, type: type, Data(bytes))
    }

    // MARK: The flow

    private func messages(_ target: RequestTarget) -> InspectorResponse {
        func text(_ name: String) -> String? { target.query[name].flatMap { $0.isEmpty ? nil : $0 } }
        var filter = FlowFilter(search: text("search"), kind: text("kind"), type: text("type"))
        for case let text? in [filter.search, filter.kind, filter.type] where text.utf8.count > limits.searchLength {
            return .refusal(
                400, "The search text is longer than \(limits.searchLength) bytes. To fix, use a part of it.")
        }
        if let duration = text("least") {
            guard let milliseconds = Double(duration), milliseconds >= 0 else { return Self.badNumber }
            filter.minimumDuration = milliseconds
        }
        if let chain = text("chain") {
            guard let id = UUID(uuidString: chain) else {
                return .refusal(400, "The chain must be a UUID. To fix, use the 'correlation' of a message.")
            }
            filter.correlation = id
        }
        switch text("failures") {
        case nil, "false": break
        case "true": filter.failuresOnly = true
        default:
            return .refusal(
                400, "The parameter 'failures' must be 'true' or 'false'. To fix, correct or omit it.")
        }
        guard let revision = Self.number(target.query["after"], default: 0, in: 0...UInt64.max),
            let limit = Self.number(target.query["limit"], default: Self.pageLimit, in: 1...Self.pageLimit)
        else { return Self.badNumber }
        let recorder = inspector.recorder
        return .json(
            filter.isEmpty
                ? recorder.flow(after: revision, limit: limit)
                : recorder.flow(after: revision, matching: filter, limit: limit)
        )
    }

    private func events(_ target: RequestTarget) -> InspectorResponse {
        guard let revision = Self.number(target.query["after"], default: 0, in: 0...UInt64.max) else {
            return Self.badNumber
        }
        guard let permit = streamPermits.tryAcquire() else {
            return .refusal(
                429, "\(limits.streamCount) streams are open. To fix, close a page.", headers: [("Retry-After", "5")])
        }
        return InspectorResponse(InspectorEventStream(inspector, after: revision, permit: permit))
    }

    // MARK: Stores

    private nonisolated(nonsending) func store(_ target: RequestTarget) async -> InspectorResponse {
        guard let inspected = inspectedStore(target.query["store"]) else { return Self.noStore }
        guard let after = Self.number(target.query["after"], default: Int64(-1), in: -1...Int64.max),
            let limit = Self.number(target.query["limit"], default: 100, in: 1...Self.pageLimit)
        else { return Self.badNumber }
        let configuration = inspector.recorder.configuration
        return await answering {
            switch target.path.last {
            case "log":
                let last = try await inspected.store.deliveryStatistics().lastPosition
                let start = after >= 0 ? after : max(0, last - Int64(limit))
                let records = try await inspected.store.events(after: start, limit: limit)
                return .json(LogView(last: last, events: records.map { LogEventView($0, configuration) }))
            case "subscriptions":
                let statistics = try await inspected.store.deliveryStatistics()
                let now = self.inspector.recorder.now
                return .json(
                    SubscriptionsView(statistics, now: now) {
                        self.inspector.relay(of: $0, in: inspected.store) != nil
                    })
            default:
                let subscription = target.query["subscription"].flatMap { $0.isEmpty ? nil : $0 }
                let letters = try await inspected.store.deadLetters(
                    after: max(0, after), of: subscription, limit: limit)
                return .json(DeadLetterPage(letters, configuration))
            }
        }
    }

    /// The whole content of a dead letter, which an operator corrects.
    private nonisolated(nonsending) func contentOfDeadLetter(_ target: RequestTarget) async -> InspectorResponse {
        struct Content: Encodable { let content: String }
        guard let inspected = inspectedStore(target.query["store"]) else { return Self.noStore }
        guard let text = target.query["id"], let id = Int64(text) else { return Self.badNumber }
        return await answering {
            guard let letter = try await inspected.store.deadLetter(id) else {
                return .refusal(404, RelayError.deadLetterGone(id).message)
            }
            guard let content = self.inspector.recorder.configuration.wholeContent(of: letter.content) else {
                return Self.hiddenContent
            }
            return .json(Content(content: content))
        }
    }

    /// The answer to a request for a content that isn't shown as a whole.
    static var hiddenContent: InspectorResponse {
        .refusal(403, "The content is hidden, so it can't be corrected. \(HiddenContent.hints["storedMessage"] ?? "")")
    }

    private nonisolated(nonsending) func pending(_ target: RequestTarget) async -> InspectorResponse {
        guard let inspected = inspectedStore(target.query["store"]) else { return Self.noStore }
        guard let limit = Self.number(target.query["limit"], default: 100, in: 1...Self.pageLimit) else {
            return Self.badNumber
        }
        let (stateText, cursorText) = (target.query["state"] ?? "", target.query["after"] ?? "")
        let state = PendingDelivery.State(rawValue: stateText)
        let cursor = PendingDelivery.Cursor(cursorText)
        guard state != nil || stateText.isEmpty, cursor != nil || cursorText.isEmpty else {
            return .refusal(400, "The state or the cursor is unknown. To fix, use one from a response, or omit it.")
        }
        let subscription = target.query["subscription"].flatMap { $0.isEmpty ? nil : $0 }
        return await answering {
            let page = try await PendingDeliveries(in: inspected.store)
                .page(in: state, of: subscription, after: cursor, limit: limit)
            return .json(PendingPage(page, limit: limit, self.inspector.recorder.configuration))
        }
    }

    private nonisolated(nonsending) func projections() async -> InspectorResponse {
        let configuration = inspector.recorder.configuration
        let now = inspector.recorder.now
        return await answering {
            var views: [ProjectionView] = []
            for projections in inspector.projections {
                views += try await projections.status().map { ProjectionView($0, configuration, now: now) }
            }
            return .json(views)
        }
    }

    func inspectedStore(_ name: String?) -> InspectedStore? {
        let stores = inspector.stores
        guard let name else { return stores.first }
        return stores.first { $0.name == name }
    }

    static var noStore: InspectorResponse {
        .refusal(
            404, "No store has this name. To fix, call 'inspector.show(store)', or use a name from the overview."
        )
    }

    static var badNumber: InspectorResponse {
        .refusal(400, "A number is malformed or out of range. To fix, correct or omit it.")
    }

    /// Returns the response of `body`, or a refusal if the store throws.
    nonisolated(nonsending) func answering(
        _ body: nonisolated(nonsending) () async throws -> InspectorResponse
    ) async -> InspectorResponse {
        do {
            return try await body()
        } catch {
            let configuration = inspector.recorder.configuration
            let reason = configuration.limited(configuration.redaction.text(of: error))
            return .refusal(503, "The request to the store failed." + (reason.map { " \($0)" } ?? ""))
        }
    }

    static func number<Number: FixedWidthInteger>(
        _ text: String?,
        default standard: Number,
        in range: ClosedRange<Number>
    ) -> Number? {
        guard let text else { return standard }
        guard let number = Number(text), range.contains(number) else { return nil }
        return number
    }
}
