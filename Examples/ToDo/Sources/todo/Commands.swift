// SPDX-License-Identifier: Apache-2.0

import Headrace

struct AddToDo: CQDCommand {
    let id: String
    let title: String
}

@Resolvable
final class AddToDoHandler: HandlesCommand {
    private let unitOfWork: UnitOfWork<EntityContext>

    func handle(_ command: AddToDo) async throws {
        try await unitOfWork.execute { context in
            if try await context.find(ToDo.self, id: command.id) != nil {
                throw Refusal(reason: "There is already a to-do '\(command.id)'.")
            }
            context.insert(ToDo(id: command.id, title: command.title))
        }
    }
}

struct CompleteToDo: CQDCommand {
    let id: String
}

@Resolvable
final class CompleteToDoHandler: HandlesCommand {
    private let unitOfWork: UnitOfWork<EntityContext>

    func handle(_ command: CompleteToDo) async throws {
        try await unitOfWork.execute { context in
            guard let toDo = try await context.find(ToDo.self, id: command.id) else {
                throw Refusal(reason: "There is no to-do '\(command.id)'.")
            }
            try toDo.complete()
        }
    }
}
