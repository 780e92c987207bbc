// SPDX-License-Identifier: Apache-2.0

/// Source: developer.apple.com/documentation/swiftui/text.
public struct Text: View {
    public typealias Body = Never

    let content: String

    nonisolated public init<S: StringProtocol>(_ content: S) {
        self.content = String(content)
    }
}

/// Source: developer.apple.com/documentation/swiftui/button/init(action:label:) and init(_:action:)-lpm7.
public struct Button<Label: View> {
    let action: @MainActor () -> Void
    let label: Label

    @preconcurrency
    nonisolated public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        self.action = action
        self.label = label()
    }
}

extension Button: View {
    public typealias Body = Never
}

extension Button where Label == Text {
    @preconcurrency
    nonisolated public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {
        self.init(action: action) { Text(title) }
    }
}

/// Source: developer.apple.com/documentation/swiftui/textfield/init(_:text:).
public struct TextField<Label: View> {
    let label: Label
    let text: Binding<String>
}

extension TextField: View {
    public typealias Body = Never
}

extension TextField where Label == Text {
    nonisolated public init<S: StringProtocol>(_ title: S, text: Binding<String>) {
        self.label = Text(title)
        self.text = text
    }
}

/// Source: developer.apple.com/documentation/swiftui/list.
public struct List<SelectionValue: Hashable, Content: View> {
    let content: Content
}

extension List: View {
    public typealias Body = Never
}

extension List where SelectionValue == Never {
    nonisolated public init(@ViewBuilder content: () -> Content) {
        self.content = content()
    }
}

/// Source: developer.apple.com/documentation/swiftui/foreach.
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {
    let data: Data
    let content: (Data.Element) -> Content
}

extension ForEach where Content: View {
    nonisolated public init(
        _ data: Data,
        id: KeyPath<Data.Element, ID>,
        @ViewBuilder content: @escaping (Data.Element) -> Content
    ) {
        self.init(data: data, content: content)
    }
}

extension ForEach: View where Content: View {
    public typealias Body = Never
}

/// Source: developer.apple.com/documentation/swiftui/navigationpath.
public struct NavigationPath {}

/// Source: developer.apple.com/documentation/swiftui/navigationstack/init(root:).
public struct NavigationStack<Data, Root: View>: View {
    public typealias Body = Never

    let root: Root

    public init(@ViewBuilder root: () -> Root) where Data == NavigationPath {
        self.root = root()
    }
}

/// Source: developer.apple.com/documentation/swiftui/progressview/init().
public struct ProgressView<Label: View, CurrentValueLabel: View>: View {
    public typealias Body = Never

    nonisolated public init() where Label == EmptyView, CurrentValueLabel == EmptyView {}
}

/// Source: developer.apple.com/documentation/swiftui/group.
public struct Group<Content> {
    let content: Content
}

extension Group: View where Content: View {
    public typealias Body = Never

    nonisolated public init(@ViewBuilder content: () -> Content) {
        self.content = content()
    }
}
