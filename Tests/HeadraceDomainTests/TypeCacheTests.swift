// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import HeadraceDomain

@Suite struct TypeCacheTests {
    private final class Name: Sendable {
        let text: String

        init(_ text: String) { self.text = text }
    }

    @Test func eachOfManyTypesKeepsItsFirstObject() {
        var types: [any Nestable.Type] = [Innermost.self]
        while types.count < 200 { types.append(types[types.count - 1].nested) }
        let cache = TypeCache<Name>()

        let first = types.map { type in cache.value(of: type) { Name("\(type)") } }
        let again = types.map { type in cache.value(of: type) { Name("another") } }

        #expect(zip(first, again).allSatisfy { $0 === $1 })
        #expect(Set(first.map(\.text)).count == 200)
    }
}

private protocol Nestable {}

extension Nestable {
    static var nested: any Nestable.Type { Nested<Self>.self }
}

private enum Innermost: Nestable {}
private enum Nested<Content: Nestable>: Nestable {}
