// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A value in a row of a store.
package enum StoreValue: Sendable, Hashable {
    /// A number, or NULL.
    case integer(Int64?)

    /// A Boolean.
    case flag(Bool)

    /// The UTF-8 of a key, a name, or a message for people, which can have any characters; or NULL.
    case name([UInt8]?)

    /// The UTF-8 of a document, byte for byte, or NULL.
    case text([UInt8]?)

    /// A UUID.
    case id(UUID)
}
