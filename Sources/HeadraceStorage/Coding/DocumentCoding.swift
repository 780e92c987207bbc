//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import Foundation
import HeadraceCore

/// Encodes entities and events as JSON and decodes them: equal states have equal bytes.
package enum DocumentCoding {
    /// Encodes `value`, with its sets and dictionaries in an order that depends on their elements only.
    package static func encode(_ value: some Encodable) throws -> Data {
        try CanonicalJSON.encode(value)
    }

    private static let decoder = JSONDecoder()

    package static func decode<Value: Decodable>(_ type: Value.Type, from json: Data) throws -> Value {
        try decoder.decode(type, from: json)
    }
}
