// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A journal that is generated for each run, always with the same content.
enum GeneratedJournal {
    /// SplitMix64, <https://doi.org/10.1145/2714064.2660195>.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }

        mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
    }

    /// Returns a journal of `count` transactions, with two to four postings each, among a hundred accounts.
    static func bytes(transactions count: Int, seed: UInt64 = 1) -> Data {
        var generator = Generator(state: seed)
        var text = ""
        for number in 0..<count {
            let year = 2000 + number / 336
            let month = number / 28 % 12 + 1
            let day = number % 28 + 1
            text += "\(year)-\(padded(month))-\(padded(day)) * Shop \(generator.number(1...200)) | Receipt \(number)\n"
            for _ in 1...generator.number(1...3) {
                let account = "Expenses:Area \(generator.number(0...8)):Item \(generator.number(0...9))"
                text += "  \(account)  \(generator.number(1...999)).\(padded(generator.number(0...99))) EUR\n"
            }
            text += "  Assets:Bank:Account \(generator.number(0...9))\n\n"
        }
        return Data(text.utf8)
    }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
