//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A stored property of a value, found without its key path, which takes ten times as long.
@usableFromInline
struct PropertyOffset<Root, Value> {
    @usableFromInline let offset: Int

    /// Finds out where in `Root` the property is; `nil` where it is computed, observed, or in an object.
    @usableFromInline
    init?(_ path: WritableKeyPath<Root, Value>) {
        guard let offset = MemoryLayout<Root>.offset(of: path) else { return nil }
        self.offset = offset
    }

    /// Changes the property of `root` in place.
    ///
    /// Why it is safe: `MemoryLayout.offset(of:)` promises that a value of the type `Value` is at this offset of each `Root` in
    /// memory and may be read and written directly. The pointer does not leave the closure, during which `root` is
    /// accessed exclusively.
    @inlinable
    func modify(_ root: inout Root, _ body: (inout Value) -> Void) {
        unsafe withUnsafeMutablePointer(to: &root) { pointer in
            let property = unsafe UnsafeMutableRawPointer(pointer).advanced(by: offset)
            unsafe body(&property.assumingMemoryBound(to: Value.self).pointee)
        }
    }
}
