// SPDX-License-Identifier: Apache-2.0

#if Server
import Headrace
import HeadraceHummingbird
import LedgerApplication
import LedgerBooks

/// The body of `PUT /api/rule` and of its response.
struct RuleBody: Codable, Equatable {
    var neverBelowZero: Bool?
    var closedFrom: String?

    init(_ rule: AccountRule?) {
        neverBelowZero = rule?.neverBelowZero ?? false
        closedFrom = rule?.closedFrom?.description
    }

    func rule() throws -> AccountRule? {
        let day = try closedFrom.map { text in
            guard let day = BookDate(text) else {
                throw Problem.invalid(
                    "invalidDate",
                    "'\(text.prefix(60))' isn't a date. To fix, write it as in 2026-01-31."
                )
            }
            return day
        }
        let rule = AccountRule(neverBelowZero: neverBelowZero ?? false, closedFrom: day)
        return rule == AccountRule() ? nil : rule
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(neverBelowZero, forKey: .neverBelowZero)
        try container.encode(closedFrom, forKey: .closedFrom)
    }
}
#endif
