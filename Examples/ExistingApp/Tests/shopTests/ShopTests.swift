// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Headrace
import HeadraceTesting
import Synchronization
import Testing

@testable import shop

@Suite(.timeLimit(.minutes(1))) struct ShopTests {
    @Test func theMailsOfAnOrderFollowItsTransactions() async throws {
        try await withShop { shop, mailer, relay in
            let order = try await shop.order("tea", for: "Ada")
            try await relay.untilIdle()
            #expect(mailer.texts == ["To Ada: Thank you for your order: tea"])

            try await shop.ship(order)
            try await relay.untilIdle()
            #expect(mailer.texts.last == "To Ada: On its way: tea")
            #expect(Set(mailer.keys).count == 2)
            #expect(try shop.sales() == ["tea": 1])
        }
    }

    @Test func aRollBackSendsNoMail() async throws {
        try await withShop { shop, mailer, relay in
            await #expect(throws: Refusal.self) {
                try await shop.database.write { database in
                    _ = try shop.order("tea", for: "Ada", in: database)
                    throw Refusal(reason: "Ada has changed her mind.")
                }
            }
            await #expect(throws: Refusal.self) { try await shop.ship(1) }
            try await relay.untilIdle()

            #expect(mailer.keys.isEmpty)
            #expect(try shop.sales() == [:])
        }
    }

    @Test func aMailThatFailsIsSentAgainWithTheSameKey() async throws {
        try await withShop { shop, mailer, relay in
            mailer.failNext()
            _ = try await shop.order("tea", for: "Ada")
            try await relay.advance(by: .seconds(1))

            #expect(mailer.keys.count == 2)
            #expect(mailer.keys.first == mailer.keys.last)
            #expect(mailer.texts == ["To Ada: Thank you for your order: tea"])
        }
    }

    @Test func aMailServiceSendsEachKeyOnce() async throws {
        try await withFolder { folder in
            let mails = MailFile(path: folder + "/mails.txt")
            for key in ["1", "1", "2"] { try await mails.send("Hello", to: "Ada", key: key) }
            #expect(await mails.lines == ["1 To Ada: Hello", "2 To Ada: Hello"])
        }
    }

    /// Runs `body` with a shop in an empty folder, and with its relay on a clock of the test.
    private func withShop(_ body: (Shop, RecordingMailer, TestRelay) async throws -> Void) async throws {
        try await withFolder { folder in
            let mailer = RecordingMailer()
            let shop = try Shop(path: folder + "/shop.sqlite", mailer: mailer)
            try await TestRelay.run(shop.container.resolve()) { try await body(shop, mailer, $0) }
        }
    }
}

/// Runs `body` with the path of an empty folder, and removes the folder.
func withFolder(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "shop-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder.path(percentEncoded: false))
}

extension Shop {
    fileprivate func sales() throws -> [String: Int] {
        let rows = try database.read { try Row.fetchAll($0, sql: "SELECT item, count FROM sales") }
        return Dictionary(uniqueKeysWithValues: rows.map { ($0["item"], $0["count"]) })
    }
}

/// Keeps the mails for the test.
final class RecordingMailer: Mailer {
    private struct State {
        var keys: [String] = []
        var texts: [String] = []
        var mustFail = false
    }

    private let state = Mutex(State())

    /// The keys of all attempts.
    var keys: [String] { state.withLock(\.keys) }

    /// The mails that were sent.
    var texts: [String] { state.withLock(\.texts) }

    func failNext() {
        state.withLock { $0.mustFail = true }
    }

    func send(_ text: String, to customer: String, key: String) throws {
        try state.withLock { state in
            state.keys.append(key)
            defer { state.mustFail = false }
            if state.mustFail { throw Refusal(reason: "The mail service doesn't answer.") }
            state.texts.append("To \(customer): \(text)")
        }
    }
}
