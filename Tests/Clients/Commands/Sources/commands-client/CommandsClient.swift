// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceResolution

struct Double: CQDQuery {
    typealias Value = Int
    let number: Int
}

struct DoubleHandler: HandlesQuery, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ query: Double) async throws -> Int { 2 * query.number }
}

@main
struct CommandsClient {
    static func main() async throws {
        let builder = ContainerBuilder()
        builder.commandQueryDispatch().standard(commandHandlers: [], queryHandlers: [DoubleHandler.self])
        try builder.validate()
        let dispatcher: any CommandQueryDispatcher = builder.build().resolve()
        print(try await dispatcher.dispatch(Double(number: 1)))
    }
}
