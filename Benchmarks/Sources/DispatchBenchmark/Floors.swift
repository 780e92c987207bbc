// SPDX-License-Identifier: Apache-2.0

import DispatchSubjects
import Measuring

/// Workloads of a program without this package.
extension Workload {
    /// Finds an object in a dictionary keyed by the identity of its type.
    static let lookUp = Workload("floor-look-up") {
        let registry = makeRegistry()
        return { iterations in
            for _ in 0..<iterations {
                if let object = registry.find(Settings.self) { consume(object) }
            }
        }
    }

    /// Allocates an object with one word of storage.
    static let makeObject = Workload("floor-make-object") {
        { iterations in
            for _ in 0..<iterations { consume(Settings()) }
        }
    }

    /// Finds an object, and creates another object with it.
    static let makeObjectAndLookUp = Workload("floor-make-object-and-look-up") {
        let registry = makeRegistry()
        return { iterations in
            for _ in 0..<iterations {
                guard let settings = registry.find(Settings.self) else { continue }
                consume(Store(settings: unsafeDowncast(settings, to: Settings.self)))
            }
        }
    }

    /// Creates a graph of three objects, with three lookups.
    static let makeThreeAndLookUpThree = Workload("floor-make-three-and-look-up-three") {
        let registry = makeRegistry()
        return { iterations in
            for _ in 0..<iterations {
                for _ in 0..<3 {
                    if let object = registry.find(Settings.self) { consume(object) }
                }
                consume(Screen(store: Store(settings: Settings())))
            }
        }
    }

    /// Finds a closure by the type of a command.
    ///
    /// The closure creates a handler and calls it.
    static let handWrittenCommand = Workload("floor-command") {
        let dispatcher = HandWrittenDispatcher<Add, Void>([
            ObjectIdentifier(Add.self): { try await AddHandler().handle($0) }
        ])
        return { iterations in
            for number in 0..<iterations {
                try await dispatcher.dispatch(Add(amount: number))
            }
        }
    }

    /// Finds a closure by the type of a query.
    ///
    /// The closure creates a handler and calls it.
    static let handWrittenQuery = Workload("floor-query") {
        let dispatcher = HandWrittenDispatcher<Double, Int>([
            ObjectIdentifier(Double.self): { try await DoubleHandler().handle($0) }
        ])
        return { iterations in
            for number in 0..<iterations {
                consume(try await dispatcher.dispatch(Double(number: number)))
            }
        }
    }

    /// A registry of ten objects.
    private static func makeRegistry() -> HandWrittenRegistry {
        let types: [Any.Type] = [
            Bool.self, Character.self, Float.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, String.self,
        ]
        var objects = [ObjectIdentifier(Settings.self): Settings()]
        for type in types { objects[ObjectIdentifier(type)] = Settings() }
        return HandWrittenRegistry(objects)
    }
}
