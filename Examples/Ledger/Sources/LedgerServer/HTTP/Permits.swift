// SPDX-License-Identifier: Apache-2.0

#if Server
import Synchronization

/// Limits the number of uploads or event streams that are open at the same time.
final class Permits: Sendable {
    /// An element after each release; the last one waits for its receiver.
    let releases: AsyncStream<Void>

    private let released: AsyncStream<Void>.Continuation
    private let free: Mutex<Int>

    init(_ count: Int) {
        free = Mutex(count)
        (releases, released) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Acquires a permit, which is released when the returned object is deallocated; `nil` if none is free.
    func tryAcquire() -> Permit? {
        free.withLock { free in
            guard free > 0 else { return nil }
            free -= 1
            return Permit(of: self)
        }
    }

    fileprivate func release() {
        free.withLock { $0 += 1 }
        released.yield()
    }
}

/// A permit of ``Permits``.
final class Permit: Sendable {
    private let permits: Permits

    fileprivate init(of permits: Permits) {
        self.permits = permits
    }

    deinit {
        permits.release()
    }
}
#endif
