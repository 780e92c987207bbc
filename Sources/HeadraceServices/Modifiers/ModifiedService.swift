// SPDX-License-Identifier: Apache-2.0

/// A service with a modifier.
public struct ModifiedService<Base: Service>: Service {
    let base: Base

    /// Makes the node from the node of the base.
    typealias MakeNode = @MainActor (TreeNode) -> TreeNode

    /// Changes the context of the base, and returns the function that makes the node after the base has been read.
    let enter: @MainActor (inout ReadingContext) -> MakeNode

    init(_ base: Base, enter: @escaping @MainActor (inout ReadingContext) -> MakeNode) {
        self.base = base
        self.enter = enter
    }
}

extension ModifiedService: BuiltInService {
    func beginReading(in context: ReadingContext) -> ServiceReading {
        var inner = context
        let makeNode = enter(&inner)
        return ServiceReading(of: base, in: inner, makeNode: makeNode)
    }
}

extension ModifiedService: StoreService where Base: StoreService {
    /// The type of the store's model.
    public typealias Model = Base.Model
}

extension Service {
    /// Returns the service with a modifier that changes the context of the services under it.
    func modified(
        _ remark: String? = nil,
        _ change: @escaping @MainActor (inout ReadingContext) -> Void
    ) -> ModifiedService<Self> {
        ModifiedService(self) { context in
            change(&context)
            return { base in remark.map { TreeNode(.inner(base), label: .remark($0)) } ?? base }
        }
    }
}
