// SPDX-License-Identifier: Apache-2.0

#if Simulation
import CSimulationEscapes
import Runtime
import Synchronization

/// The place of an escape in the program: the call stack, whose names are looked up only for a report.
struct EscapePlace: Sendable {
    private let backtrace: Backtrace?

    /// Identifies the calls; two escapes with the same number are at the same place.
    let number: UInt

    /// The places so far; to find out the calls of one takes seconds in a large program.
    private static let places = Mutex<[UInt: EscapePlace]>([:])

    /// The place of the code that runs.
    static var current: EscapePlace {
        let number = headrace_call_stack()
        if let known = places.withLock({ $0[number] }) { return known }
        let backtrace = try? Backtrace.capture(limit: 32, top: 0)
        let place = EscapePlace(backtrace: backtrace, number: number)
        places.withLock { $0[number] = place }
        return place
    }

    /// The innermost function outside of the libraries of Swift and of the simulation, with its file and line.
    ///
    /// It takes seconds in a large program, because it reads the debug information.
    var name: String {
        let symbols = backtrace?.symbolicated(options: [.showSourceLocations, .useSymbolCache])
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
        "libswift", "libFoundation", "lib_Foundation", "libdispatch", "libBlocksRuntime", "libc.", "libpthread", "ld-linux",
    ]

    /// Parts of the names of functions of this module that are on each stack.
    private static let ownNames = ["Scheduler.", "SimulatedDefaultExecutor", "SimulatedMainExecutor", "EscapePlace."]
}
#endif
