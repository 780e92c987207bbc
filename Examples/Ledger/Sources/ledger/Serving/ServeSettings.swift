// SPDX-License-Identifier: Apache-2.0

#if Server
import Configuration
import Foundation
import Headrace
import HeadraceHummingbird
import LedgerApplication
import LedgerServer
import Logging
import Synchronization

/// The settings of `ledger serve`.
///
/// A flag has precedence over an environment variable, which has precedence over the configuration file, which has precedence over
/// the default. An unknown setting or an invalid value of any source is an error.
struct ServeSettings {
    /// The configuration of the server.
    let server: LedgerServerConfiguration

    /// Whether the inspector is served.
    let isInspected: Bool

    /// The folder for the history of the inspector; `nil` for a history in memory only.
    let inspectorHistory: String?

    /// The minimum level of log entries.
    let logLevel: Logger.Level

    /// Reads all settings.
    ///
    /// - Parameters:
    ///   - flags: The settings from the command line.
    ///   - environment: The environment variables of the process.
    ///   - path: The path of the configuration file; `nil` for none.
    /// - Throws: ``SettingError``, also if the settings of the users contain no user; ``CommandFailure`` if a file can't be read;
    ///   `TokenUserError`.
    init(flags: [Setting: ConfigContent], environment: [String: String], file path: String?) throws {
        var variables = environment.filter { $0.key.hasPrefix(Setting.prefix) && !$0.value.isEmpty }
        let known = Set(Setting.allCases.map(\.variable) + [Setting.fileVariable])
        let unknown = variables.keys.filter { !known.contains($0) }.sorted()
        if !unknown.isEmpty { throw SettingError.unknown(unknown, in: .environment) }
        let database = Setting.prefix + "DATABASE"
        variables[database] = environment[Setting.database.variable].flatMap { $0.isEmpty ? nil : $0 }

        var sources = [SettingSource.flags, .environment]
        var providers: [any ConfigProvider] = [
            Self.provider(named: "flags", Dictionary(uniqueKeysWithValues: flags.map { ($0.rawValue, $1) })),
            EnvironmentVariablesProvider(
                environmentVariables: variables,
                secretsSpecifier: .specific([Setting.tokens.variable, database])
            )
            .prefixKeys(with: "ledger.serve"),
        ]
        if let path {
            sources.append(.file(path))
            providers.append(Self.provider(named: "file", try Self.file(at: path)))
        }
        let failures = Failures()
        let reader = ConfigReader(providers: providers, accessReporter: failures)
        var server = LedgerServerConfiguration(
            database: LedgerDatabase(reader.string(forKey: Setting.database.key, default: "ledger.sqlite")))
        server.host = reader.string(forKey: Setting.host.key, default: server.host)
        server.port = reader.int(forKey: Setting.port.key, as: Port.self)?.configInt ?? server.port
        server.allowedHosts = reader.stringArray(forKey: Setting.allowHost.key, default: [])
        server.webhook = reader.string(forKey: Setting.webhook.key, as: WebAddress.self)?.url
        server.inspectorAllowsWrites = reader.bool(forKey: Setting.inspectWrites.key, default: false)
        server.limits = Self.limits(reader)
        inspectorHistory = reader.string(forKey: Setting.inspectHistory.key)
        isInspected =
            reader.bool(forKey: Setting.inspect.key) ?? (server.inspectorAllowsWrites || inspectorHistory != nil)
        logLevel = reader.string(forKey: Setting.logLevel.key, as: Logger.Level.self, default: .info)
        let tokens = reader.string(forKey: Setting.tokens.key, isSecret: true)
        let tokenFile = reader.string(forKey: Setting.tokenFile.key)
        try failures.check(sources)
        if let tokenFile { try Self.requirePrivate(tokenFile) }
        let texts = [try tokenFile.map(Self.text), tokens].compactMap { $0 }
        server.users = try TokenUser.users(in: texts.joined(separator: "\n"))
        // An empty variable is unset elsewhere. Here, that would let every client in.
        let asksForUsers = [Setting.tokens, .tokenFile].contains { environment[$0.variable] != nil } || !texts.isEmpty
        if asksForUsers, server.users.isEmpty { throw SettingError.noUsers }
        self.server = server
    }

