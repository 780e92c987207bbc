//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

extension String {
    /// The name of `type` without its module, for messages and drawings.
    ///
    /// For the name with the module see `String(naming:)` in HeadraceCore.
    init(shortNaming type: Any.Type) {
        self = String(describing: type).withoutTypeAddresses
    }
}
