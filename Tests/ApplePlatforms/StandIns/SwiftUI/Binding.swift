// SPDX-License-Identifier: Apache-2.0

/// Source: developer.apple.com/documentation/swiftui/binding.
@propertyWrapper
public struct Binding<Value> {
    private let read: () -> Value
    private let write: (Value) -> Void

    /// Source: developer.apple.com/documentation/swiftui/binding/init(get:set:)-7ufcp.
    ///
    /// The closures run on the actor that uses the binding. As in SwiftUI, it must be the actor of the closures.
    @preconcurrency
    public init(
        get: @escaping @isolated(any) @Sendable () -> Value,
        set: @escaping @isolated(any) @Sendable (Value) -> Void
    ) {
        let readActor = get.isolation
        let writeActor = set.isolation
        // The types differ only in the actor of the closure, which is checked before each call.
        let read = unsafeBitCast(get, to: (() -> Value).self)
        let write = unsafeBitCast(set, to: ((Value) -> Void).self)
        self.init {
            readActor?.preconditionIsolated()
            return read()
        } write: {
            writeActor?.preconditionIsolated()
            write($0)
        }
    }

    init(read: @escaping () -> Value, write: @escaping (Value) -> Void) {
        self.read = read
        self.write = write
    }

    public var wrappedValue: Value {
        get { read() }
        nonmutating set { write(newValue) }
    }

    public var projectedValue: Binding<Value> { self }
}

/// Source: developer.apple.com/documentation/swiftui/state; a property wrapper, as in the iOS 18 SDK.
@propertyWrapper
public struct State<Value>: DynamicProperty {
    /// Shared by the copies of one view.
    private final class Place {
        var storage: StateStorage<Value>

        init(_ storage: StateStorage<Value>) {
            self.storage = storage
        }
    }

    private let place: Place

    public init(wrappedValue value: Value) {
        place = Place(StateStorage(value))
    }

    public init(initialValue value: Value) {
        self.init(wrappedValue: value)
    }

    public var wrappedValue: Value {
        get { place.storage.value }
        nonmutating set { place.storage.value = newValue }
    }

    public var projectedValue: Binding<Value> {
        let storage = place.storage
        return Binding {
            storage.value
        } write: {
            storage.value = $0
        }
    }
}

extension State where Value: ExpressibleByNilLiteral {
    public init() {
        self.init(wrappedValue: nil)
    }
}

extension State: InstalledProperty {
    package func install(at place: String, on canvas: Canvas) {
        self.place.storage = canvas.storage(at: place, or: self.place.storage)
    }
}

/// The value of a state.
///
/// It outlives the views that declare the state.
final class StateStorage<Value> {
    var changed: (@MainActor () -> Void)?

    var value: Value {
        didSet {
            let changed = changed
            MainActor.assumeIsolated { changed?() }
        }
    }

    init(_ value: Value) {
        self.value = value
    }
}
