//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A note about a message that a registered object handles.
package protocol MessageNote: RegistrationNote {
    /// The type of the message.
    var message: Any.Type { get }
}
