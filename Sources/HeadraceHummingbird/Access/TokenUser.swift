// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
public import HeadraceCore
import HeadraceInspector

/// A user of a server with a secret token.
///
/// ```swift
/// let users = try TokenUser.users(in: String(contentsOfFile: "tokens", encoding: .utf8))
/// ```
///
/// A description of a user never contains the token.
public struct TokenUser: Principal {
    private static var fewestBits: Double { 128 }
    private static var longestToken: Int { 512 }
    private static var longestName: Int { 64 }

    /// The name, which is the ID of the principal.
    public let name: String

    let token: AccessToken

    /// The session of the browser; `nil` for a request with a token.
    var session: TokenSession?

    /// The ``name``.
    public var principalID: String { name }

    /// Creates a user.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 letters and digits of ASCII, and `.`, `_`, `-`, `@`.
    ///   - token: At most 512 visible characters of ASCII, without commas. A token needs 128 random bits, for example
    ///     32 hexadecimal digits or 22 letters and digits. Use ``makeToken()``.
    /// - Throws: ``TokenUserError`` if the name or the token has another form.
    public init(_ name: String, token: String) throws {
        let isName = name.utf8.allSatisfy { Self.isLetterOrDigit($0) || ".-_@".utf8.contains($0) }
        guard isName, (1...Self.longestName).contains(name.utf8.count) else { throw TokenUserError.name }
        let isPlain = token.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ",") }
        guard isPlain, token.utf8.count <= Self.longestToken else {
            throw TokenUserError.token(of: name, isPlain ? token.utf8.count : nil)
        }
        if Self.mostBits(of: token) < Self.fewestBits { throw TokenUserError.guessableToken(of: name) }
        self.name = name
        self.token = AccessToken(token)
    }

    /// Returns a new token of 128 random bits.
    public static func makeToken() -> String { AccessToken().text }

    /// Reads users from a text such as the content of a file.
    ///
    /// Each entry is `name:token`. Entries are separated by line breaks or commas. Empty entries and lines that begin with `#` are
    /// ignored. A user may have several tokens, so that a token can be replaced without an interruption.
    ///
    /// - Parameter text: The entries.
    /// - Returns: The users in the order of the entries.
    /// - Throws: ``TokenUserError`` if an entry is malformed, or if a token occurs twice.
    public static func users(in text: String) throws -> [TokenUser] {
        var users: [TokenUser] = []
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            for entry in line.split(separator: ",") {
                let entry = entry.trimmingPrefix(while: \.isWhitespace)
                guard let end = entry.lastIndex(where: { !$0.isWhitespace }) else { continue }
                let parts = entry[...end].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2 else { throw TokenUserError.entry(users.count + 1) }
                let user = try TokenUser(String(parts[0]), token: String(parts[1]))
                if users.contains(where: { $0.token.matches(user.token.text) }) {
                    throw TokenUserError.duplicate(of: user.name)
                }
                users.append(user)
            }
        }
        return users
    }

    /// Returns the number of random bits that a token of this form has at most.
    private static func mostBits(of token: String) -> Double {
        let bytes = token.utf8
        // Random tokens of sufficient length have more different characters.
        if Set(bytes).count < 8 { return 0 }
        let isDecimal = bytes.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let isHexadecimal = bytes.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
        let isAlphanumeric = bytes.allSatisfy { isLetterOrDigit($0) || "-_+/=".utf8.contains($0) }
        return Double(bytes.count) * (isDecimal ? 3.3 : isHexadecimal ? 4 : isAlphanumeric ? 5.9 : 6.5)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

extension TokenUser: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The ``name``.
    public var description: String { name }

    /// The ``name``.
    public var debugDescription: String { name }

    /// A mirror without the token.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
#endif
