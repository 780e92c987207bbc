// SPDX-License-Identifier: Apache-2.0

import Headrace

struct GetToDos: CQDQuery {
    typealias Value = [String]
}

@Resolvable
final class GetToDosHandler: HandlesQuery {
    private let context: EntityContext

    func handle(_ query: GetToDos) async throws -> [String] {
        try await context.fetch(ToDo.self).map { "[\($0.isDone ? "x" : " ")] \($0.id): \($0.title)" }
    }
}
