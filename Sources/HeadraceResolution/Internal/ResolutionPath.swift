//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// What the current thread is making, outermost first; it gives the path for messages and finds cycles.
///
/// Factories are synchronous, so whatever is made on the way to an object is made on the same thread.
/// The path is a list of frames on the stack of that thread, reached through a thread-specific value:
/// entering and leaving allocates nothing.
enum ResolutionPath {
    @safe
    private struct Frame {
        let binding: Unmanaged<Binding>
        let outer: UnsafePointer<Frame>?
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let status = unsafe pthread_key_create(&key, nil)
        precondition(status == 0, "The system has no thread-specific key left (error \(status)).")
        return key
    }()

    /// Tells threads apart while they run.
    static var currentThread: UInt {
        #if canImport(Darwin)
        unsafe UInt(bitPattern: pthread_self())
        #else
        UInt(pthread_self())
        #endif
    }

    /// Runs `make` with `binding` at the end of the path.
    ///
    /// Stops the program where `binding` is on the path already: it would be made for ever.
    static func making<Instance>(_ binding: Binding, _ make: () -> Instance) -> Instance {
        let outer = unsafe innermost
        var frame = unsafe outer
        while let current = unsafe frame {
            if unsafe current.pointee.binding.toOpaque() == Unmanaged.passUnretained(binding).toOpaque() {
                ResolutionFailure.cycle(contracts(from: binding) + [binding.contract]).stop()
            }
            unsafe frame = current.pointee.outer
        }

        // The frame lives until `make` returns, and is taken off the path before that ends.
        return unsafe withUnsafePointer(to: Frame(binding: .passUnretained(binding), outer: outer)) { frame in
            _ = unsafe pthread_setspecific(key, UnsafeRawPointer(frame))
            defer { _ = unsafe pthread_setspecific(key, outer.map { unsafe UnsafeRawPointer($0) }) }
            return make()
        }
    }

    /// The types that are being made on this thread, outermost first.
    static var contracts: [Any.Type] {
        contracts(from: nil)
    }

    /// The names of what is being made on this thread, outermost first.
    static var names: [String] {
        bindings(from: nil).map(\.place.name)
    }

    /// The types that are being made on this thread, from `binding` (or the outermost) to the innermost.
    private static func contracts(from binding: Binding?) -> [Any.Type] {
        bindings(from: binding).map(\.contract)
    }

    private static func bindings(from binding: Binding?) -> [Binding] {
        var bindings: [Binding] = []
        var frame = unsafe innermost
        while let current = unsafe frame {
            let making = unsafe current.pointee.binding.takeUnretainedValue()
            bindings.append(making)
            if making === binding { break }
            unsafe frame = current.pointee.outer
        }
        return bindings.reversed()
    }

    private static var innermost: UnsafePointer<Frame>? {
        unsafe pthread_getspecific(key).map { unsafe UnsafePointer($0.assumingMemoryBound(to: Frame.self)) }
    }
}
