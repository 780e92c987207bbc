// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceMacros
import HeadraceProjections
import HeadraceStorage

// Mistakes with the values of indexes. Each error names the mistake and the remedy.

enum Status: String, Codable { case open, closed }
enum Level: Codable { case low, high }

@DomainEntity
final class Ticket: StoredEntity {
    static let entityName = "ticket"
    let id: UUID
    var status = Status.open
    var level = Level.low
    var levels = [Level.low]

    init(id: UUID) {
        self.id = id
    }
}

struct TicketRow: ProjectionRow {
    let id: UUID
    var level: Level
}

extension EntityIndex<Ticket> {
    static var status: Self { EntityIndex("status") { $0.status } }

    // expected-error@+1 {{An index can't have values of this type. To fix, use String, Int, Int64, Bool, UUID, Date, or an enumeration with raw values of such a type, or conform the type to 'IndexValueConvertible'.}}
    static var level: Self { EntityIndex("level") { $0.level } }

    // expected-error@+1 {{An index can't have values of this type.}}
    static var levels: Self { EntityIndex("levels", each: { $0.levels }) }
}

extension RowIndex<TicketRow> {
    // expected-error@+1 {{An index can't have values of this type.}}
    static var level: Self { RowIndex("level") { $0.level } }
}

func fetch(in context: EntityContext) async throws {
    // expected-error@+1 {{An index can't have values of this type.}}
    _ = try await context.fetch(Ticket.self, where: [.equals(.status, Level.low)])
    // An index doesn't fix the type of its values, so the condition names it: 'Status.open'.
    // expected-error@+1 {{cannot infer contextual base in reference to member 'open'}}
    _ = try await context.fetch(Ticket.self, where: [.equals(.status, .open)])
}
