//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceDomain
import HeadraceResolution
import HeadraceStorage
import Measuring
import UnitOfWorkSubjects

/// Measures the cost of a unit of work without a disk: find, change, one event, two handlers, commit.
@main
enum UnitOfWorkBenchmark {
    static func main() {
        Benchmark([
            Figure(execute, floor: handWritten, atMost: 2),
            Figure(executeNothing, floor: handWrittenNothing),
        ]).run()
    }

    private static let execute = Workload("execute-in-memory") {
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        registrar.register(CheckDeposit.self)
        registrar.register(NoteDeposit.self)
        return { iterations in
            let store = try InMemoryStore(entities: [Account.self])
            try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
                context.insert(Account(1))
            }
            for _ in 0..<iterations {
                try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
                    try await context.find(Account.self, id: 1)?.deposit(1)
                }
            }
        }
    }

    /// A unit of work without entities and events, on a context of the program.
    private static let executeNothing = Workload("execute-nothing") {
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        return { iterations in
            for _ in 0..<iterations {
                try await UnitOfWork(delegator: registrar, context: Nothing()).execute { consume($0) }
            }
        }
    }

    private static let handWrittenNothing = Workload("floor-hand-written-nothing") {
        { iterations in
            for _ in 0..<iterations { try await HandWritten.execute(Nothing()) { consume($0) } }
        }
    }

    private static let handWritten = Workload("floor-hand-written") {
        { iterations in
            let books = HandWritten()
            for _ in 0..<iterations { try await books.deposit(1) }
        }
    }
}
