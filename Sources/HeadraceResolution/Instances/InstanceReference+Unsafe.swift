// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A reference to a ``SharedInstance`` that is set once, by the first caller, and read without a lock.
///
/// It is `AtomicLazyReference` for one class. `AtomicLazyReference` is generic and its code isn't specialized in other
/// modules, so each load takes about 300 instructions (Swift 6.3, Linux). This load is one instruction.
///
/// Why this is safe: the pointer changes once, from `nil` to an object that it owns. `deinit` releases the object, and
/// nothing uses the pointer after that. So the object of a loaded pointer is alive, and the caller retains it.
@safe
struct InstanceReference: ~Copyable, Sendable {
    private let pointer = unsafe Atomic<Unmanaged<SharedInstance>?>(nil)

    deinit {
        unsafe pointer.load(ordering: .acquiring)?.release()
    }

    /// The instance, or `nil` until an instance is set.
    func load() -> SharedInstance? {
        unsafe pointer.load(ordering: .acquiring)?.takeUnretainedValue()
    }

    /// The instance without a retain, for a caller that keeps this reference meanwhile.
    func unretained() -> Unmanaged<SharedInstance>? {
        unsafe pointer.load(ordering: .acquiring)
    }

    /// Sets `instance` if no instance is set, and returns the instance that is set now.
    func storeIfNil(_ instance: SharedInstance) -> SharedInstance {
        let desired = unsafe Unmanaged.passRetained(instance)
        let (exchanged, original) = unsafe pointer.compareExchange(
            expected: nil,
            desired: desired,
            successOrdering: .acquiringAndReleasing,
            failureOrdering: .acquiring
        )
        guard !exchanged, let winner = unsafe original else { return instance }
        unsafe desired.release()
        return unsafe winner.takeUnretainedValue()
    }
}
