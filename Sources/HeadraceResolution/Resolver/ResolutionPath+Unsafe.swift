// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The objects that the current thread is creating, outermost first.
///
/// Messages show the path, and it reveals cycles.
///
/// Factories are synchronous, so an object and its dependencies are created on the same thread. The path is a linked list
/// of frames on the stack of that thread, and a thread-specific value points to the innermost frame: entering and leaving
/// a frame allocates nothing.
///
/// Why this is safe: a frame lives until `make` returns, and is removed from the list before that. Only its own thread
/// reads the list. The scope that resolves a binding keeps the binding alive meanwhile.
enum ResolutionPath {
    /// An element of the path: the base class of bindings.
    ///
    /// Why `@unchecked Sendable` is right here: the class has one immutable `Sendable` value; for the subclasses see
    /// ``Binding``.
    class Element: @unchecked Sendable {
        /// The registration that the element stands for.
        let description: BindingDescription

        /// The type that is resolved.
        var contract: Any.Type { description.contract }

        init(_ description: BindingDescription) {
            self.description = description
        }
    }

    @safe
    private struct Frame {
        let element: Unmanaged<Element>
        let outer: UnsafePointer<Frame>?
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let status = unsafe pthread_key_create(&key, nil)
        precondition(status == 0, "The system has no thread-specific key left (error \(status)).")
        return key
    }()

    /// The ID of the current thread, unique among running threads.
    static var currentThread: UInt {
        #if canImport(Darwin)
        unsafe UInt(bitPattern: pthread_self())
        #else
        UInt(pthread_self())
        #endif
    }

    /// Runs `make` with `element` at the end of the path.
    ///
    /// Stops the program if `element` is on the path already, because creating it would never end.
    static func making<Instance>(_ element: Element, _ make: () -> Instance) -> Instance {
        let outer = unsafe innermost
        var frame = unsafe outer
        while let current = unsafe frame {
            if unsafe current.pointee.element.toOpaque() == Unmanaged.passUnretained(element).toOpaque() {
                ResolutionFailure.cycle(contracts(from: element) + [element.contract]).stop()
            }
            unsafe frame = current.pointee.outer
        }

        // The frame lives until `make` returns, and is taken off the path before that ends.
        return unsafe withUnsafePointer(to: Frame(element: .passUnretained(element), outer: outer)) { frame in
            _ = unsafe pthread_setspecific(key, UnsafeRawPointer(frame))
            defer { _ = unsafe pthread_setspecific(key, outer.map { unsafe UnsafeRawPointer($0) }) }
            return make()
        }
    }

    /// The types that this thread is creating, outermost first.
    static var contracts: [Any.Type] {
        contracts(from: nil)
    }

    /// The names of the objects that this thread is creating, outermost first.
    static var names: [String] {
        elements(from: nil).map(\.description.name)
    }

    /// The types that this thread is creating, from `element` (or the outermost) to the innermost.
    private static func contracts(from element: Element?) -> [Any.Type] {
        elements(from: element).map(\.contract)
    }

    private static func elements(from first: Element?) -> [Element] {
        var elements: [Element] = []
        var frame = unsafe innermost
        while let current = unsafe frame {
            let element = unsafe current.pointee.element.takeUnretainedValue()
            elements.append(element)
            if element === first { break }
            unsafe frame = current.pointee.outer
        }
        return elements.reversed()
    }

    private static var innermost: UnsafePointer<Frame>? {
        unsafe pthread_getspecific(key).map { unsafe UnsafePointer($0.assumingMemoryBound(to: Frame.self)) }
    }
}
