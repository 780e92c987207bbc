// SPDX-License-Identifier: Apache-2.0

#if Simulations
import CSimulationEscapes
import Runtime
import Synchronization

/// The place of an escape in the program: the call stack, whose names are looked up only for a report.
struct EscapePlace: Sendable {
    private let backtrace: Backtrace?

    /// Identifies the calls; two escapes with the same number are at the same place.
    let number: UInt

    /// The places so far.
    ///
    /// Its lock also lets one thread at a time look for calls and names, which takes seconds and a gigabyte in a large program.
    private static let places = Mutex<[UInt: EscapePlace]>([:])

    /// The place of the code that runs.
    static var current: EscapePlace {
        let number = headrace_call_stack()
        return places.withLock { places in
            if let known = places[number] { return known }
            let place = EscapePlace(backtrace: try? Backtrace.capture(limit: 32, top: 0), number: number)
            places[number] = place
            return place
        }
    }

    /// The innermost function outside of the libraries of Swift and of the simulation, with its file and line.
    ///
    /// It takes seconds in a large program, because it reads the debug information.
    var name: String {
        let symbols = Self.places.withLock { _ in
            backtrace?.symbolicated(options: [.showSourceLocations, .useSymbolCache])
        }
        for frame in symbols?.frames ?? [] {
            guard let symbol = frame.symbol else { continue }
            if Self.libraries.contains(where: { symbol.imageName.hasPrefix($0) }) { continue }
            if Self.ownNames.contains(where: { symbol.name.contains($0) }) { continue }
            let location = symbol.sourceLocation.map { " (\($0))" } ?? ""
            if location.contains("/CSimulationEscapes/") { continue }
            return "'\(symbol.name)'\(location)"
        }
        return "An unknown function"
    }

    private static let libraries = [
        "libswift", "libFoundation", "lib_Foundation", "libdispatch", "libBlocksRuntime", "libc.", "libpthread",
        "ld-linux",
    ]

    /// Parts of the names of functions of this module that are on each stack.
    private static let ownNames = ["Scheduler.", "SimulatedDefaultExecutor", "SimulatedMainExecutor", "EscapePlace."]
}
#endif
