// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension String {
    /// Whether this text and `other` have the same UTF-8 bytes.
    ///
    /// Why the unsafe code is right: the buffers live until the end of the closures, and `memcmp` reads `count` bytes
    /// of both, which is the size of both.
    package func hasSameBytes(as other: String) -> Bool {
        // Unequal counts are found without access to the bytes.
        guard utf8.count == other.utf8.count else { return false }
        let isSame: Bool?? = unsafe utf8.withContiguousStorageIfAvailable { left in
            unsafe other.utf8.withContiguousStorageIfAvailable { right in
                guard let one = left.baseAddress, let other = right.baseAddress else { return true }
                return unsafe memcmp(one, other, left.count) == 0
            }
        }
        // A text that is bridged from Objective-C has no contiguous bytes.
        if case .some(.some(let isSame)) = isSame { return isSame }
        return utf8.elementsEqual(other.utf8)
    }
}

extension BytewiseString {
    /// Returns a negative number if the string precedes `other`, zero if their bytes are equal, otherwise a positive number.
    ///
    /// Why the unsafe code is right: the buffers live until the end of the closures, and `memcmp` reads `count` bytes of both,
    /// which is at most the size of each. An empty buffer may have no address, and isn't read.
    func compare(_ other: BytewiseString) -> Int {
        let order: Int?? = unsafe text.utf8.withContiguousStorageIfAvailable { left in
            unsafe other.text.utf8.withContiguousStorageIfAvailable { right in
                let count = min(left.count, right.count)
                if count > 0, let one = left.baseAddress, let other = right.baseAddress {
                    let order = unsafe memcmp(one, other, count)
                    if order != 0 { return Int(order) }
                }
                return left.count - right.count
            }
        }
        if case .some(.some(let order)) = order { return order }
        // A text that is bridged from Objective-C has no contiguous bytes.
        if text.utf8.elementsEqual(other.text.utf8) { return 0 }
        return text.utf8.lexicographicallyPrecedes(other.text.utf8) ? -1 : 1
    }
}
