// SPDX-License-Identifier: Apache-2.0

#if Postgres
import HeadraceStorage

extension ArgumentTables {
    /// Appends `settlements`.
    ///
    /// - Parameters:
    ///   - settlements: The settlements.
    ///   - unit: The unit of work that they belong to, for a procedure that has this column.
    ///   - rounds: Number of settlements of each lane so far.
    mutating func append(_ settlements: [Settlement], unit: Int64? = nil, rounds: inout [Int64: Int64]) {
        for settlement in settlements {
            let round = rounds[settlement.lease.lane, default: 0]
            rounds[settlement.lease.lane] = round + 1
            append(settlement, unit: unit, round: round)
        }
    }

    private mutating func append(_ settlement: Settlement, unit: Int64?, round: Int64) {
        let end = EndColumns(settlement.end)
        let cells: [Cell] = [
            .integer(settlement.lease.lane), .integer(settlement.lease.token), .integer(round),
            .integer(settlement.attempts.map(Int64.init)), .integer(end.number.rawValue), .integer(end.ready),
            .integer(end.since), .text(settlement.storedReason ?? end.name), .integer(end.version),
            .integer(end.unknownSince), .integer(settlement.firstPosition),
        ]
        append("s", all: (unit.map { [.integer($0)] } ?? []) + cells)
        let number = Int64(count("s"))
        for position in settlement.acknowledged {
            append("a", .integer(number), .integer(position))
        }
        for failure in settlement.failures {
            append(
                "f", .integer(number), .integer(failure.position), .integer(Int64(failure.attempts)),
                .text(failure.reason), .integer(failure.date.milliseconds))
        }
    }
}

/// The end of a lease as columns.
private struct EndColumns {
    var number = SettlementProcedure.End.none
    var ready: Int64?
    var since: Int64?
    var name: String?
    var version: Int64?
    var unknownSince: Int64?

    init(_ end: Settlement.End?) {
        switch end {
        case nil:
            break
        case .finished(let now):
            (number, ready, since) = (.finished, now.milliseconds, now.milliseconds)
        case .retry(let date, let now):
            (number, ready, since) = (.retry, date.milliseconds, now?.milliseconds)
        case .released(let now):
            (number, ready, since) = (.released, now.milliseconds, now.milliseconds)
        case .unknown(let name, let version, let since, let until, let now):
            (number, ready, self.since) = (.unknown, until.milliseconds, now.milliseconds)
            (self.name, self.version, unknownSince) = (name, Int64(version), since.milliseconds)
        }
    }
}
#endif
