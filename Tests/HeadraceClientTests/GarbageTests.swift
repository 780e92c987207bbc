// SPDX-License-Identifier: Apache-2.0

#if Client
import Foundation
import HTTPTypes
import HeadraceClient
import HeadraceCommands
import HeadraceCore
import HeadraceTesting
import Testing

/// Servers that send garbage: each call ends with a value or an error.
@Suite(.timeLimit(.minutes(2))) struct GarbageTests {
    private static let fragments: [[UInt8]] =
        [
            "data: ", "data:", "id: 7\n", "event: problem\n", "event: end\n", "event: message\n", "retry: 1\n",
            ": still here\n",
            "\n\n", "\n", "\r\n", "\r", "4", "\"Emma\"", "[]", "{}", "null", "-1e999", "99999999999999999999",
            "[\"a\", \"b\"]",
            #"{"title": "No", "status": 422, "detail": "No.", "code": "isOut""#,
            #", "error": {"type": "LoanError", "value": {"code": "isOut", "reader": "Ada"}}}"#,
            #", "error": {"type": "LoanError", "value": 7}, "failures": [{"path": 1}], "status": -4}"#,
        ].map { Array($0.utf8) } + [[0], [0xFF], [0xC3], [0xEF, 0xBB, 0xBF], Array(repeating: 0x5B, count: 4_000)]

    private static func garbage(using numbers: inout SeededGenerator) -> Data {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0...12, using: &numbers) {
            bytes += fragments.randomElement(using: &numbers) ?? []
            if Int.random(in: 0..<8, using: &numbers) == 0 { bytes.append(UInt8.random(in: 0...255, using: &numbers)) }
        }
        return Data(bytes)
    }

    /// Returns a dispatcher whose server sends a response of garbage, and then refuses everything.
    private static func remote(using numbers: inout SeededGenerator) throws -> RemoteDispatcher {
        let parts = (0..<Int.random(in: 1...4, using: &numbers)).map { _ in garbage(using: &numbers) }
        var fields: HTTPFields = [:]
        if Bool.random(using: &numbers) { fields[.contentType] = "text/event-stream" }
        if Bool.random(using: &numbers) {
            fields[.retryAfter] = ["0", "-1", "soon", "99999999999999999999", ""].randomElement(using: &numbers)
        }
        let status = [200, 200, 200, 204, 299, 301, 400, 404, 409, 422, 500].randomElement(using: &numbers) ?? 200
        let refusal = ScriptedTransport.Step.answer(403, #"{"title": "No", "status": 403, "code": "forbidden"}"#)
        var configuration = RemoteDispatcher.Configuration()
        configuration.backoff = Backoff(base: .zero)
        configuration.clock = TestClock()
        return try RemoteDispatcher(
            libraryAPI, at: "http://localhost",
            through: ScriptedTransport([.response(status, fields, parts), refusal]), configuration)
    }

    @Test func whateverAServerSendsEachCallEnds() async throws {
        var numbers = SeededGenerator(seed: 11)
        var values = 0
        var errors = 0
        func count(_ body: nonisolated(nonsending) () async throws -> Void) async {
            do {
                try await body()
                values += 1
            } catch {
                // The texts of errors mustn't trap.
                #expect(!"\(error)".isEmpty)
                errors += 1
            }
        }
        for _ in 1...1_500 {
            let remote = try Self.remote(using: &numbers)
            switch Int.random(in: 0..<5, using: &numbers) {
            case 0: await count { try await remote.dispatch(Lend(book: "Emma", reader: "Ada")) }
            case 1: await count { _ = try await remote.dispatch(Register(name: "Ada")) }
            case 2: await count { _ = try await remote.dispatch(FindBooks(shelf: "a")) }
            case 3:
                await count {
                    for try await title in try await remote.dispatch(ListBooks(shelf: "a")) { _ = title }
                }
            default:
                await count { for try await due in remote.observe(BooksDue(book: "Emma")) { _ = due } }
            }
        }

        #expect(values > 50)
        #expect(errors > 500)
    }
}
#endif
