// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceRelay
import HeadraceStorage
import HeadraceTesting
import Synchronization
import Testing

/// Dead letters whose content an operator corrects.
@Suite(.timeLimit(.minutes(2))) struct DeadLetterCorrectionTests {
    private struct Failure: Error {}

    private let bench: RelayBench

    init() throws {
        bench = try RelayBench()
    }

    /// Makes a dead letter of a deposit of 13, which the subscription `mail` refuses, and returns its identifier.
    private func makeDeadLetter() async throws -> Int64 {
        bench.registrar.register(Mail.self)
        bench.registrar.register(Book.self)
        bench.desk.script { subscription, event in
            if subscription == "mail", event.amount == 13 { throw Failure() }
        }
        try await bench.deposit(13, 2)
        try await withRelay(bench.relay { $0.maximumAttempts = 1 }) {
            await bench.desk.wait(for: 3, "delivered")
            await bench.desk.wait(for: 1, "dead")
        }
        return try #require(try await DeadLetters(in: bench.store).page().first).id
    }

    private func content(_ amount: Int) -> Data {
        Data(#"{"account":"a","amount":\#(amount)}"#.utf8)
    }

    @Test func aCorrectedEventIsHandledAfterTheLaterEventsOfItsStreamByItsSubscriptionOnly() async throws {
        let id = try await makeDeadLetter()
        let log = try await bench.store.events(after: 0, limit: 9)
        let relay = bench.relay()

        try await DeadLetters(in: bench.store, relays: [relay]).replay(id, correctedTo: content(7), by: "anna")
        try await withRelay(relay) { try await relay.untilIdle() }

        #expect(bench.desk.lines.filter { $0.hasPrefix("mail") } == ["mail 2", "mail 7"])
        #expect(bench.desk.lines.filter { $0.hasPrefix("book") } == ["book 13", "book 2"])
        #expect(try await DeadLetters(in: bench.store).page().isEmpty)
        #expect(try await bench.store.deliveryStatistics().pendingCount == 0)
        #expect(Array(try await bench.store.events(after: 0, limit: 9).prefix(2)) == log)
    }

    @Test func theLogNamesTheOperatorAndHasBothContents() async throws {
        let id = try await makeDeadLetter()
        let event = try #require(try await bench.store.events(after: 0, limit: 1).first).event

        try await DeadLetters(in: bench.store).replay(id, correctedTo: content(7), by: "anna")

        let record = try #require(try await bench.store.events(after: 2, limit: 9).first)
        #expect(record.event.name == "headrace.operation")
        #expect(record.event.origin.principalID == "anna")
        let operation = try #require(OperatorLog.Operation(json: record.event.json))
        #expect(operation.name == "correct dead letter")
        #expect(operation.target == ["\(id)"])
        #expect(operation.correction?.id == event.id)
        #expect(operation.correction?.message == "deposited")
        #expect(operation.correction?.subscription == "mail")
        #expect(operation.correction?.earlier == #"{"account":"a","amount":13}"#)
        #expect(operation.correction?.corrected == #"{"account":"a","amount":7}"#)
    }

    @Test func aCorrectedDeliveryKeepsTheIdentifierAndThePositionOfItsEvent() async throws {
        let id = try await makeDeadLetter()
        let event = try #require(try await bench.store.events(after: 0, limit: 1).first)
        let contexts = Mutex<[DeliveryContext]>([])
        bench.desk.script { _, _ in contexts.withLock { $0 += [DeliveryContext.current].compactMap { $0 } } }

        try await DeadLetters(in: bench.store).replay(id, correctedTo: content(7), by: "anna")
        let relay = bench.relay()
        try await withRelay(relay) { try await relay.untilIdle() }

        let seen = contexts.withLock(\.self)
        #expect(seen.map(\.messageID) == [event.event.id])
        #expect(seen.map(\.position) == [1])
        #expect(seen.map(\.attempt) == [1])
    }

    @Test(arguments: [
        ("", "isn't valid JSON"), (#"{"account":"a","amount":7"#, "isn't valid JSON"), ("{} {}", "isn't valid JSON"),
        ("{\u{7}}", "isn't valid JSON"), ("NaN", "isn't valid JSON"),
        (#"{"account":"a"}"#, "there is no member 'amount'"), (#"{"account":"a","amount":"7"}"#, "at 'amount'"),
        ("null", "as 'deposited'"), ("[]", "as 'deposited'"),
    ])
    func anInvalidCorrectionIsRefusedAndChangesNothing(json: String, reason: String) async throws {
        let id = try await makeDeadLetter()
        let letters = DeadLetters(in: bench.store, relays: [bench.relay()])

        let error = await #expect(throws: RelayError.self) {
            try await letters.replay(id, correctedTo: Data(json.utf8), by: "anna")
        }

        #expect(error?.code == .invalidCorrection)
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("To fix") == true)
        #expect(try await letters.find(id)?.isCorrected == false)
        #expect(try await bench.store.events(after: 0, limit: 9).count == 2)
    }

    @Test func bytesThatAreNotUTF8AreRefused() async throws {
        let id = try await makeDeadLetter()
        for bytes in [[0x22, 0xFF, 0x22], [0xFF, 0xFE, 0x22, 0, 0x22, 0], [0x22, 0xED, 0xA0, 0x80, 0x22]] {
            let error = await #expect(throws: RelayError.self) {
                try await DeadLetters(in: bench.store)
                    .replay(id, correctedTo: Data(bytes.map { UInt8($0) }), by: "anna")
            }
            #expect(error?.code == .invalidCorrection)
        }
        #expect(try await DeadLetters(in: bench.store).find(id) != nil)
    }

    @Test func aContentThatNoRelayChecksBecomesADeadLetterAgainIfItDoesNotDecode() async throws {
        let id = try await makeDeadLetter()

        try await DeadLetters(in: bench.store).replay(id, correctedTo: Data("[]".utf8), by: "anna")
        let relay = bench.relay()
        try await withRelay(relay) { try await relay.untilIdle() }

        let letter = try #require(try await DeadLetters(in: bench.store).page().first)
        #expect(letter.id > id)
        #expect(letter.isCorrected)
        #expect(letter.reason.contains("does not decode"))
        guard case .event(let record) = letter.content else {
            Issue.record("The dead letter has no event.")
            return
        }
        #expect(record.event.json == Data("[]".utf8))

        try await DeadLetters(in: bench.store, relays: [relay]).replay(letter.id, correctedTo: content(8), by: "bert")
        let next = bench.relay()
        try await withRelay(next) { try await next.untilIdle() }
        #expect(bench.desk.lines.contains("mail 8"))
        let operations = try await bench.store.events(after: 2, limit: 9).compactMap {
            OperatorLog.Operation(json: $0.event.json)?.correction
        }
        #expect(operations.map(\.earlier) == [#"{"account":"a","amount":13}"#, "[]"])
    }

    @Test func ofTwoOperatorsAtOnceExactlyOneWinsAndTheOtherIsTold() async throws {
        let id = try await makeDeadLetter()
        // Both have read the dead letter when the first of them replays it.
        let gate = GatedStore(bench.store, count: 2)

        let outcomes = await withTaskGroup(of: RelayError.Code?.self) { group in
            for (amount, name) in [(7, "anna"), (8, "bert")] {
                group.addTask {
                    do {
                        try await DeadLetters(in: gate).replay(id, correctedTo: content(amount), by: name)
                        return nil
                    } catch {
                        return (error as? RelayError)?.code
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }

        #expect(outcomes.count { $0 == nil } == 1)
        #expect(outcomes.count { $0 == .deadLetterGone } == 1)
        let relay = bench.relay()
        try await withRelay(relay) { try await relay.untilIdle() }
        #expect(bench.desk.lines.count { $0 == "mail 7" || $0 == "mail 8" } == 1)
        #expect(try await bench.store.deliveryStatistics().pendingCount == 0)
    }

    @Test func aFailureBetweenTheRecordAndTheReplayLosesNothing() async throws {
        let id = try await makeDeadLetter()
        let broken = BrokenReplays(bench.store)

        await #expect(throws: StoreError.self) {
            try await DeadLetters(in: broken).replay(id, correctedTo: content(7), by: "anna")
        }

        #expect(try await DeadLetters(in: bench.store).find(id)?.isCorrected == false)
        #expect(try await bench.store.events(after: 2, limit: 9).map(\.event.name) == ["headrace.operation"])
        try await DeadLetters(in: bench.store).replay(id, correctedTo: content(7), by: "anna")
        let relay = bench.relay()
        try await withRelay(relay) { try await relay.untilIdle() }
        #expect(bench.desk.lines.contains("mail 7"))
    }

    @Test func aScheduledCommandIsCorrectedAndMustDecode() async throws {
        let relay = bench.relay { $0.maximumAttempts = 1 }
        let amounts = Mutex<[Int]>([])
        relay.carryOut(Pay.self) { command in
            if command.amount == 13 { throw Failure() }
            amounts.withLock { $0.append(command.amount) }
        }
        _ = try await UnitOfWork(delegator: bench.registrar, context: EntityContext(bench.store)).execute { context in
            try context.schedule(Pay(amount: 13), at: RelayBench.epoch)
        }
        try await withRelay(relay) { await bench.desk.wait(for: 1, "dead") }
        let next = bench.relay()
        next.carryOut(Pay.self) { command in amounts.withLock { $0.append(command.amount) } }
        let letters = DeadLetters(in: bench.store, relays: [bench.relay(), next])
        let id = try #require(try await letters.page().first).id

        let error = await #expect(throws: RelayError.self) {
            try await letters.replay(id, correctedTo: Data(#"{"amount":null}"#.utf8), by: "anna")
        }
        #expect(error?.code == .invalidCorrection && error?.message.contains("pay") == true)
        try await letters.replay(id, correctedTo: Data(#"{"amount":7}"#.utf8), by: "anna")

        try await withRelay(next) { try await next.untilIdle() }
        #expect(amounts.withLock(\.self) == [7])
        #expect(try await letters.page().isEmpty)
    }
}

private struct Pay: DurableCommand {
    static let commandName = "pay"
    var amount: Int
}

/// A store whose correction of dead letters waits until `count` callers are ready.
private final class GatedStore: StoreDecorator {
    let base: any DeliveryStore
    private let waiting = ConditionVariable(0)
    private let count: Int

    init(_ base: any DeliveryStore, count: Int) {
        self.base = base
        self.count = count
    }

    func replayDeadLetter(_ id: Int64, correctedTo json: Data) async throws -> Bool {
        waiting.change { $0 += 1 }
        await waiting.wait { [count] in $0 >= count }
        return try await base.replayDeadLetter(id, correctedTo: json)
    }
}

/// A store that fails before it corrects a dead letter.
private final class BrokenReplays: StoreDecorator {
    let base: any DeliveryStore

    init(_ base: any DeliveryStore) {
        self.base = base
    }

    func replayDeadLetter(_ id: Int64, correctedTo json: Data) async throws -> Bool {
        throw StoreError(code: .closed, message: "The power has failed.")
    }
}
