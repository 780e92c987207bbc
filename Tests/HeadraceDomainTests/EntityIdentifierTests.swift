// SPDX-License-Identifier: Apache-2.0

import HeadraceDomain
import HeadraceTesting
import Testing

@Suite struct EntityIdentifierTests {
    @Test func theKeyOfANumberIsItsDescription() {
        var generator = SeededGenerator(seed: 4)
        var numbers = [0, .min, .max, .min + 1, .max - 1]
        var power = 1
        for _ in 0..<19 {
            numbers += [power, power - 1, power + 1, -power, 1 - power]
            power = power.multipliedReportingOverflow(by: 10).partialValue
        }
        for shift in 0..<64 { numbers.append(Int(truncatingIfNeeded: generator.next()) >> shift) }

        for number in numbers { #expect(number.storageKey == number.description) }
    }
}
