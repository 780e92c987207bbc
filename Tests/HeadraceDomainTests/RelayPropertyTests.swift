//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HeadraceDomain
import HeadraceTesting
import Synchronization
import Testing

/// Random deposits, failures and crashes against a model: the sum per account, and what each handler must have seen.
@Suite(.timeLimit(.minutes(10))) struct RelayPropertyTests {
    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func nothingIsLostAppliedTwiceOrOutOfOrder(seed: UInt64) async throws {
        let bench = try RelayBench()
        bench.registrar.register(Mail.self)
        bench.registrar.register(Book.self)
        var generator = Generator(seed: seed)
        let dice = Mutex(Generator(seed: seed &+ 1_000))
        bench.desk.script { _, _ in
            if dice.withLock({ Int.random(in: 0..<5, using: &$0) }) == 0 { throw Failure() }
        }
        var expected: [String: [Int]] = [:]
        var amount = 0

        for _ in 0..<8 {
            let store = KilledStore(bench.store)
            let relay = bench.relay(on: store) {
                $0.maximumAttempts = 1_000
                $0.runLimit = Int.random(in: 1...4, using: &generator)
                $0.concurrency = Int.random(in: 1...4, using: &generator)
                $0.laneLimit = Int.random(in: 1...6, using: &generator)
            }
            let task = Task { try await relay.run() }
            for _ in 0..<Int.random(in: 1...12, using: &generator) {
                let account = "account \(Int.random(in: 0..<4, using: &generator))"
                amount += 1
                expected[account, default: []].append(amount)
                try await bench.deposit(amount, to: account)
                bench.clock.advance(by: .milliseconds(Int.random(in: 0...400, using: &generator)))
            }
            if Bool.random(using: &generator) {
                // Killed: whatever was leased or handled and not settled is lost.
                store.kill()
                task.cancel()
            } else {
                relay.shutDown()
            }
            try await task.value
            // Past the leases of whoever was killed, and past the pauses.
            bench.clock.advance(by: .seconds(400))
        }

        bench.desk.script { _, _ in }
        let desk = bench.desk
        let store = bench.store
        let relay = bench.relay()
        try await withRelay(relay) {
            while try await store.deliveryStatistics().pendingCount > 0 {
                await bench.clock.sleepers(2)
                bench.clock.advance(by: .seconds(1))
                await Task.yield()
            }
        }

        #expect(try await store.deliveryStatistics().deadLetterCount == 0, "seed \(seed)")
        let mails = desk.lines.filter { $0.hasPrefix("mail ") }.compactMap { Int($0.dropFirst(5)) }
        for (account, amounts) in expected {
            // G3: once each. G2, G4: the first time that each is seen, they are in order, and none is missing.
            #expect(try await bench.balance(account) == amounts.reduce(0, +), "seed \(seed), \(account)")
            var seen: Set<Int> = []
            let firsts = mails.filter { amounts.contains($0) && seen.insert($0).inserted }
            #expect(firsts == amounts, "seed \(seed), \(account)")
        }
    }
}

/// Random numbers that are the same for the same seed: SplitMix64, <https://doi.org/10.1145/2714064.2660195>.
private struct Generator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
