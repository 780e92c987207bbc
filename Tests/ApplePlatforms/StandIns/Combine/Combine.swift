// SPDX-License-Identifier: Apache-2.0

/// Source: developer.apple.com/documentation/combine/publisher; without `receive(subscriber:)`.
public protocol Publisher<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error
}

/// Source: developer.apple.com/documentation/combine/anycancellable; without `Hashable` and `store(in:)`.
final public class AnyCancellable {
    private var onCancel: (() -> Void)?

    public init(_ cancel: @escaping () -> Void) {
        onCancel = cancel
    }

    deinit {
        onCancel?()
    }

    final public func cancel() {
        onCancel?()
        onCancel = nil
    }
}

/// Source: developer.apple.com/documentation/combine/observableobject; without `objectWillChange`.
public protocol ObservableObject: AnyObject {}

/// Source: developer.apple.com/documentation/combine/published; without the subscript of the enclosing instance.
@propertyWrapper
public struct Published<Value> {
    /// Source: developer.apple.com/documentation/combine/published/publisher.
    public struct Publisher: StandInCombine.Publisher {
        public typealias Output = Value
        public typealias Failure = Never

        fileprivate let subscribers: Subscribers<Value>

        /// Source: developer.apple.com/documentation/combine/publisher/sink(receivevalue:).
        public func sink(receiveValue: @escaping (Value) -> Void) -> AnyCancellable {
            subscribers.add(receiveValue)
        }
    }

    private let subscribers: Subscribers<Value>

    public init(wrappedValue: Value) {
        subscribers = Subscribers(value: wrappedValue)
    }

    public init(initialValue: Value) {
        self.init(wrappedValue: initialValue)
    }

    public var wrappedValue: Value {
        get { subscribers.value }
        nonmutating set { subscribers.send(newValue) }
    }

    public var projectedValue: Publisher { Publisher(subscribers: subscribers) }
}

/// The value of a published property, and the closures that receive it.
private final class Subscribers<Value> {
    private(set) var value: Value
    private var closures: [Int: (Value) -> Void] = [:]
    private var lastNumber = 0

    init(value: Value) {
        self.value = value
    }

    func add(_ closure: @escaping (Value) -> Void) -> AnyCancellable {
        lastNumber += 1
        let number = lastNumber
        closures[number] = closure
        closure(value)
        return AnyCancellable { [weak self] in self?.closures[number] = nil }
    }

    func send(_ newValue: Value) {
        for (_, closure) in closures.sorted(by: { $0.key < $1.key }) { closure(newValue) }
        value = newValue
    }
}
