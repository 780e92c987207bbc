//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// How types are written in messages and drawings.
enum TypeNames {
    /// The name of the type without its module.
    static func short(_ type: Any.Type) -> String { String(describing: type).withoutTypeAddresses }

    /// The name of the type with its module.
    static func full(_ type: Any.Type) -> String { String(naming: type) }
}
