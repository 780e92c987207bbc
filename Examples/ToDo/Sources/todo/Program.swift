// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace

@main
struct Program {
    static func main() async {
        do {
            try await run()
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private static func run() async throws {
        let store = try SQLiteStore(path: "todo.sqlite", entities: [ToDo.self])
        let container = try makeContainer(store: store, announcer: Announcer { print($0) })
        let dispatcher: any CommandQueryDispatcher = container.resolve()
        let arguments = Array(CommandLine.arguments.dropFirst())

        do {
            switch (arguments.first, arguments.count) {
            case ("add", 3): try await dispatcher.dispatch(AddToDo(id: arguments[1], title: arguments[2]))
            case ("complete", 2): try await dispatcher.dispatch(CompleteToDo(id: arguments[1]))
            case ("list", 1): for line in try await dispatcher.dispatch(GetToDos()) { print(line) }
            case ("work", 1): try await container.resolve(Relay.self).run()
            default: print("Usage: todo add ID TITLE | complete ID | list | work")
            }
        } catch let refusal as Refusal {
            print(refusal.reason)
        }
    }
}
