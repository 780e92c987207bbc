// SPDX-License-Identifier: Apache-2.0

#if Client
import Foundation
import HTTPTypes
import HeadraceClient
import HeadraceCommands
import HeadraceCore
import HeadraceTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct EventStreamTests {
    private func values(_ parts: [String], longest: Int = 1_000) async throws -> [String] {
        let remote = try library(ScriptedTransport(.parts(parts))) { $0.responseLength = longest }
        var values: [String] = []
        for try await value in try await remote.dispatch(ListBooks(shelf: "A")) { values.append(value) }
        return values
    }

    private let stream =
        "\u{FEFF}: hello\r\ndata: \"a\"\r\n\r\nid: 4\ndata:\"b\u{2028}c\"\n\nevent: other\ndata: 1\n\ndata\n\ndata: \"d\"\r\revent: end\ndata: {}\n\n"

    @Test func valuesArriveWhereverTheStreamIsCutInParts() async throws {
        let stream = stream.replacing("data\n\n", with: "")
        let bytes = Array(stream.utf8)
        for cut in bytes.indices {
            let remote = try library(
                ScriptedTransport(.bytes([Data(bytes[..<cut]), Data(), Data(bytes[cut...])])))
            var values: [String] = []
            for try await value in try await remote.dispatch(ListBooks(shelf: "A")) { values.append(value) }
            #expect(values == ["a", "b\u{2028}c", "d"], "cut at \(cut)")
        }
    }

    @Test func aStreamThatEndsAnywhereBeforeItsEndFails() async throws {
        let text = "data: \"a\"\n\ndata: \"b\"\n\nevent: end\ndata: {}\n\n"
        for length in 0..<text.count {
            let error = await #expect(throws: RemoteError.self) { _ = try await values([String(text.prefix(length))]) }
            #expect(error?.code == "unreachable")
        }
        #expect(try await values([text]) == ["a", "b"])
    }

    @Test func anErrorOfTheHandlerArrivesInTheStream() async throws {
        let problem = #"{"code": "isOut", "error": {"type": "LoanError", "value": {"code": "isOut", "reader": "Bob"}}}"#

        await #expect(throws: LoanError(code: .isOut, reader: "Bob")) {
            _ = try await values(["data: \"a\"\n\nevent: problem\ndata: \(problem)\n\n"])
        }
    }

    @Test func aProblemInTheStreamHasItsOwnStatus() async throws {
        let error = await #expect(throws: RemoteError.self) {
            _ = try await values(["event: problem\ndata: {\"code\": \"busy\", \"status\": 503}\n\n"])
        }

        #expect(error?.code == "busy")
        #expect(error?.status == .serviceUnavailable)
    }

    @Test(arguments: ["data: \(String(repeating: "a", count: 2_000))", String(repeating: "data: a\n", count: 300)])
    func anEventThatIsTooLongEndsTheStream(text: String) async throws {
        let error = await #expect(throws: RemoteError.self) { _ = try await values([text]) }

        #expect(error?.message.contains("longer than 1000 bytes") == true)
    }

    @Test func randomBytesAreATypedError() async throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            let alphabet = Array("data: event id\n\n\r\"end{}[]\u{0}\u{FF}".utf8)
            let bytes = (0..<Int.random(in: 0..<60, using: &generator)).map { _ in
                alphabet.randomElement(using: &generator) ?? 0
            }
            let remote = try library(ScriptedTransport(.bytes([Data(bytes)])))
            do {
                for try await _ in try await remote.dispatch(ListBooks(shelf: "A")) {}
            } catch {
                #expect(error is RemoteError)
            }
        }
    }
}
#endif
