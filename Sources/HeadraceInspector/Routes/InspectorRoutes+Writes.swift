//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HeadraceRelay

extension InspectorRoutes {
    /// What is asked to be done with dead letters.
    private struct Choice: Decodable {
        let store: String?
        let ids: [Int64]
    }

    private struct Done: Encodable {
        let count: Int
    }

    nonisolated(nonsending) func post(_ target: RequestTarget, _ request: InspectorRequest) async -> InspectorResponse {
        guard target.path.count == 3, target.path.prefix(2) == ["api", "dead-letters"],
            let verb = target.path.last, ["replay", "discard"].contains(verb)
        else { return Self.nothing }
        guard allowsWrites else {
            return .refusal(403, "The inspector only shows. To fix, start it with 'allowsWrites: true'.")
        }
        let type = request.value(of: "content-type")?.lowercased().split(separator: ";").first
        guard type?.trimmingCharacters(in: .whitespaces) == "application/json" else {
            return .refusal(415, "The body is to be JSON, and to say so: 'Content-Type: application/json'.")
        }
        let choice: Choice
        do {
            choice = try JSONDecoder().decode(Choice.self, from: request.body)
        } catch {
            return .refusal(400, #"The body is to be JSON like {"ids": [1, 2]}."#)
        }
        if choice.ids.count > limits.letterCount {
            return .refusal(
                413, "More than \(limits.letterCount) dead letters are named. To fix, take several requests.")
        }
        guard let shown = shownStore(choice.store) else { return Self.noStore }
        inspector.look()
        let letters = DeadLetters(in: shown.store)
        return await answering {
            let count = verb == "replay" ? try await letters.replay(choice.ids) : try await letters.discard(choice.ids)
            return .json(Done(count: count))
        }
    }
}
