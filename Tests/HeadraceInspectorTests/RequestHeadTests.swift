//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceTesting
import Testing

@testable import HeadraceInspector

@Suite struct RequestHeadTests {
    private let limits = InspectorRoutes.Limits()

    private func head(_ text: String) throws -> RequestHead {
        try RequestHead(Array(text.utf8), limits: limits)
    }

    private func status(_ text: String) -> Int? {
        do {
            _ = try head(text)
            return nil
        } catch {
            return (error as? RequestHead.Problem)?.status ?? -1
        }
    }

    @Test func aRequestIsParsed() throws {
        let head = try head("POST /api/x?y=1 HTTP/1.1\r\nHost: a:1\r\nX-Y:\t z \t\r\nContent-Length: 12\r\n\r\n")

        #expect(head.method == "POST")
        #expect(head.target == "/api/x?y=1")
        #expect(head.headers.map { "\($0.name)=\($0.value)" } == ["host=a:1", "x-y=z", "content-length=12"])
        #expect(head.bodyLength == 12)
        #expect(head.expectsContinue == false)
    }

    @Test func anExpectedContinueIsRecognized() throws {
        #expect(try head("POST / HTTP/1.1\r\nExpect: 100-Continue\r\n\r\n").expectsContinue)
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\n\n", 400), ("GET /\r\n\r\n", 400), ("GET  / HTTP/1.1\r\n\r\n", 400),
        (" / HTTP/1.1\r\n\r\n", 400),
        ("get / HTTP/1.1\r\n\r\n", 400), ("GÉT / HTTP/1.1\r\n\r\n", 400), ("GET x HTTP/1.1\r\n\r\n", 400),
        ("GET http://a/ HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1 \r\n\r\n", 400), ("GET / HTTP/2\r\n\r\n", 505),
        ("GET / HTTP/0.9\r\n\r\n", 505), ("GET / HTTP/1.1\r\nA\r\n\r\n", 400), ("GET / HTTP/1.1\r\n: b\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nA : b\r\n\r\n", 400), ("GET / HTTP/1.1\r\n A: b\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", 400), ("GET / HTTP/1.1\r\nA: \u{0}\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nA: b\rc\r\n\r\n", 400), ("GET / HTTP/1.1\r\nA\u{7F}: b\r\n\r\n", 400),
        ("GET /\u{1} HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nA: b\nC: d\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400), ("POST / HTTP/1.1\r\nContent-Length: +1\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nContent-Length: 1, 1\r\n\r\n", 400), ("POST / HTTP/1.1\r\nContent-Length:\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nContent-Length: 104857600\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: identity\r\nContent-Length: 1\r\n\r\n", 411),
        ("\r\nGET / HTTP/1.1\r\n\r\n", 400), ("\r\n\r\n", 400), ("ABCDEFGHIJKLMNOPQ / HTTP/1.1\r\n\r\n", 400),
    ])
    func aMalformedRequestIsRefused(text: String, status: Int) {
        #expect(self.status(text) == status)
    }

    @Test func invalidUTF8IsRefused() {
        let bytes = Array("GET / HTTP/1.1\r\nA: ".utf8) + [0xFF, 0xFE] + Array("\r\n\r\n".utf8)

        #expect(throws: RequestHead.Problem.self) { try RequestHead(bytes, limits: limits) }
    }

    // MARK: The end

    @Test func theEndIsFoundInEveryPrefix() throws {
        let text = "GET /some/path?with=query HTTP/1.1\r\nHost: a\r\nB: c\r\n\r\n"
        let bytes = Array((text + "the body\r\n\r\n").utf8)
        for count in 0...bytes.count {
            let end = try RequestHead.end(in: Array(bytes.prefix(count)), limits: limits)
            #expect(end == (count < text.utf8.count ? nil : text.utf8.count))
        }
    }

    @Test func anEndlessRequestLineIsRefusedEarly() throws {
        var bytes = Array("GET /".utf8)
        var status: Int?
        while status == nil, bytes.count < 1 << 20 {
            bytes += Array(repeating: UInt8(ascii: "x"), count: 100)
            do { _ = try RequestHead.end(in: bytes, limits: limits) } catch { status = error.status }
        }
        #expect(status == 414)
        #expect(bytes.count < 3_000)
    }

    @Test func endlessHeaderFieldsAreRefusedEarly() throws {
        var bytes = Array("GET / HTTP/1.1\r\n".utf8)
        var status: Int?
        while status == nil, bytes.count < 1 << 20 {
            bytes += Array("X: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n".utf8)
            do { _ = try RequestHead.end(in: bytes, limits: limits) } catch { status = error.status }
        }
        #expect(status == 431)
        #expect(bytes.count < 20_000)
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func randomBytesAreRefusedOrIncomplete(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "GET", " ", "/", "HTTP/1.1", "\r\n", "\r", "\n", ":", "Host", "Content-Length: 5", "é", "\u{0}", "x",
        ]
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0...30, using: &generator) {
            bytes += Array((pieces.randomElement(using: &generator) ?? "").utf8)
            if Int.random(in: 0..<10, using: &generator) == 0 {
                bytes.append(UInt8.random(in: 0...255, using: &generator))
            }
        }
        guard let end = try RequestHead.end(in: bytes, limits: limits) else { return }
        #expect(end <= bytes.count, "seed \(seed)")
        do {
            let head = try RequestHead(bytes[..<end], limits: limits)
            #expect(head.target.hasPrefix("/") && (0...limits.bodyLength).contains(head.bodyLength), "seed \(seed)")
        } catch {
            #expect((400...599).contains(error.status), "seed \(seed)")
        }
    }
}
