//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HeadraceRelay

extension InspectorRoutes {
    /// The dead letters to change.
    private struct DeadLetterSelection: Decodable {
        let store: String?
        let ids: [Int64]
    }

    private struct CountResponse: Encodable {
        let count: Int
    }

    nonisolated(nonsending) func post(_ target: RequestTarget, _ request: InspectorRequest) async -> InspectorResponse {
        guard target.path.count == 3, target.path.prefix(2) == ["api", "dead-letters"],
            let verb = target.path.last, ["replay", "discard"].contains(verb)
        else { return Self.notFound }
        guard allowsWrites else {
            return .refusal(403, "The inspector is read-only. To fix, start it with 'allowsWrites: true'.")
        }
        let type = request.value(of: "content-type")?.lowercased().split(separator: ";").first
        guard type?.trimmingCharacters(in: .whitespaces) == "application/json" else {
            return .refusal(
                415, "The body must be JSON. To fix, send the header field 'Content-Type: application/json'.")
        }
        let selection: DeadLetterSelection
        do {
            selection = try JSONDecoder().decode(DeadLetterSelection.self, from: request.body)
        } catch {
            return .refusal(400, #"The body must be JSON like {"ids": [1, 2]}."#)
        }
        if selection.ids.count > limits.deadLetterCount {
            return .refusal(
                413, "The request has more than \(limits.deadLetterCount) dead letters. To fix, send several requests.")
        }
        guard let inspected = inspectedStore(selection.store) else { return Self.noStore }
        inspector.activate()
        let letters = DeadLetters(in: inspected.store)
        return await answering {
            let count =
                verb == "replay" ? try await letters.replay(selection.ids) : try await letters.discard(selection.ids)
            return .json(CountResponse(count: count))
        }
    }
}
