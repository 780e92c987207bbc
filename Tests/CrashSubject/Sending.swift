// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import HeadraceCommands
import HeadraceDomain
import HeadraceProcesses
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting

/// Makes sales, each of which sends a durable command that a relay dispatches.
enum Sending {
    static func run(path: String, sales: Int) async throws {
        let subject = try await Subject(path: path, entities: [Shop.self, Till.self])
        let container = container(subject)
        try await Relaying.run(container.resolve(), on: subject.store) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for shop in 0..<8 {
                    group.addTask {
                        for _ in 0..<sales { try await sell(in: "\(shop)", container) }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    private static func container(_ subject: Subject) -> Container {
        let builder = ContainerBuilder()
        builder.domain(
            store: subject.store,
            events: [Collected.self],
            scheduled: [
                ScheduledCommand(Collect.self, raising: { Collected(shop: $0.shop, number: $0.number, total: $1) })
            ],
            relay: Relaying.configuration,
            observers: CrashFaults.observers
        )
        builder.commandQueryDispatch().standard(commandHandlers: [CollectHandler.self])
        return builder.build()
    }

    private static func sell(in id: String, _ container: Container) async throws {
        let unitOfWork: UnitOfWork<EntityContext> = container.resolve()
        let number = try await unitOfWork.execute { context in
            let shop = try await context.find(Shop.self, id: id) ?? Shop(id)
            context.insert(shop)
            shop.count += 1
            try context.send(Collect(shop: id, number: shop.count))
            return shop.count
        }
        CrashSubject.say("sold \(id) \(number)")
    }
}

private struct Collect: CQDCommand, DurableCommand {
    typealias Output = Int
    static let commandName = "collect"
    var shop: String
    var number: Int
}

private struct CollectHandler: HandlesCommand, Resolvable {
    private let unitOfWork: UnitOfWork<EntityContext>

    init(scope: any DependencyResolutionScope) {
        unitOfWork = scope.resolve()
    }

    func handle(_ command: Collect) async throws -> Int {
        let total = try await unitOfWork.execute { context in
            let till = try await context.find(Till.self, id: command.shop) ?? Till(command.shop)
            context.insert(till)
            if !till.numbers.insert(command.number).inserted { till.mistakes.append("\(command.number) twice") }
            return till.numbers.count
        }
        return total
    }
}

private struct Collected: DurableDomainEvent {
    static let eventName = "collected"
    var shop: String
    var number: Int
    var total: Int
}

private final class Shop: StoredEntity {
    static let entityName = "shop"

    let id: String
    var count = 0
    var raisedEvents = RaisedEvents()

    init(_ id: String) { self.id = id }
}

private final class Till: StoredEntity {
    static let entityName = "till"

    let id: String
    var numbers: Set<Int> = []
    var mistakes: [String] = []
    var raisedEvents = RaisedEvents()

    init(_ id: String) { self.id = id }
}
#endif
