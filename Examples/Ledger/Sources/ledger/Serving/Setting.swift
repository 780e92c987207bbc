// SPDX-License-Identifier: Apache-2.0

import Headrace

/// A setting of `ledger serve`.
///
/// Its raw value is its name in a configuration file and, after `--`, on the command line. A point separates an object and its
/// member. The environment variable has the prefix `LEDGER_SERVE_`, uppercase letters, and underscores. Only the variable of
/// the database has another name, because all commands read it.
enum Setting: String, CaseIterable {
    case database
    case host
    case port
    case allowHost = "allow-host"
    case webhook
    case tokenFile = "token-file"
    case tokens
    case inspect
    case inspectWrites = "inspect-writes"
    case inspectHistory = "inspect-history"
    case logLevel = "log-level"
    case connections = "limits.connections"
    case eventStreams = "limits.event-streams"
    case bodyBytes = "limits.body-bytes"
    case journalBytes = "limits.journal-bytes"
    case uploads = "limits.uploads"
    case openImports = "limits.open-imports"

    /// The prefix of the environment variables.
    ///
    /// It isn't `LEDGER_` alone: hledger reads `LEDGER_FILE`, and Kubernetes sets `LEDGER_PORT` for a service named `ledger`. The pods of a
    /// service named `ledger-serve` need `enableServiceLinks: false`.
    static let prefix = "LEDGER_SERVE_"

    /// The environment variable with the path of the configuration file.
    static let fileVariable = prefix + "CONFIG"

    /// The settings of a configuration file, which has no secrets.
    static let inFile = allCases.filter { $0 != .tokens }

    /// The environment variable of the setting.
    var variable: String {
        if self == .database { return DatabaseOption.variable }
        return Self.prefix + rawValue.uppercased().replacing("-", with: "_").replacing(".", with: "_")
    }

    /// The form of a valid value.
    var requirement: String {
        switch self {
        case .database: "the path of a file or the URL of a PostgreSQL database"
        case .host: "an address of this machine"
        case .port: "a number from 0 to 65535"
        case .allowHost: "a list of host names"
        case .webhook: "an 'http' or 'https' URL"
        case .tokenFile: "the path of a file"
        case .tokens: "entries of the form 'name:token', separated by commas"
        case .inspect, .inspectWrites: "true or false"
        case .inspectHistory: "the path of a folder"
        case .logLevel: "trace, debug, info, notice, warning, error, or critical"
        case .connections, .eventStreams, .bodyBytes, .journalBytes, .uploads, .openImports: "a number of at least 1"
        }
    }
}

/// An error that is thrown if a setting of `ledger serve` is unknown or invalid, or if it should have users but has none.
struct SettingError: CodedError {
    enum Code { case unknown, invalid, malformedFile, noUsers, readableTokens }

    let code: Code
    let message: String

    static func unknown(_ names: [String], in source: SettingSource) -> SettingError {
        let known = source.settings.map { source.name(of: $0) }.joined(separator: ", ")
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        return SettingError(
            code: .unknown,
            message: "\(source) has no setting \(list). To fix, correct or remove it. The settings are \(known)."
        )
    }

    static func invalid(_ setting: Setting, in source: SettingSource) -> SettingError {
        SettingError(
            code: .invalid,
            message: "The value of '\(source.name(of: setting))' \(source.place) is invalid. To fix, use "
                + "\(setting.requirement)."
        )
    }

    /// The server would otherwise let every client in.
    static let noUsers = SettingError(
        code: .noUsers,
        message: """
            The token file or the variable '\(Setting.tokens.variable)' is set, but contains no user. To fix, add a user with \
            'ledger token NAME >> FILE', or remove '--\(Setting.tokenFile.rawValue)', '\(Setting.tokenFile.variable)', and \
            '\(Setting.tokens.variable)' to serve without users.
            """
    )

    static func readable(_ path: String) -> SettingError {
        SettingError(
            code: .readableTokens,
            message: "Other users of this machine can read the tokens in '\(path)'. To fix, run 'chmod 600 \(path)'."
        )
    }

    static func malformed(_ path: String) -> SettingError {
        SettingError(
            code: .malformedFile,
            message: """
                The configuration file '\(path)' isn't a JSON object with texts, whole numbers, Booleans, lists of texts, \
                and objects of them. To fix, correct it.
                """
        )
    }
}

/// A source of settings.
enum SettingSource: CustomStringConvertible {
    case flags
    case environment
    case file(String)

    /// The settings that the source can have.
    var settings: [Setting] {
        if case .file = self { Setting.inFile } else { Setting.allCases }
    }

    var description: String {
        switch self {
        case .flags: "The command line"
        case .environment: "The environment"
        case .file(let path): "The configuration file '\(path)'"
        }
    }

    var place: String {
        switch self {
        case .flags: "on the command line"
        case .environment: "in the environment"
        case .file(let path): "in the configuration file '\(path)'"
        }
    }

    func name(of setting: Setting) -> String {
        switch self {
        case .flags: "--\(setting.rawValue)"
        case .environment: setting.variable
        case .file: setting.rawValue
        }
    }
}
