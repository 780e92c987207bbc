// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import HeadraceCore
import HeadraceDomain
import HeadraceResolution
import HeadraceStorage

func container(_ register: (ContainerBuilder) -> Void) -> Container {
    let builder = ContainerBuilder()
    register(builder)
    return builder.build()
}

struct NoteBefore: HandlesDomainEvent, Resolvable {
    static var dependencies: Dependencies { Dependencies().on(Journal.self).on(EntityContext.self) }

    private let journal: Journal
    private let context: EntityContext

    init(scope: any DependencyResolutionScope) {
        journal = scope.resolve()
        context = scope.resolve()
    }

    func handle(_ event: Noted) async throws {
        context.insert(Customer("noted \(event.text)"))
        journal.add("instance before \(event.text)")
    }
}

struct NoteAfter: HandlesDomainEvent, Resolvable {
    static let isPostCommit = true
    static var dependencies: Dependencies { Dependencies().on(Journal.self) }

    private let journal: Journal

    init(scope: any DependencyResolutionScope) {
        journal = scope.resolve()
    }

    func handle(_ event: Noted) async throws {
        journal.add("instance after \(event.text)")
    }
}

struct NoteActor: HandlesDomainEvent, Resolvable {
    static var dependencies: Dependencies { Dependencies().on(Journal.self) }

    private let journal: Journal

    init(scope: any DependencyResolutionScope) {
        journal = scope.resolve()
    }

    func handle(_ event: Noted) async throws {
        journal.add(#isolation === MainActor.shared ? "on the main actor" : "elsewhere")
    }
}

@MainActor final class Panel {
    private(set) var text = ""

    func show(_ text: String) {
        self.text = text
    }
}

struct ShowOnPanel: HandlesDomainEvent, Resolvable {
    static var dependencies: Dependencies { Dependencies().on(Panel.self) }

    private let panel: Panel

    init(scope: any DependencyResolutionScope) {
        panel = scope.resolve()
    }

    func handle(_ event: Noted) async throws {
        await panel.show(event.text)
    }
}

struct ContextAfter: HandlesDomainEvent, Resolvable {
    static let isPostCommit = true
    static var dependencies: Dependencies { Dependencies().on(EntityContext.self) }

    init(scope: any DependencyResolutionScope) {}

    func handle(_ event: Noted) async throws {}
}

final class Visits: Sendable {
    private let journal = Journal()

    func count() -> Int {
        journal.add("visit")
        return journal.entries.count
    }
}

struct CountVisit: HandlesDomainEvent, Resolvable {
    static let isPostCommit = true
    static var dependencies: Dependencies { Dependencies().on(Journal.self).on(Visits.self) }

    private let journal: Journal
    private let visits: Visits

    init(scope: any DependencyResolutionScope) {
        journal = scope.resolve()
        visits = scope.resolve()
    }

    func handle(_ event: Noted) async throws {
        journal.add("\(event.text) \(visits.count())")
    }
}

/// Adds the amount to a balance, in the unit of work of the delivery.
struct BookDeposit: HandlesDurableDomainEvent, Resolvable {
    static let subscriptionName = "instance"
    static var dependencies: Dependencies { Dependencies().on(Desk.self).on(EntityContext.self) }

    private let desk: Desk
    private let context: EntityContext

    init(scope: any DependencyResolutionScope) {
        desk = scope.resolve()
        context = scope.resolve()
    }

    func handle(_ event: Deposited) async throws {
        let balance = try await context.find(Balance.self, id: event.account) ?? Balance(event.account)
        context.insert(balance)
        balance.amount += event.amount
        try await desk.perform("instance", event)
    }
}

struct BookDepositToo: HandlesDurableDomainEvent, Resolvable {
    static let subscriptionName = "instance"
    static var dependencies: Dependencies { Dependencies() }

    init(scope: any DependencyResolutionScope) {}

    func handle(_ event: Deposited) async throws {}
}

struct RequiringMail: DurableDomainEventHandler {
    static let subscriptionName = "mail"

    static func handle(event: Deposited, resolver: any DependencyResolver) async throws {
        try await resolver.require(Desk.self).perform("mail", event)
    }
}

struct Remind: DurableCommand {
    static let commandName = "remind"
    let text: String
}
