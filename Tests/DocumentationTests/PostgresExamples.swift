// SPDX-License-Identifier: Apache-2.0

#if Postgres
import HeadraceDomain
import HeadracePostgres
import HeadraceResolution
import HeadraceStorage
import Testing

/// A memory store refuses plain SQL, so these examples need no server.
@Suite struct PostgresExamples {
    private let unitOfWork: @Sendable () throws -> UnitOfWork<EntityContext> = {
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        return UnitOfWork(delegator: registrar, context: EntityContext(try InMemoryStore(entities: [])))
    }

    @Test func otherStoresRefusePlainSQL() async throws {
        let first = await #expect(throws: StoreError.self) { try await count(5, on: "2026-01-31", in: unitOfWork()) }
        let second = await #expect(throws: StoreError.self) { try await update(5, on: "2026-01-31", in: unitOfWork()) }

        #expect(first?.code == .unsupportedWork)
        #expect(second?.code == .unsupportedWork)
    }

    func count(_ cents: Int64, on day: String, in unitOfWork: UnitOfWork<EntityContext>) async throws {
        try await unitOfWork.execute { context in
            context.perform(
                sql: """
                    INSERT INTO public.shop_daily_total VALUES ($1::date, $2)
                    ON CONFLICT (day) DO UPDATE SET cents = shop_daily_total.cents + excluded.cents
                    """,
                [.text(day), .integer(cents)]
            )
        }
    }

    private func update(_ cents: Int64, on day: String, in unitOfWork: UnitOfWork<EntityContext>) async throws {
        try await unitOfWork.execute { context in
            context.perform(
                sql: "UPDATE public.shop_daily_total SET cents = cents + $1 WHERE day = $2::date",
                [.integer(cents), .text(day)]
            )
        }
    }
}
#endif
