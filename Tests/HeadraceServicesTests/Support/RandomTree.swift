// SPDX-License-Identifier: Apache-2.0

import HeadraceTesting

/// A tree of services as a value, for a cluster and for the interpreter.
indirect enum RandomTree: Sendable {
    enum Kind: CaseIterable, Sendable { case ping, pong, recovery }

    struct LeafPart: Sendable {
        var id: Int
        var kind: Kind
        var fails: Bool

        /// Whether the leaf sends a pong when it receives a ping.
        var sends: Bool
        var suspensions: Int
    }

    enum Around: CaseIterable, Sendable { case pre, post, observe }

    /// The result of a `transformError` modifier.
    enum Transformation: CaseIterable, Sendable { case recovery, nothing, failure }

    case leaf(LeafPart)
    case group([RandomTree], isSerial: Bool?)
    case hook(Around, id: Int, isForPingsOnly: Bool, fails: Bool, RandomTree)
    case transform(id: Int, Transformation, RandomTree)

    static func make(depth: Int, using generator: inout SeededGenerator) -> RandomTree {
        var id = 0
        return make(depth: depth, id: &id, using: &generator)
    }

    private static func make(depth: Int, id: inout Int, using generator: inout SeededGenerator) -> RandomTree {
        func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }
        id += 1
        let own = id
        if depth == 0 || chance(15) {
            let kind: Kind = chance(60) ? .ping : chance(50) ? .pong : .recovery
            return .leaf(
                LeafPart(
                    id: own,
                    kind: kind,
                    fails: chance(15),
                    sends: kind == .ping && chance(15),
                    suspensions: Int.random(in: 0...2, using: &generator)
                )
            )
        }
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<6:
            let count = Int.random(in: 0...4, using: &generator)
            let isSerial: Bool? = chance(40) ? nil : chance(50)
            var children: [RandomTree] = []
            for _ in 0..<count { children.append(make(depth: depth - 1, id: &id, using: &generator)) }
            return .group(children, isSerial: isSerial)
        case 6..<8:
            let around = Around.allCases.randomElement(using: &generator) ?? .pre
            let (isForPingsOnly, fails) = (chance(50), around != .observe && chance(15))
            let inner = make(depth: depth - 1, id: &id, using: &generator)
            return .hook(around, id: own, isForPingsOnly: isForPingsOnly, fails: fails, inner)
        default:
            let transformation = Transformation.allCases.randomElement(using: &generator) ?? .recovery
            return .transform(id: own, transformation, make(depth: depth - 1, id: &id, using: &generator))
        }
    }
}
