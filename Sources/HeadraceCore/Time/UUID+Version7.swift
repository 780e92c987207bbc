// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension UUID {
    /// Returns a new UUID of version 7.
    ///
    /// Later UUIDs of a process sort after earlier ones, as bytes and as text.
    ///
    /// A UUID consists of 48 bits of Unix time in milliseconds, a counter of 12 bits, and 62 random bits. The counter
    /// restarts each millisecond. When it overflows, the time advances to the next millisecond.
    ///
    /// If a test has replaced the ``SystemValues``, they make the UUID.
    ///
    /// Source: RFC 9562, section 5.7 and method 1 of section 6.2,
    /// <https://www.rfc-editor.org/rfc/rfc9562>.
    public static func version7() -> UUID {
        SystemValues.bound?.uuid() ?? .systemVersion7()
    }

    /// Returns a new UUID of version 7 by the system clock.
    @usableFromInline
    static func systemVersion7() -> UUID {
        Version7Sequence.shared.next(now: UInt64(max(0, Date().timeIntervalSince1970 * 1000)))
    }
}
