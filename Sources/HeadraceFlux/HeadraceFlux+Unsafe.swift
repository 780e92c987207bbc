// SPDX-License-Identifier: Apache-2.0

/// A key of an action, under which a newer action replaces an older one.
///
/// Why `@unchecked Sendable` is right here: `AnyHashable` isn't `Sendable`, but the value never leaves this type. The queue
/// only hashes and compares it, within its lock, so no two threads use it at once.
struct CoalescingKey: Hashable, @unchecked Sendable {
    private let value: AnyHashable

    init(_ value: AnyHashable) { self.value = value }
}
