// SPDX-License-Identifier: Apache-2.0

/// An unlimited number of types.
public enum NumberedTypes {
    private struct Zero {}
    private struct Successor<Number> {}
    private struct Pair<First, Second> {}

    /// Returns `count` types, at most 10,000: pairs of a hundred types, so that no type is nested deeply.
    public static func make(_ count: Int) -> [Any.Type] {
        var digits: [Any.Type] = []
        var digit: Any.Type = Zero.self
        for _ in 0..<100 {
            digits.append(digit)
            digit = successor(of: digit)
        }
        return (0..<count).map { number in
            let first = digits[number / 100]
            let second = digits[number % 100]
            return pair(first, second)
        }
    }

    private static func successor<Number>(of number: Number.Type) -> Any.Type { Successor<Number>.self }

    private static func pair<First, Second>(_ first: First.Type, _ second: Second.Type) -> Any.Type {
        Pair<First, Second>.self
    }
}
