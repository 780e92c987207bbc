// SPDX-License-Identifier: Apache-2.0

import Foundation

extension String {
    /// The text in Unicode normalization form C.
    ///
    /// The ledger stores names only in this form.
    ///
    /// Texts that are equal in Swift can have different bytes. In this form, equal texts have equal bytes, so an index
    /// finds them.
    public var composed: String {
        isComposedForCertain ? self : precomposedStringWithCanonicalMapping
    }

    /// Whether the text is already ``composed``.
    public var isComposed: Bool {
        isComposedForCertain || utf8.elementsEqual(precomposedStringWithCanonicalMapping.utf8)
    }

    /// Whether all scalars are below U+0300.
    ///
    /// These scalars are no combining marks and are composed.
    private var isComposedForCertain: Bool { utf8.allSatisfy { $0 < 0xCC } }
}
