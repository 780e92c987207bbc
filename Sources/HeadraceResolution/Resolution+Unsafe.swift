// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

// The parts of the module that the compiler can't check, each with its proof.

/// A shared object in a box, so that storage doesn't depend on its type.
///
/// Proof for `@unchecked Sendable`: Swift can't check a class with subclasses. This class stores nothing, and the only
/// subclass is ``TypedInstance``.
class Instance: @unchecked Sendable {
    fileprivate init() {}

    /// The object, which must be a `T`.
    ///
    /// Proof for the downcast: only a `Binding<T>` stores instances, and each of them is a `TypedInstance<T>` that it has
    /// created, or adopted from another `Binding<T>`.
    func value<T>(as type: T.Type) -> T {
        unsafe unsafeDowncast(self, to: TypedInstance<T>.self).value
    }
}

/// The box of a `T`.
///
/// Proof for `@unchecked Sendable`: the value is immutable, and it is `Sendable` or belongs to the main actor. Each
/// registration of a shared object demands `Sendable`, except on the main actor. There, a ``Binding`` checks the thread
/// before it creates or reads the value. The last reference to the box may end on any thread; then no other reference to
/// the value exists.
final class TypedInstance<T>: Instance, @unchecked Sendable {
    /// The object.
    let value: T

    init(_ value: T) {
        self.value = value
        super.init()
    }
}

/// A reference to an ``Instance`` that is set once, by the first caller, and read without a lock.
///
/// It is `AtomicLazyReference` for one class. `AtomicLazyReference` isn't specialized in other modules, so each load takes
/// about 300 instructions (Swift 6.3, Linux).
///
/// Proof: the pointer changes once, from `nil` to an object that it owns. `deinit` releases the object, and nothing uses
/// the pointer after that. So the object of a loaded pointer is alive during each method.
@safe
struct InstanceReference: ~Copyable, Sendable {
    private let pointer = unsafe Atomic<Unmanaged<Instance>?>(nil)

    deinit {
        unsafe pointer.load(ordering: .acquiring)?.release()
    }

    /// The instance, or `nil` until an instance is set.
    func load() -> Instance? {
        unsafe pointer.load(ordering: .acquiring)?.takeUnretainedValue()
    }

    /// Returns the object of the instance, or the result of `make` if no instance is set.
    ///
    /// It doesn't retain the instance, and needs no `T?`, which the runtime would look up.
    func value<T>(or make: () -> T) -> T {
        guard let instance = unsafe pointer.load(ordering: .acquiring) else { return make() }
        return unsafe instance._withUnsafeGuaranteedRef { $0.value(as: T.self) }
    }

    /// Sets `instance` if no instance is set, and returns the instance that is set now.
    func storeIfNil(_ instance: Instance) -> Instance {
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

extension AnyBinding {
    /// Returns the object for a caller in `scope`, which must be a `type`; see ``Binding/instance(for:given:)``.
    ///
    /// Proof for the downcast: ``Binding`` is the only class with this protocol, and its contract is its `T`. Callers find
    /// the binding by its contract.
    func instance<T>(of type: T.Type, for scope: ResolutionScope, given: any DependencyResolutionScope) -> T {
        unsafe unsafeDowncast(self, to: Binding<T>.self).instance(for: scope, given: given)
    }
}

/// The bindings whose objects the current thread is creating, outermost first.
///
/// Messages show the path, and it reveals cycles. Factories are synchronous, so an object and its dependencies are created
/// on the same thread. A task-local value would be wrong: a task that a factory starts would inherit the path.
///
/// Proof: the thread-specific value owns the list, which only its own thread uses, and frees it when the thread ends.
enum ResolutionPath {
    private typealias Bindings = [any AnyBinding]

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let status = unsafe pthread_key_create(&key) { pointer in
            let bindings: UnsafeMutableRawPointer? = unsafe pointer
            guard let bindings = unsafe bindings?.assumingMemoryBound(to: Bindings.self) else { return }
            unsafe bindings.deinitialize(count: 1)
            unsafe bindings.deallocate()
        }
        precondition(status == 0, "The system has no thread-specific key left (error \(status)).")
        return key
    }()

    private static var current: UnsafeMutablePointer<Bindings> {
        if let bindings = unsafe pthread_getspecific(key) {
            return unsafe bindings.assumingMemoryBound(to: Bindings.self)
        }
        let bindings = UnsafeMutablePointer<Bindings>.allocate(capacity: 1)
        unsafe bindings.initialize(to: [])
        _ = unsafe pthread_setspecific(key, bindings)
        return unsafe bindings
    }

    /// Runs `make` with `binding` at the end of the path.
    ///
    /// Stops the program if `binding` is on the path already, because creating its object would never end.
    static func making<Made>(_ binding: any AnyBinding, _ make: () -> Made) -> Made {
        let path = unsafe current
        if let start = unsafe path.pointee.firstIndex(where: { $0 === binding }) {
            ResolutionFailure.cycle((unsafe path.pointee[start...] + [binding]).map(\.contract)).stop()
        }
        unsafe path.pointee.append(binding)
        defer { unsafe path.pointee.removeLast() }
        return make()
    }

    /// The types that this thread is creating, outermost first.
    static var contracts: [Any.Type] { unsafe current.pointee.map(\.contract) }

    /// The names of the objects that this thread is creating, outermost first.
    static var names: [String] { unsafe current.pointee.map(\.description.name) }
}
