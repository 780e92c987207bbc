// SPDX-License-Identifier: Apache-2.0

#if Server
import HTTPTypes

extension HTTPField.Name {
    /// Returns the name of a field; `name` must be valid.
    static func named(_ name: String) -> HTTPField.Name {
        guard let known = HTTPField.Name(name) else {
            preconditionFailure("'\(name)' isn't a valid field name. To fix, correct it.")
        }
        return known
    }
}
#endif
