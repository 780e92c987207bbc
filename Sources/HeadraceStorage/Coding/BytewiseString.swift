//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Text that is equal to another one only where its UTF-8 bytes are, and is ordered by them, as databases do it.
///
/// Texts that are equal in the sense of Unicode may differ in their bytes: "é" is one scalar or two.
package struct BytewiseString: Hashable, Comparable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (one: BytewiseString, other: BytewiseString) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
    }

    package static func < (one: BytewiseString, other: BytewiseString) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        // Equal bytes are equal text, so the hash of the text serves.
        hasher.combine(text)
    }
}
