// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStorage

/// The position at which a page of entities ends and the next page begins.
///
/// The cursor is text that a client may keep and send back. It contains the key of the page's last entity and its value
/// in the order, so don't show it to a user who may not see these. It stays valid when entities are inserted, changed,
/// or deleted.
public struct PageCursor: Hashable, Sendable {
    private struct Content: Hashable, Codable {
        var kind: String
        var index: String?
        var isDescending: Bool
        var number: Int64?
        var text: String?
        var key: String
    }

    private let content: Content

    init<Entity: StoredEntity>(after entity: FetchedEntity<Entity>, order: EntityOrder<Entity>?) {
        content = Content(
            kind: Entity.entityName,
            index: order?.index.name,
            isDescending: order?.isDescending ?? false,
            number: entity.place.value?.number,
            text: entity.place.value?.text,
            key: entity.place.key
        )
    }

    /// Returns the place in a query of `type` with this order.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `foreignCursor` if the cursor belongs to another query.
    func place<Entity: StoredEntity>(
        in type: Entity.Type,
        order: EntityOrder<Entity>?
    ) throws -> DocumentQuery.Place {
        let value = content.number.map { IndexValue.integer($0) } ?? content.text.map { .text($0) }
        guard content.kind == Entity.entityName, content.index == order?.index.name,
            content.isDescending == order?.isDescending ?? false, (value == nil) == (order == nil)
        else { throw StoreError.foreignCursor(self, of: Entity.entityName) }
        return DocumentQuery.Place(value: value, key: content.key)
    }
}

extension PageCursor: LosslessStringConvertible, Codable {
    /// Parses the text of ``description``, or returns `nil` if the text is not a cursor.
    public init?(_ description: String) {
        let base64 = description.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let json = Data(base64Encoded: base64 + padding),
            let content = try? DocumentCoding.decode(Content.self, from: json)
        else { return nil }
        self.content = content
    }

    /// The cursor as text of letters, digits, `-`, and `_` (base64url of RFC 4648).
    public var description: String {
        // Text and numbers can always be encoded.
        let json = (try? DocumentCoding.encode(content)) ?? Data()
        return json.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Decodes the text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let cursor = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "The text is not a page cursor.")
        }
        self = cursor
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension IndexValue {
    fileprivate var number: Int64? { if case .integer(let number) = self { number } else { nil } }
    fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }
}
