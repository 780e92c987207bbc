// SPDX-License-Identifier: Apache-2.0

/// Source: developer.apple.com/documentation/swiftui/view.
@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public typealias Body = Never

    public var body: Never { preconditionFailure("There is no value of this type.") }
}

extension View where Body == Never {
    /// Never called, because the view draws itself.
    public var body: Never { preconditionFailure("'\(Self.self)' draws itself.") }
}

/// Source: developer.apple.com/documentation/swiftui/dynamicproperty; without `update()`.
public protocol DynamicProperty {}

/// Source: developer.apple.com/documentation/swiftui/viewbuilder.
@resultBuilder
public struct ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }

    public static func buildBlock() -> EmptyView { EmptyView() }

    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }

    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> {
        TupleView((repeat each content))
    }

    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }

    public static func buildEither<First: View, Second: View>(first: First) -> _ConditionalContent<First, Second> {
        _ConditionalContent(storage: .first(first))
    }

    public static func buildEither<First: View, Second: View>(second: Second) -> _ConditionalContent<First, Second> {
        _ConditionalContent(storage: .second(second))
    }
}

/// Source: developer.apple.com/documentation/swiftui/emptyview.
public struct EmptyView: View {
    public typealias Body = Never

    nonisolated public init() {}
}

/// Source: developer.apple.com/documentation/swiftui/tupleview.
public struct TupleView<T> {
    public let value: T

    nonisolated public init(_ value: T) {
        self.value = value
    }
}

extension TupleView: View {
    public typealias Body = Never
}

/// Source: developer.apple.com/documentation/swiftui/_conditionalcontent.
public struct _ConditionalContent<TrueContent, FalseContent> {
    enum Storage {
        case first(TrueContent)
        case second(FalseContent)
    }

    let storage: Storage
}

extension _ConditionalContent: View where TrueContent: View, FalseContent: View {
    public typealias Body = Never
}

extension Optional: View where Wrapped: View {
    public typealias Body = Never
}