    private static func limits(_ reader: ConfigReader) -> LedgerServerLimits {
        var limits = LedgerServerLimits()
        let members: [(Setting, WritableKeyPath<LedgerServerLimits, Int>)] = [
            (.connections, \.connections), (.eventStreams, \.eventStreams), (.bodyBytes, \.bodyBytes),
            (.journalBytes, \.journalBytes), (.uploads, \.uploads), (.openImports, \.openImports),
        ]
        for (setting, member) in members {
            if let count = reader.int(forKey: setting.key, as: Count.self) { limits[keyPath: member] = count.configInt }
        }
        return limits
    }

    private static func provider(named name: String, _ values: [String: ConfigContent]) -> InMemoryProvider {
        InMemoryProvider(
            name: name,
            values: Dictionary(
                uniqueKeysWithValues: values.map { name, value in
                    (AbsoluteConfigKey(ConfigKey(name)), ConfigValue(value, isSecret: false))
                }
            )
        )
    }

    private static func file(at path: String) throws -> [String: ConfigContent] {
        let data = try CommandFailure.bytes(at: path)
        guard let file = try? JSONDecoder().decode(ConfigurationFile.self, from: data) else {
            throw SettingError.malformed(path)
        }
        let unknown = Set(file.values.keys).subtracting(Setting.inFile.map(\.rawValue))
        if !unknown.isEmpty { throw SettingError.unknown(unknown.sorted(), in: .file(path)) }
        return file.values
    }

    private static func text(of path: String) throws -> String {
        String(decoding: try CommandFailure.bytes(at: path), as: UTF8.self)
    }

    /// Requires that only this user can read a file with tokens.
    ///
    /// A pipe is private, and so are the secrets that a runtime of containers mounts below `/run/secrets`.
    private static func requirePrivate(_ path: String) throws {
        if CommandFailure.isDescriptor(path) { return }
        let file = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        if file.hasPrefix("/run/secrets/") { return }
        let attributes = try? FileManager.default.attributesOfItem(atPath: file)
        guard let attributes, attributes[.type] as? FileAttributeType == .typeRegular else { return }
        let permissions = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
        if permissions & 0o077 != 0 { throw SettingError.readable(path) }
    }
}

extension Setting {
    fileprivate var key: ConfigKey { ConfigKey(rawValue) }
}

/// Collects the settings whose values are invalid, with the positions of their sources.
private final class Failures: AccessReporter {
    private let found = Mutex<[(setting: Setting, source: Int)]>([])

    func report(_ event: AccessEvent) {
        // The reader asks the sources in order, up to the first with a value or an error.
        var hasFailed = event.conversionError != nil
        if case .failure = event.providerResults.last?.result { hasFailed = true }
        guard hasFailed, let setting = Setting(rawValue: event.metadata.key.description) else { return }
        found.withLock { $0.append((setting, event.providerResults.count - 1)) }
    }

    /// Throws if a setting was invalid.
    func check(_ sources: [SettingSource]) throws {
        if let first = found.withLock(\.first) { throw SettingError.invalid(first.setting, in: sources[first.source]) }
    }
}

// MARK: Values

private struct Port: ExpressibleByConfigInt {
    let configInt: Int

    init?(configInt: Int) {
        guard UInt16(exactly: configInt) != nil else { return nil }
        self.configInt = configInt
    }

    var description: String { "\(configInt)" }
}

private struct Count: ExpressibleByConfigInt {
    let configInt: Int

    init?(configInt: Int) {
        guard configInt >= 1 else { return nil }
        self.configInt = configInt
    }

    var description: String { "\(configInt)" }
}

private struct WebAddress: ExpressibleByConfigString {
    let url: URL

    init?(configString: String) {
        guard let url = URL(string: configString), ["http", "https"].contains(url.scheme), url.host() != nil else {
            return nil
        }
        self.url = url
    }

    var description: String { "\(url)" }
}

/// The values of a JSON file, by their paths such as `limits.connections`.
private struct ConfigurationFile: Decodable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    var values: [String: ConfigContent] = [:]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        for name in container.allKeys {
            if let nested = try? container.decode(ConfigurationFile.self, forKey: name) {
                for (path, value) in nested.values { values["\(name.stringValue).\(path)"] = value }
            } else if let value = try? container.decode(Bool.self, forKey: name) {
                values[name.stringValue] = .bool(value)
            } else if let value = try? container.decode(Int.self, forKey: name) {
                values[name.stringValue] = .int(value)
            } else if let value = try? container.decode([String].self, forKey: name) {
                values[name.stringValue] = .stringArray(value)
            } else {
                values[name.stringValue] = .string(try container.decode(String.self, forKey: name))
            }
        }
    }
}
#endif
