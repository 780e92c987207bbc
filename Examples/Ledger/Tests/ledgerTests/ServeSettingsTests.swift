// SPDX-License-Identifier: Apache-2.0

#if Server
import Configuration
import Foundation
import Headrace
import HeadraceHummingbird
import LedgerApplication
import LedgerServer
import Logging
import Testing

@testable import ledger

/// The settings of `ledger serve`.
@Suite(.timeLimit(.minutes(2))) struct ServeSettingsTests {
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID())")

        init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(at: url) }

        func write(_ text: String, to name: String = "ledger.json") throws -> String {
            let file = url.appending(path: name)
            try Data(text.utf8).write(to: file)
            let path = file.path(percentEncoded: false)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            return path
        }
    }

    private static func settings(
        _ flags: [Setting: ConfigContent] = [:],
        _ environment: [String: String] = [:],
        file: String? = nil
    ) throws -> ServeSettings {
        try ServeSettings(flags: flags, environment: environment, file: file)
    }

    private static func error(
        _ environment: [String: String] = [:],
        file: String? = nil
    ) throws -> SettingError {
        try #require(throws: SettingError.self) { try settings([:], environment, file: file) }
    }

    @Test func withoutSettingsTheDefaultsApply() throws {
        let settings = try Self.settings([:], ["PATH": "/bin", "LEDGER_SERVE_HOST": ""])

        #expect(settings.server.host == "127.0.0.1")
        #expect(settings.server.port == 8080)
        #expect(settings.server.database.path == "ledger.sqlite")
        #expect(settings.server.users.isEmpty)
        #expect(!settings.isInspected)
        #expect(settings.logLevel == .info)
    }

    @Test func aFlagWinsOverTheEnvironmentWhichWinsOverTheFile() throws {
        let folder = try Folder()
        let file = try folder.write(#"{"host": "file.example", "port": 1, "log-level": "error", "inspect": true}"#)

        let settings = try Self.settings(
            [.port: .int(3), .inspect: .bool(false)],
            ["LEDGER_SERVE_PORT": "2", "LEDGER_SERVE_HOST": "environment.example", "LEDGER_SERVE_INSPECT": "true"],
            file: file
        )

        #expect(settings.server.port == 3)
        #expect(settings.server.host == "environment.example")
        #expect(settings.logLevel == .error)
        #expect(!settings.isInspected)
    }

    @Test func eachSettingIsReadFromTheFileAndFromTheEnvironment() throws {
        let folder = try Folder()
        let tokens = try folder.write("# users\nada:token-of-ada-0001-of-tests\n", to: "tokens")
        let file = try folder.write(
            """
            {
              "database": "a.sqlite", "host": "h", "port": 1, "allow-host": ["a", "b"], "webhook": "https://w.example/x",
              "token-file": "\(tokens)", "inspect": true, "inspect-writes": true, "inspect-history": "i", "log-level": "debug",
              "limits": {
                "connections": 11, "event-streams": 12, "body-bytes": 13, "journal-bytes": 14, "uploads": 15,
                "open-imports": 16
              }
            }
            """)
        let environment = [
            "LEDGER_DATABASE": "a.sqlite", "LEDGER_SERVE_HOST": "h", "LEDGER_SERVE_PORT": "1",
            "LEDGER_SERVE_ALLOW_HOST": "a,b",
            "LEDGER_SERVE_WEBHOOK": "https://w.example/x", "LEDGER_SERVE_TOKENS": "ada:token-of-ada-0001-of-tests",
            "LEDGER_SERVE_INSPECT": "true",
            "LEDGER_SERVE_INSPECT_WRITES": "true", "LEDGER_SERVE_INSPECT_HISTORY": "i",
            "LEDGER_SERVE_LOG_LEVEL": "debug",
            "LEDGER_SERVE_LIMITS_CONNECTIONS": "11",
            "LEDGER_SERVE_LIMITS_EVENT_STREAMS": "12", "LEDGER_SERVE_LIMITS_BODY_BYTES": "13",
            "LEDGER_SERVE_LIMITS_JOURNAL_BYTES": "14",
            "LEDGER_SERVE_LIMITS_UPLOADS": "15", "LEDGER_SERVE_LIMITS_OPEN_IMPORTS": "16",
        ]

        for settings in [try Self.settings(file: file), try Self.settings([:], environment)] {
            let server = settings.server
            #expect(server.database.path == "a.sqlite")
            #expect(server.host == "h")
            #expect(server.port == 1)
            #expect(server.allowedHosts == ["a", "b"])
            #expect(server.webhook == URL(string: "https://w.example/x"))
            #expect(server.users.map(\.name) == ["ada"])
            #expect(server.inspectorAllowsWrites)
            #expect(settings.isInspected)
            #expect(settings.inspectorHistory == "i")
            #expect(settings.logLevel == .debug)
            let limits = server.limits
            let first: [Int] = [limits.connections, limits.eventStreams, limits.bodyBytes]
            #expect(first == [11, 12, 13])
            let second: [Int] = [limits.journalBytes, limits.uploads, limits.openImports]
            #expect(second == [14, 15, 16])
        }
    }

    /// hledger reads the first, and Kubernetes sets the others for a service with the name `ledger`.
    @Test func variablesOfOtherProgramsAreIgnored() throws {
        let settings = try Self.settings(
            [:],
            [
                "LEDGER_FILE": "2026.journal", "LEDGER_PORT": "tcp://10.0.0.1:8080", "LEDGER_SERVICE_HOST": "10.0.0.1",
            ]
        )

        #expect(settings.server.port == 8080)
        #expect(settings.server.host == "127.0.0.1")
    }

    @Test func theUsersOfTheFileAndOfTheEnvironmentAddUp() throws {
        let folder = try Folder()
        let tokens = try folder.write("ada:token-of-ada-0001-of-tests", to: "tokens")

        let settings = try Self.settings(
            [.tokenFile: .string(tokens)],
            ["LEDGER_SERVE_TOKENS": "grace:token-of-grace-1-of-tests,alan:token-of-alan-01-of-tests"])

        #expect(settings.server.users.map(\.name) == ["ada", "grace", "alan"])
    }

    @Test func aFileWithTokensThatOthersCanReadIsRefused() throws {
        let folder = try Folder()
        let tokens = try folder.write("ada:token-of-ada-0001-of-tests", to: "tokens")
        for permissions in [0o640, 0o604, 0o644] {
            try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: tokens)

            let error = try #require(throws: SettingError.self) { try Self.settings([.tokenFile: .string(tokens)]) }

            #expect(error.code == .readableTokens)
            #expect(error.message.contains("chmod 600"))
        }
    }

    /// Otherwise, a failed command 'ledger token ada > tokens' would open the ledger to every client of a proxy.
    @Test(arguments: ["", "\n", "# nobody yet\n"])
    func usersThatWereAskedForMustExist(text: String) throws {
        let folder = try Folder()
        let tokens = try folder.write(text, to: "tokens")
        let file = try folder.write(#"{"token-file": "\#(tokens)"}"#)
        let one = "ada:token-of-ada-0001-of-tests"

        let errors = [
            try #require(throws: SettingError.self) { try Self.settings([.tokenFile: .string(tokens)]) },
            try Self.error(["LEDGER_SERVE_TOKEN_FILE": tokens]), try Self.error(file: file),
            try Self.error(["LEDGER_SERVE_TOKENS": text]), try Self.error(["LEDGER_SERVE_TOKEN_FILE": ""]),
        ]
        let added = try Self.settings([:], ["LEDGER_SERVE_TOKENS": one], file: file)
        let emptied = try Self.settings([:], ["LEDGER_SERVE_TOKENS": one, "LEDGER_SERVE_TOKEN_FILE": ""])

        for error in errors {
            #expect(error.message.contains("no user"))
            #expect(error.message.contains("To fix, add a user with 'ledger token NAME"))
        }
        #expect(added.server.users.map(\.name) == ["ada"])
        #expect(emptied.server.users.map(\.name) == ["ada"])
    }

    @Test func theFlagAgainstTheInspectorWinsOverItsWritesInTheFile() throws {
        let folder = try Folder()
        let file = try folder.write(#"{"inspect-writes": true}"#)

        #expect(try Self.settings(file: file).isInspected)
        #expect(try !Self.settings([.inspect: .bool(false)], file: file).isInspected)
        #expect(try !Self.settings([:], ["LEDGER_SERVE_INSPECT": "false"], file: file).isInspected)
    }

    @Test func anUnknownSettingIsRefusedWithTheKnownOnes() throws {
        let folder = try Folder()
        let file = try folder.write(#"{"hosts": "x", "limits": {"connection": 1}}"#)

        let inFile = try Self.error(file: file)
        #expect(inFile.code == .unknown)
        #expect(inFile.message.contains("'hosts', 'limits.connection'"))
        #expect(inFile.message.contains("allow-host"))
        // A file with secrets is more than a configuration file.
        #expect(try Self.error(file: try folder.write(#"{"tokens": "a:b"}"#)).code == .unknown)

        let inEnvironment = try Self.error(["LEDGER_SERVE_TOKENFILE": "x"])
        #expect(inEnvironment.code == .unknown)
        #expect(inEnvironment.message.contains("'LEDGER_SERVE_TOKENFILE'"))
        #expect(inEnvironment.message.contains("LEDGER_SERVE_TOKEN_FILE"))
    }

    @Test(
        arguments: [
            #"{"port": 65536}"#, #"{"port": -1}"#, #"{"port": "80"}"#, #"{"port": true}"#, #"{"port": 1.5}"#,
            #"{"host": 1}"#, #"{"allow-host": "a"}"#, #"{"webhook": "ftp://x"}"#, #"{"webhook": "x"}"#,
            #"{"inspect": "yes"}"#, #"{"inspect": 1}"#, #"{"log-level": "loud"}"#, #"{"limits": {"uploads": 0}}"#,
            #"{"limits": 1}"#,
        ])
    func aBadValueOfTheFileIsRefused(json: String) throws {
        let folder = try Folder()
        let file = try folder.write(json)

        let error = try Self.error(file: file)

        #expect(error.message.contains(file), "\(error.message)")
        #expect(error.message.contains("To fix, "))
    }

    @Test(
        arguments: [
            ("LEDGER_SERVE_PORT", "tcp://10.0.0.1:8080"), ("LEDGER_SERVE_PORT", "65536"),
            ("LEDGER_SERVE_INSPECT", "perhaps"),
            ("LEDGER_SERVE_LIMITS_UPLOADS", "0"), ("LEDGER_SERVE_WEBHOOK", "nonsense"),
        ])
    func aBadValueOfTheEnvironmentIsRefused(variable: String, value: String) throws {
        let error = try Self.error([variable: value])

        #expect(error.code == .invalid)
        #expect(error.message.contains("'\(variable)'"))
        #expect(!error.message.contains(value))
    }

    @Test(arguments: ["", "[]", "{", "null", #"{"port": null}"#, #"{"port": [1]}"#, #"{"port": 1} x"#])
    func aFileThatIsNoConfigurationIsRefused(text: String) throws {
        let folder = try Folder()
        let file = try folder.write(text)

        #expect(try Self.error(file: file).code == .malformedFile)
    }

    @Test func theServerOfTheFileOnAnyAddressRefusesClientsWithoutToken() async throws {
        let ledger = try LedgerProcess()
        let open = try ledger.run("serve", "--host", "0.0.0.0", "--port", "0")
        #expect(open.status == 1)
        #expect(open.errors.contains("To fix, "))
        #expect(open.errors.contains("--token-file"))

        let line = try ledger.run("token", "ada").output
        #expect(line.hasPrefix("ada:"))
        try ledger.write(line, to: "tokens")
        try ledger.write(#"{"host": "0.0.0.0", "port": 0, "token-file": "tokens"}"#, to: "ledger.json")
        let (process, output) = try ledger.start("serve", "--config", "ledger.json")
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        let address = try ServeTests.address(in: output, after: "The ledger is served at ")
            .replacing("0.0.0.0", with: "127.0.0.1")

        let token = try #require(line.split(separator: ":").last).trimmingCharacters(in: .newlines)
        #expect(try await ServeTests.get(address + "/api/balances").status == 401)
        #expect(try await ServeTests.get(address + "/api/balances", token: "wrong-token-0001").status == 401)
        #expect(try await ServeTests.get(address + "/api/balances", token: token).status == 200)
    }

    @Test func aFileThatIsMissingOrMalformedIsReported() throws {
        let ledger = try LedgerProcess()
        try ledger.write("ada:short", to: "tokens")

        let missing = try ledger.run("serve", "--config", "none.json")
        #expect(missing.status == 1)
        #expect(missing.errors.contains("'none.json' can't be read: there is no such file."))
        let short = try ledger.run("serve", "--token-file", "tokens")
        #expect(short.status == 1)
        #expect(short.errors.contains("The token of 'ada' can be guessed"))
        #expect(try ledger.run("serve", "--log-level", "loud").status == 64)
        #expect(try ledger.run("token", "a b").status == 1)
    }

    /// A shell opens a pipe for '<(…)'.
    @Test func theFilesCanBePipes() throws {
        let ledger = try LedgerProcess()
        let pipe = #"exec 9< <(echo '{"host": "0.0.0.0", "port": 0}')"#

        let open = try ledger.run(["serve", "--config", "/dev/fd/9"], after: pipe)
        let users = try ledger.run(["serve", "--token-file", "/dev/fd/9"], after: "exec 9< <(echo ada)")

        #expect(open.status == 1)
        #expect(open.errors.contains("the server has no users"))
        #expect(users.errors.contains("has no ':'"))
    }
}
#endif
