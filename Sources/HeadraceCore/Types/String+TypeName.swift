// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Creates the name of `type`, with its module and without the addresses that Swift prints for private and local
    /// types.
    ///
    /// Such addresses differ from run to run.
    package init(naming type: Any.Type) {
        self = String(reflecting: type).withoutTypeAddresses
    }

    /// The text without the addresses of private contexts: `Module.(unknown context at $7f9a1c).Name`.
    package var withoutTypeAddresses: String {
        guard utf8.contains(UInt8(ascii: "$")) else { return self }
        return replacing(/\(unknown context at [^)]*\)\.?/, with: "")
    }
}
