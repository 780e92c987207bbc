// SPDX-License-Identifier: Apache-2.0

extension View {
    /// Source: a back-port of the method, with its declaration in the iOS 15 SDK
    /// (gist.github.com/alexito4/4a9a7c6e3dc447a4f762cf1cf7346b5e).
    ///
    /// The method on developer.apple.com/documentation/swiftui/view/task(name:priority:file:line:_:) has more
    /// parameters, and its `action` is `sending` and `@isolated(any)`.
    nonisolated public func task(
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View {
        Modified(content: self) { $0.begin(action, priority: priority) }
    }

    /// Source: developer.apple.com/documentation/swiftui/view/sheet(item:ondismiss:content:).
    nonisolated public func sheet<Item: Identifiable, Content: View>(
        item: Binding<Item?>,
        onDismiss: (() -> Void)? = nil,
        @ViewBuilder content: @escaping (Item) -> Content
    ) -> some View {
        Presenting(base: self, item: item, content: content)
    }

    /// Source: developer.apple.com/documentation/swiftui/view/toolbar(content:).
    nonisolated public func toolbar<Content: ToolbarContent>(
        @ToolbarContentBuilder content: () -> Content
    ) -> some View {
        let items = content()
        return Modified(content: self) { $0.draw(items: items) }
    }
}

struct Modified<Content> {
    let content: Content
    let addition: @MainActor (Canvas) -> Void
}

extension Modified: View where Content: View {
    typealias Body = Never
}

extension Modified: DrawnView where Content: View {
    func draw(on canvas: Canvas) {
        canvas.draw(content)
        addition(canvas)
    }
}

struct Presenting<Base, Item, Content> {
    let base: Base
    let item: Binding<Item?>
    let content: (Item) -> Content
}

extension Presenting: View where Base: View, Content: View {
    typealias Body = Never
}

extension Presenting: DrawnView where Base: View, Content: View {
    func draw(on canvas: Canvas) {
        canvas.draw(base)
        if let item = item.wrappedValue { canvas.draw(content(item)) }
    }
}

/// Source: developer.apple.com/documentation/swiftui/toolbarcontent; without `body`, because its items draw themselves.
@MainActor @preconcurrency
public protocol ToolbarContent {}

@MainActor
package protocol DrawnToolbarContent: ToolbarContent {
    func draw(on canvas: Canvas)
}

extension Canvas {
    func draw(items: some ToolbarContent) {
        (items as? any DrawnToolbarContent)?.draw(on: self)
    }
}

/// Source: developer.apple.com/documentation/swiftui/toolbarcontentbuilder.
@resultBuilder
public struct ToolbarContentBuilder {
    public static func buildBlock<each Content: ToolbarContent>(_ content: repeat each Content) -> some ToolbarContent {
        ToolbarItems(items: (repeat each content))
    }
}

struct ToolbarItems<each Item: ToolbarContent> {
    let items: (repeat each Item)
}

extension ToolbarItems: DrawnToolbarContent {
    func draw(on canvas: Canvas) {
        for item in repeat each items { canvas.draw(items: item) }
    }
}

/// Source: developer.apple.com/documentation/swiftui/toolbaritemplacement.
public struct ToolbarItemPlacement: Sendable {
    public static let automatic = ToolbarItemPlacement()
    public static let primaryAction = ToolbarItemPlacement()
    public static let secondaryAction = ToolbarItemPlacement()
}

/// Source: developer.apple.com/documentation/swiftui/toolbaritem/init(placement:content:).
public struct ToolbarItem<ID, Content: View> {
    let content: Content
}

extension ToolbarItem where ID == () {
    nonisolated public init(
        placement: ToolbarItemPlacement = .automatic,
        @ViewBuilder content: () -> Content
    ) {
        self.init(content: content())
    }
}

extension ToolbarItem: DrawnToolbarContent {
    package func draw(on canvas: Canvas) {
        canvas.draw(content)
    }
}
