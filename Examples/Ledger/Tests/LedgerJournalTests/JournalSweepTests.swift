// SPDX-License-Identifier: Apache-2.0

import LedgerBooks
import LedgerJournal
import LedgerTestSupport
import Testing

/// Damaged journals.
///
/// Each is parsed, or refused with a `JournalError`; parsed transactions are balanced or refused.
@Suite struct JournalSweepTests {
    private static let seed: UInt64 = 4_711

    @Test(.timeLimit(.minutes(5)), arguments: JournalFixture.valid + JournalFixture.errors)
    func aTruncatedJournalIsParsedOrRefused(file: JournalFixture) throws {
        let bytes = try file.bytes()

        for length in 0...bytes.count {
            survive(Array(bytes[..<length]), "the first \(length) bytes of \(file.name)")
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: JournalFixture.valid + JournalFixture.errors)
    func aJournalWithFlippedBytesIsParsedOrRefused(file: JournalFixture) throws {
        let bytes = try file.bytes()
        var random = SplitMix64(seed: Self.seed)

        for round in 0..<400 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<damaged.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: damaged[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 1: damaged[index] = random.pick([UInt8](" \t\n;@=\"'-+.,()[]{}*!~0159eE$\u{E9}".utf8))
                case 2: damaged.remove(at: index)
                default: damaged.insert(damaged[index], at: Int.random(in: 0...damaged.count, using: &random))
                }
            }
            survive(damaged, "\(file.name) with flipped bytes, seed \(Self.seed), round \(round)")
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: 0..<20)
    func randomBytesAreParsedOrRefused(round: UInt64) {
        var random = SplitMix64(seed: Self.seed + round)
        let alphabet = [UInt8]("2024-01-01\n\n  a  1 EUR @ ;=*!(\")\u{E9}P D,.$\t".utf8)

        for count in 0..<200 {
            let bytes = (0..<count).map { _ in random.pick(alphabet) }
            survive(bytes, "\(count) random bytes, seed \(Self.seed + round)")
            let amount = [UInt8]("2024-01-01\n a  ".utf8) + bytes
            survive(amount, "\(count) random bytes in an amount, seed \(Self.seed + round)")
        }
    }

    private func survive(_ bytes: [UInt8], _ note: String) {
        do {
            let journal = try JournalParser().parse(bytes, file: "test")
            for entry in journal.entries {
                do {
                    let postings = try entry.transaction.balanced()
                    if postings.count < 2 { Issue.record("\(note): fewer than two postings on line \(entry.line)") }
                } catch is PostingRefusal {
                    continue
                }
            }
        } catch let error as JournalError {
            if error.line < 1 || error.message.isEmpty { Issue.record("\(note): \(error) names no place or reason") }
        } catch {
            Issue.record("\(note): \(error)")
        }
    }
}
