// SPDX-License-Identifier: Apache-2.0

extension DependencyGraph {
    /// A unique name for each type: the short name, or the name with its module if the short name isn't unique, or that name
    /// with a number if it isn't unique either.
    package var titles: [String] {
        let types = Self.distinct(nodes.map(\.contract))
        let short = Self.counted(types.map { TypeSpelling.short($0) })
        let full = Self.counted(types.map { TypeSpelling.full($0) })
        var used: [String: Int] = [:]
        var names: [ObjectIdentifier: String] = [:]
        for type in types {
            let shortName = TypeSpelling.short(type)
            let fullName = TypeSpelling.full(type)
            if short[shortName] == 1 {
                names[ObjectIdentifier(type)] = shortName
            } else if full[fullName] == 1 {
                names[ObjectIdentifier(type)] = fullName
            } else {
                used[fullName, default: 0] += 1
                names[ObjectIdentifier(type)] = "\(fullName) (\(used[fullName, default: 1]))"
            }
        }
        return nodes.map { $0.part?.label ?? names[ObjectIdentifier($0.contract)] ?? TypeSpelling.full($0.contract) }
    }

    private static func distinct(_ types: [Any.Type]) -> [Any.Type] {
        var seen: Set<ObjectIdentifier> = []
        return types.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    private static func counted(_ names: [String]) -> [String: Int] {
        Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
    }
}

extension DependencyNode {
    /// The lines below the name in a drawing.
    package var remarks: [String] {
        let word =
            switch kind {
            case .registration(let lifetime): lifetime.description
            case .part: part?.remark ?? "made later"
            case .missing: "missing"
            }
        let made = implementation.map { ["made as \(TypeSpelling.short($0))"] } ?? []
        return made + [([word] + details + (isOpaque ? ["opaque"] : [])).joined(separator: ", ")]
    }
}
