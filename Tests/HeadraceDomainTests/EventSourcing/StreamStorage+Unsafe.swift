// SPDX-License-Identifier: Apache-2.0

@testable import HeadraceDomain

extension EntityContext {
    /// The address of the storage of ``streams``, which a copy doesn't share.
    ///
    /// On Linux, a dictionary is one reference to its storage. The address is compared, and never used to access memory.
    var addressOfStreams: Int? {
        guard let streams, MemoryLayout.size(ofValue: streams) == MemoryLayout<Int>.size else { return nil }
        return unsafe unsafeBitCast(streams, to: Int.self)
    }
}
