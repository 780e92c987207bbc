// SPDX-License-Identifier: Apache-2.0

/// Decimal arithmetic on digit strings of any length: the slow reference for `Quantity`.
struct DigitString: Equatable, CustomStringConvertible {
    /// Whether the number is negative.
    private var isNegative: Bool

    /// The digits without leading zeros, the last digit first.
    private var digits: [Int]

    /// Number of digits after the point.
    private var scale: Int

    init(_ text: String) {
        let unsigned = text.drop { $0 == "-" }
        let point = unsigned.firstIndex(of: ".")
        scale = point.map { unsigned.distance(from: $0, to: unsigned.endIndex) - 1 } ?? 0
        digits = unsigned.compactMap(\.wholeNumberValue).reversed()
        isNegative = text.hasPrefix("-")
        trim()
    }

    private init(isNegative: Bool, digits: [Int], scale: Int) {
        self.isNegative = isNegative
        self.digits = digits
        self.scale = scale
        trim()
    }

    /// Number of digits without leading zeros.
    var count: Int { digits.count }

    /// The number at its smallest scale.
    var description: String {
        var digits = digits
        var scale = scale
        while scale > 0, digits.first ?? 0 == 0 {
            if !digits.isEmpty { digits.removeFirst() }
            scale -= 1
        }
        while digits.count < scale + 1 { digits.append(0) }
        let whole = digits[scale...].reversed().map(String.init).joined()
        let fraction = digits[..<scale].reversed().map(String.init).joined()
        return (isNegative ? "-" : "") + whole + (scale > 0 ? "." + fraction : "")
    }

    static func + (left: Self, right: Self) -> Self {
        let scale = max(left.scale, right.scale)
        let first = left.digits(atScale: scale)
        let second = right.digits(atScale: scale)
        if left.isNegative == right.isNegative {
            return Self(isNegative: left.isNegative, digits: sum(first, second), scale: scale)
        }
        return isLess(first, second)
            ? Self(isNegative: right.isNegative, digits: difference(second, first), scale: scale)
            : Self(isNegative: left.isNegative, digits: difference(first, second), scale: scale)
    }

    static func * (left: Self, right: Self) -> Self {
        var result = [Int](repeating: 0, count: left.digits.count + right.digits.count + 1)
        for (i, a) in left.digits.enumerated() {
            for (j, b) in right.digits.enumerated() { result[i + j] += a * b }
        }
        carry(&result)
        return Self(
            isNegative: left.isNegative != right.isNegative, digits: result, scale: left.scale + right.scale)
    }

    /// Half to even, digit by digit.
    func rounded(toScale target: Int) -> Self {
        guard target < scale else { return self }
        let dropped = Array(digits.prefix(scale - target)) + zeros(scale - target - digits.count)
        var kept = Array(digits.dropFirst(scale - target))
        let last = dropped.last ?? 0
        let isTie = last == 5 && dropped.dropLast().allSatisfy { $0 == 0 }
        if isTie ? (kept.first ?? 0) % 2 == 1 : last >= 5 { kept = Self.sum(kept, [1]) }
        return Self(isNegative: isNegative, digits: kept, scale: target)
    }

    private mutating func trim() {
        while digits.last == 0 { digits.removeLast() }
        if digits.isEmpty { isNegative = false }
    }

    private func digits(atScale target: Int) -> [Int] { zeros(target - scale) + digits }

    private func zeros(_ count: Int) -> [Int] { [Int](repeating: 0, count: max(0, count)) }

    private static func carry(_ digits: inout [Int]) {
        for index in digits.indices.dropLast() {
            digits[index + 1] += digits[index] / 10
            digits[index] %= 10
        }
    }

    private static func sum(_ left: [Int], _ right: [Int]) -> [Int] {
        var result = [Int](repeating: 0, count: max(left.count, right.count) + 1)
        for (index, digit) in left.enumerated() { result[index] += digit }
        for (index, digit) in right.enumerated() { result[index] += digit }
        carry(&result)
        return result
    }

    /// The digits of `left - right`.
    ///
    /// `right` must not be larger.
    private static func difference(_ left: [Int], _ right: [Int]) -> [Int] {
        var result = left
        for (index, digit) in right.enumerated() where digit > 0 {
            result[index] -= digit
            var borrower = index
            while result[borrower] < 0 {
                result[borrower] += 10
                borrower += 1
                result[borrower] -= 1
            }
        }
        return result
    }

    private static func isLess(_ left: [Int], _ right: [Int]) -> Bool {
        let count = max(left.count, right.count)
        for index in (0..<count).reversed() {
            let first = index < left.count ? left[index] : 0
            let second = index < right.count ? right[index] : 0
            if first != second { return first < second }
        }
        return false
    }
}
