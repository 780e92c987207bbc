// SPDX-License-Identifier: Apache-2.0

/// A string that is compared and ordered by its UTF-8 bytes, as databases do.
///
/// Strings that are canonically equivalent in Unicode can differ in their bytes: "é" is one scalar or two.
package struct BytewiseString: Hashable, Comparable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (one: BytewiseString, other: BytewiseString) -> Bool {
        one.text.hasSameBytes(as: other.text)
    }

    package static func < (one: BytewiseString, other: BytewiseString) -> Bool {
        one.compare(other) < 0
    }

    package func hash(into hasher: inout Hasher) {
        // Equal bytes imply equal strings, so the hash of the string is valid.
        hasher.combine(text)
    }
}
