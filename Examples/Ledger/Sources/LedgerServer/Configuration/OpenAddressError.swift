// SPDX-License-Identifier: Apache-2.0

#if Server
public import Headrace

/// An error that is thrown if other machines could use a ledger without a token.
public struct OpenAddressError: CodedError {
    /// The address.
    public let host: String

    /// The only code: `openAddress`.
    public var code: String { "openAddress" }

    /// The cause and the remedy, one sentence each.
    public var message: String {
        "Other machines can reach the address '\(host)', but the server has no users, so everyone could read and change the "
            + "ledger. To fix, run 'ledger token NAME >> ledger.tokens' and add '--token-file ledger.tokens', or set LEDGER_SERVE_TOKENS, "
            + "or use the address 127.0.0.1."
    }
}
#endif
