// SPDX-License-Identifier: Apache-2.0

import Foundation
import LedgerTestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `ledger serve` and `ledger rule` as processes.
@Suite(.timeLimit(.minutes(5))) struct ServeTests {
    private static let journal = """
        2026-01-01 wages
            assets:cash    100.00 EUR
            income:wages

        """

    @Test func aSignalEndsTheServerGracefullyAndItServesConcurrentImports() async throws {
        let ledger = try LedgerProcess()
        try ledger.write(Self.journal, to: "a.journal")
        let (process, output) = try ledger.start("serve", "--port", "0")
        defer { if process.isRunning { process.terminate() } }
        let address = try Self.address(in: output, after: "The ledger is served at ")

        #expect(try await Self.get(address + "/api/balances").text.contains("assets:cash") == false)
        #expect(try ledger.run("import", "a.journal").output == "a.journal: 1 transaction posted\n")
        let balances = try await Self.get(address + "/api/balances")
        #expect(balances.status == 200)
        #expect(balances.text.contains("assets:cash"))
        #expect(try await Self.get(address + "/").text.contains("<!doctype html>"))

        process.terminate()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 0)
        #expect(try ledger.files() == ["a.journal"] + ledger.databaseFiles)
        #expect(try ledger.run("balance", "cash").output == "100.00 EUR  assets:cash\n")
    }

    @Test func theInspectorIsServedToClientsWithTheToken() async throws {
        let ledger = try LedgerProcess()
        let errors = Pipe()
        let (process, _) = try ledger.start("serve", "--port", "0", "--inspect", "--log-level", "error", errors: errors)
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        let address = try Self.address(in: errors.fileHandleForReading, after: "Its inspector is at ")

        let parts = address.components(separatedBy: "/inspector/?token=")
        try #require(parts.count == 2)
        let overview = parts[0] + "/inspector/api/overview"
        #expect(try await Self.get(overview).status == 401)
        #expect(try await Self.get(overview, token: parts[1]).status == 200)
        // It is on the server of the ledger.
        #expect(try await Self.get(parts[0] + "/api/balances").status == 200)
    }

    @Test func theInspectorShowsTheMessagesOfTheServerBeforeAndAHistoryInUseIsNoReasonToStop() async throws {
        let ledger = try LedgerProcess()
        let (first, output) = try ledger.start("serve", "--port", "0", "--inspect-history", "history")
        defer { first.terminate() }
        let server = try Self.address(in: output, after: "The ledger is served at ")
        _ = try await Self.get(server + "/api/balances")

        let (second, secondOutput) = try ledger.start(
            "serve", "--port", "0", "--inspect-history", "history", "--database", "other.sqlite")
        _ = try Self.address(in: secondOutput, after: "The ledger is served at ")
        second.terminate()
        second.waitUntilExit()
        #expect(second.terminationStatus == 0)
        first.terminate()
        first.waitUntilExit()

        let errors = Pipe()
        let (third, _) = try ledger.start(
            "serve", "--port", "0", "--inspect-history", "history", "--log-level", "error", errors: errors)
        defer {
            third.terminate()
            third.waitUntilExit()
        }
        let parts = try Self.address(in: errors.fileHandleForReading, after: "Its inspector is at ")
            .components(separatedBy: "/inspector/?token=")
        try #require(parts.count == 2)
        let messages = parts[0] + "/inspector/api/messages?kind=request"
        let shown = try await Self.get(messages, token: parts[1]).text
        #expect(shown.contains(#""isEarlier":true"#) && shown.contains("GET /api/balances"))
    }

    @Test func aPortInUseIsReportedWithARemedy() async throws {
        let ledger = try LedgerProcess()
        let (process, output) = try ledger.start("serve", "--port", "0")
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        let address = try Self.address(in: output, after: "The ledger is served at ")
        let port = try #require(address.split(separator: ":").last)

        let second = try ledger.run("serve", "--port", "\(port)", "--database", "other.sqlite")

        #expect(second.status == 1)
        #expect(second.errors.hasPrefix("Error: The ledger can't be served at 127.0.0.1:\(port): "))
        #expect(second.errors.contains("To fix, use another port"))
        #expect(try ledger.run("serve", "--webhook", "nonsense").status == 64)
        #expect(try ledger.run("serve", "--port", "70000").status == 64)
        #expect(try ledger.run("serve", "--host", "no.such.host.invalid", "--port", "0").status == 1)
    }

    @Test func aTransactionThatBreaksARuleIsRefusedUntilTheRuleIsRemoved() throws {
        let ledger = try LedgerProcess()
        try ledger.write(Self.journal, to: "a.journal")
        try ledger.write("2026-01-02 rent\n    expenses:rent  150.00 EUR\n    assets:cash\n", to: "b.journal")
        #expect(try ledger.run("import", "a.journal").status == 0)

        #expect(try ledger.run("rule", "assets:cash", "--never-below-zero").status == 0)
        let refused = try ledger.run("import", "b.journal")
        #expect(refused.status == 1)
        #expect(
            refused.errors.hasPrefix(
                "Error: The balance of 'assets:cash' would be -50.00 EUR, but its rule forbids a negative balance.")
        )
        #expect(try ledger.run("balance", "cash").output == "100.00 EUR  assets:cash\n")

        #expect(try ledger.run("rule", "assets:cash", "--remove").status == 0)
        #expect(try ledger.run("import", "b.journal").status == 0)
        #expect(try ledger.run("rule", "assets:cash", "--never-below-zero").status == 1)
        #expect(try ledger.run("rule", "assets:cash", "--closed-from", "2026-02-30").status == 64)
        let unknown = try ledger.run("rule", "assets:none", "--never-below-zero")
        #expect(unknown.status == 1)
        #expect(unknown.errors.contains("assets:none"))
    }

    @Test(.fileOnly(.file)) func anUploadToAFullDiskIsAnsweredWith507AndLeavesNothing() async throws {
        let ledger = try LedgerProcess()
        // The maximum file size of the process is one megabyte.
        let (process, output) = try ledger.start("serve", "--port", "0", after: "ulimit -f 1024")
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        let address = try Self.address(in: output, after: "The ledger is served at ")
        let large = String(repeating: "; a comment of a journal\n", count: 80_000)

        let refused = try await Self.post(large, as: "text/plain", to: address + "/api/imports?name=large.journal")
        #expect(refused.status == 507)
        #expect(refused.text.contains(#""code":"full""#))
        let imports = ledger.folder.appending(path: "ledger.sqlite-imports").path(percentEncoded: false)
        #expect(try FileManager.default.contentsOfDirectory(atPath: imports) == [])

        let small = try await Self.post(Self.journal, as: "text/plain", to: address + "/api/imports?name=small.journal")
        #expect(small.status == 202)
    }

    @Test(.fileOnly(.file)) func nothingIsAcknowledgedOnceTheDatabaseIsRemoved() async throws {
        let ledger = try LedgerProcess()
        let (process, output) = try ledger.start("serve", "--port", "0")
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        let address = try Self.address(in: output, after: "The ledger is served at ")
        let path = address + "/api/transactions"
        let transaction = """
            {"date":"2026-01-01","description":"x","postings":[{"account":"a","amount":"1 EUR"},{"account":"b"}]}
            """
        #expect(try await Self.post(transaction, as: "application/json", to: path).status == 201)

        let database = ledger.folder.appending(path: "ledger.sqlite")
        try FileManager.default.removeItem(at: database)
        let removed = try await Self.post(transaction, as: "application/json", to: path)
        #expect(removed.status == 503)
        #expect(removed.text.contains(#""code":"booksRemoved""#))

        // Another file under the same name isn't the open database.
        try Data().write(to: database)
        #expect(try await Self.post(transaction, as: "application/json", to: path).status == 503)
    }

    /// Waits for the line of `output` with this prefix, and returns the rest of the line.
    static func address(in output: FileHandle, after beginning: String) throws -> String {
        var text = ""
        while true {
            let data = output.availableData
            try #require(!data.isEmpty, "it has ended with: \(text)")
            text += String(decoding: data, as: UTF8.self)
            for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            where line.hasPrefix(beginning) {
                return String(line.dropFirst(beginning.count))
            }
        }
    }

    private static func post(
        _ text: String,
        as type: String,
        to address: String
    ) async throws -> (status: Int, text: String) {
        var request = URLRequest(url: try #require(URL(string: address)))
        request.httpMethod = "POST"
        request.setValue(type, forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(text.utf8)
        let (data, response) = try await URLSession.shared.data(for: request)
        return (try #require(response as? HTTPURLResponse).statusCode, String(decoding: data, as: UTF8.self))
    }

    static func get(_ address: String, token: String? = nil) async throws -> (status: Int, text: String) {
        var request = URLRequest(url: try #require(URL(string: address)))
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        let (data, response) = try await URLSession.shared.data(for: request)
        return (try #require(response as? HTTPURLResponse).statusCode, String(decoding: data, as: UTF8.self))
    }
}
