// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
public import HeadraceCore

/// An error that is thrown if the name or the token of a ``TokenUser`` is malformed.
///
/// Its message contains no token.
public struct TokenUserError: CodedError {
    /// The reason, stable enough to branch on.
    public typealias Code = ErrorCode<TokenUserError>

    /// The reason.
    public let code: Code

    /// The cause and the remedy, one sentence each.
    public let message: String

    static func entry(_ number: Int) -> TokenUserError {
        TokenUserError(
            code: .invalidEntry,
            message: "Entry \(number) of the users has no ':'. To fix, write each user as 'name:token'."
        )
    }

    static let name = TokenUserError(
        code: .invalidName,
        message: """
            The name of a user is malformed. To fix, use 1 to 64 of the characters a-z, A-Z, 0-9, '.', '_', '-', and '@'.
            """
    )

    /// `length` is `nil` if the token has invalid characters.
    static func token(of name: String, _ length: Int?) -> TokenUserError {
        let reason = length.map { "has \($0) characters" } ?? "has a space, a comma, or a character that isn't ASCII"
        return TokenUserError(
            code: .invalidToken,
            message: "The token of '\(name)' \(reason). To fix, use at most 512 visible characters."
        )
    }

    static func guessableToken(of name: String) -> TokenUserError {
        TokenUserError(
            code: .invalidToken,
            message: """
                The token of '\(name)' can be guessed: it has less than 128 random bits. To fix, use a random token of 32 \
                hexadecimal digits, such as 'openssl rand -hex 16' prints, or of 22 letters and digits.
                """
        )
    }

    static func duplicate(of name: String) -> TokenUserError {
        TokenUserError(
            code: .duplicateToken,
            message: "The token of '\(name)' occurs twice. To fix, give each user another token."
        )
    }
}

extension ErrorCode<TokenUserError> {
    /// An entry isn't `name:token`.
    public static var invalidEntry: Self { Self() }

    /// A name is too long, or has other characters than those that are allowed.
    public static var invalidName: Self { Self() }

    /// A token is too long, can be guessed, or has other characters than those that are allowed.
    public static var invalidToken: Self { Self() }

    /// Two entries have the same token.
    public static var duplicateToken: Self { Self() }
}
#endif
