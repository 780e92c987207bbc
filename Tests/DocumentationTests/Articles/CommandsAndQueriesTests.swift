// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceCore
import HeadraceResolution
import HeadraceTesting
import Synchronization
import Testing

private struct RenameCustomer: CQDCommand, Equatable, Validatable {
    let id: Int
    let name: String

    func validate(_ validation: inout Validation) {
        validation.require(!name.isEmpty, "name", "must not be empty")
    }
}

private struct GetCustomerName: CQDQuery {
    typealias Value = String
    let id: Int
}

private final class Customers: Sendable {
    private let names = Mutex<[Int: String]>([:])

    subscript(id: Int) -> String {
        get { names.withLock { $0[id] ?? "nobody" } }
        set { names.withLock { $0[id] = newValue } }
    }

    func add(_ name: String) -> Int {
        names.withLock { names in
            let id = (names.keys.max() ?? 0) + 1
            names[id] = name
            return id
        }
    }
}

private final class RenameCustomerHandler: HandlesCommand, Resolvable {
    private let customers: Customers

    init(scope: any DependencyResolutionScope) {
        customers = scope.resolve()
    }

    func handle(_ command: RenameCustomer) async throws {
        customers[command.id] = command.name
    }
}

private final class GetCustomerNameHandler: HandlesQuery, Resolvable {
    private let customers: Customers

    init(scope: any DependencyResolutionScope) {
        customers = scope.resolve()
    }

    func handle(_ query: GetCustomerName) async throws -> String {
        customers[query.id]
    }
}

private struct AddCustomer: CQDCommand {
    typealias Output = Int
    let name: String
}

private final class AddCustomerHandler: HandlesCommand, Resolvable {
    private let customers: Customers

    init(scope: any DependencyResolutionScope) {
        customers = scope.resolve()
    }

    func handle(_ command: AddCustomer) async throws -> Int {
        customers.add(command.name)
    }
}

@MainActor
private final class CustomerModel {
    private(set) var message = ""
    private let dispatcher: any CommandQueryDispatcher

    init(dispatcher: any CommandQueryDispatcher) {
        self.dispatcher = dispatcher
    }

    func rename(to name: String) async {
        do {
            try await dispatcher.dispatch(RenameCustomer(id: 7, name: name))
            message = "Renamed to \(name)."
        } catch {
            message = "\(error)"
        }
    }
}

@Suite struct CommandsAndQueriesTests {
    @Test func aCommandIsValidatedHandledAndSeenByTheNextQuery() async throws {
        let builder = ContainerBuilder()
        builder.singleton { Customers() }
        builder.commandQueryDispatch().standard(
            commandHandlers: [RenameCustomerHandler.self],
            queryHandlers: [GetCustomerNameHandler.self],
            messages: [RenameCustomer.self, GetCustomerName.self],
            middleware: [
                LoggingMiddleware(),
                ValidationMiddleware(),
                TimeoutMiddleware(.seconds(5)),
            ]
        )
        try builder.validate()

        let dispatcher: any CommandQueryDispatcher = builder.build().resolve()
        try await dispatcher.dispatch(RenameCustomer(id: 7, name: "Ada"))
        let name = try await dispatcher.dispatch(GetCustomerName(id: 7))
        #expect(name == "Ada")

        await #expect(throws: MessageValidationError.self) {
            try await dispatcher.dispatch(RenameCustomer(id: 7, name: ""))
        }
    }

    @Test func aCommandReturnsTheIdentifierOfTheNewCustomer() async throws {
        let builder = ContainerBuilder()
        builder.singleton { Customers() }
        builder.commandQueryDispatch().standard(commandHandlers: [AddCustomerHandler.self])

        let dispatcher: any CommandQueryDispatcher = builder.build().resolve()
        let id = try await dispatcher.dispatch(AddCustomer(name: "Grace"))

        #expect(id == 1)
    }

    @MainActor
    @Test func aModelIsTestedWithoutAnyHandler() async throws {
        let dispatcher = RecordingDispatcher()
        let model = CustomerModel(dispatcher: dispatcher)

        await model.rename(to: "Ada")

        try dispatcher.requireDispatched(RenameCustomer(id: 7, name: "Ada"))
        #expect(model.message == "Renamed to Ada.")
    }
}
