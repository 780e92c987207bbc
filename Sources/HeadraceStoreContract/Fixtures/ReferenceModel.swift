// SPDX-License-Identifier: Apache-2.0

import HeadraceStorage

/// A simple model of the expected content of a store, without indexes.
///
/// Each query scans all documents.
struct ReferenceModel {
    struct Stored {
        let draft: Draft
        let version: Int
    }

    /// One change of one entity, valid or invalid.
    enum Part {
        case insert(Draft)
        case update(Stored, to: Draft)
        case delete(Stored)
    }

    private(set) var stored: [String: Stored] = [:]
    private(set) var events: [NewEvent] = []

    /// Returns the reasons for which a store may refuse `parts`, or an empty set if it must store them.
    func refusals(of parts: [Part]) -> Set<StoreError.Code> {
        var refusals: Set<StoreError.Code> = []
        var after = stored
        for part in parts {
            switch part {
            case .insert(let draft):
                if stored[draft.key] != nil { refusals.insert(.alreadyExists) }
                after[draft.key] = Stored(draft: draft, version: 1)
            case .update(let old, let new):
                if stored[new.key]?.version != old.version { refusals.insert(.versionConflict) }
                after[new.key] = Stored(draft: new, version: old.version + 1)
            case .delete(let old):
                if stored[old.draft.key]?.version != old.version { refusals.insert(.versionConflict) }
                after[old.draft.key] = nil
            }
        }
        let codes = after.values.flatMap { Set($0.draft.codes) }
        if Set(codes).count < codes.count { refusals.insert(.uniqueViolation) }
        return refusals
    }

    /// Applies changes that are not refused.
    mutating func apply(_ parts: [Part], events: [NewEvent]) {
        for part in parts {
            switch part {
            case .insert(let draft): stored[draft.key] = Stored(draft: draft, version: 1)
            case .update(let old, let new): stored[new.key] = Stored(draft: new, version: old.version + 1)
            case .delete(let old): stored[old.draft.key] = nil
            }
        }
        self.events += events
    }

    /// Returns the result of `query`.
    func fetch(_ query: DocumentQuery) throws -> [StoredDocument] {
        var found: [(place: EntryValue?, stored: Stored)] = []
        for stored in stored.values where query.conditions.allSatisfy({ $0.holds(for: stored.draft) }) {
            if let order = query.order {
                let values = stored.draft.values(in: order.index).sorted { $0.precedes($1) }
                guard let place = order.isDescending ? values.last : values.first else { continue }
                found.append((place, stored))
            } else {
                found.append((nil, stored))
            }
        }
        found.sort { one, other in
            if let place = one.place, let otherPlace = other.place, !place.isSame(as: otherPlace) {
                return place.precedes(otherPlace)
            }
            return EntryValue.text(one.stored.draft.key).precedes(.text(other.stored.draft.key))
        }
        if query.order?.isDescending == true { found.reverse() }
        if let last = query.after {
            let isDescending = query.order?.isDescending ?? false
            found.removeAll { place, stored in
                let key = EntryValue.text(stored.draft.key)
                if let place, let end = last.value.map({ EntryValue($0) }), !place.isSame(as: end) {
                    return place.precedes(end) != isDescending
                }
                let end = EntryValue.text(last.key)
                return key.isSame(as: end) || key.precedes(end) != isDescending
            }
        }
        return try found.prefix(query.limit ?? .max).map { try $0.stored.draft.document(version: $0.stored.version) }
    }
}

extension ChangeSet {
    init(_ parts: [ReferenceModel.Part], events: [NewEvent]) throws {
        self.init(events: events)
        for part in parts {
            switch part {
            case .insert(let draft): writes.append(try .inserting(draft))
            case .update(let old, let new): writes.append(try .updating(old.draft, at: old.version, to: new))
            case .delete(let old): deletions.append(.deleting(old.draft, at: old.version))
            }
        }
    }
}

extension Draft {
    fileprivate func values(in index: String) -> [EntryValue] {
        switch index {
        case "rank": rank.map { [$0] } ?? []
        case "label": labels
        default: codes
        }
    }
}

extension DocumentQuery.Condition {
    fileprivate func holds(for draft: Draft) -> Bool {
        draft.values(in: index).contains { value in
            switch test {
            case .oneOf(let values):
                values.contains { EntryValue($0).isSame(as: value) }
            case .range(let lower, let upper):
                lower.map { !value.precedes(EntryValue($0)) } ?? true
                    && upper.map { value.precedes(EntryValue($0)) } ?? true
            }
        }
    }
}

extension EntryValue {
    fileprivate init(_ indexValue: IndexValue) {
        switch indexValue {
        case .integer(let number): self = .number(number)
        case .text(let text): self = .text(text)
        }
    }
}

/// Texts that a store may confuse with something else, all different in their bytes.
let edgeCaseTexts: [String] = [
    "", " ", "a", "A", "ab", "a b", "a\n", "\t",
    // NUL, and texts that an escape for NUL may look like.
    "\0", "a\0", "a\0b", "\u{1}", "\u{1}\u{1}", "\u{1}\u{2}", "\u{2}", "\\0", "\\u0000",
    // Canonically equal, different in bytes.
    "\u{E9}", "e\u{301}", "\u{AC00}", "\u{1100}\u{1161}", "\u{212B}", "\u{C5}", "A\u{30A}",
    // Different unless case or width is folded.
    "ss", "ß", "ﬀ", "ff", "İ", "i",
    // SQL, patterns and quotes.
    "'", "''", "\"", "`", "\\", "%", "_", "*", "?1", ":a", "'; DROP TABLE entity; --", "NULL", "true",
    // Numbers as text.
    "0", "1", "-1", "1.0", "1e3", "0x1", "9223372036854775807", "9223372036854775808", "１",
    // Several scalars in one character, the ends of the planes, right to left.
    "👩‍👩‍👧‍👦", "🏳️‍🌈", "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}", "\u{FEFF}", "אב",
    // With a short prefix, the longest key that each store must accept.
    String(repeating: "long ", count: 198),
]

/// Whole numbers at which something may overflow or lose precision.
let edgeCaseNumbers: [Int64] = [
    .min, .min + 1, -9_007_199_254_740_993, -4_294_967_297, -256, -1, 0, 1, 127, 128, 255, 256, 65_536,
    4_294_967_295, 4_294_967_296, 9_007_199_254_740_992, 9_007_199_254_740_993, .max - 1, .max,
]

/// All edge cases in ascending order.
let edgeCaseValues: [EntryValue] = (edgeCaseNumbers.map(EntryValue.number) + edgeCaseTexts.map(EntryValue.text)).sorted
{
    $0.precedes($1)
}
