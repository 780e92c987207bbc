// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

extension String {
    /// The name of `type` without its module, for messages and drawings.
    ///
    /// For the name with the module see `String(naming:)` in HeadraceCore.
    init(shortNaming type: Any.Type) {
        self = String(describing: type).withoutTypeAddresses
    }
}
