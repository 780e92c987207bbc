//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

extension String {
    /// The text in Unicode's normalization form C, the only form in which the books store names.
    ///
    /// Texts that Swift calls equal may differ in their bytes. In this form they have the same bytes, so an index finds
    /// one by the other.
    public var composed: String {
        isComposedForCertain ? self : precomposedStringWithCanonicalMapping
    }

    /// Whether the text is ``composed`` already.
    public var isComposed: Bool {
        isComposedForCertain || utf8.elementsEqual(precomposedStringWithCanonicalMapping.utf8)
    }

    /// Whether all scalars are below U+0300: none of these is a combining mark, and each is its own composition.
    private var isComposedForCertain: Bool { utf8.allSatisfy { $0 < 0xCC } }
}
