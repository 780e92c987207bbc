// SPDX-License-Identifier: Apache-2.0

#if Simulations
/// The place of an escape in the program: the calls that led to it, whose names are looked up only for a report.
struct EscapePlace: Hashable, Sendable {
    /// The addresses of the calls, innermost first.
    private let calls: [UInt]

    /// The place of the code that runs.
    static var current: EscapePlace { EscapePlace(calls: Scheduler.currentCalls) }

    /// The innermost function outside of the libraries of Swift and of the simulation.
    var name: String {
        let functions = calls.compactMap { Scheduler.function(at: $0) }
        let entry = functions.firstIndex { function in Self.entries.contains { function.name.contains($0) } } ?? -1
        let caller = functions.dropFirst(entry + 1).first { function in
            !Self.libraries.contains { function.image.hasPrefix($0) } && !Self.isLibrary(function.name)
        }
        return caller.map { "'\($0.name)'" } ?? "An unknown function"
    }

    /// Whether the function with this name is a copy of a function of a library, or belongs to the executors.
    private static func isLibrary(_ name: String) -> Bool {
        name.hasPrefix("Swift.") || name.contains(" of Swift.") || name.hasPrefix("Foundation")
            || entries.contains { name.contains($0) }
    }

    private static let libraries = [
        "libswift", "libFoundation", "lib_Foundation", "libdispatch", "libBlocksRuntime", "libc.", "libpthread",
        "ld-linux",
    ]

    /// Parts of the names of the functions by which an escape is noticed.
    private static let entries = [
        "HeadraceSimulation.SimulatedDefaultExecutor", "HeadraceSimulation.SimulatedMainExecutor", "clock_gettime",
        "gettimeofday", "getrandom", "getentropy", "nanosleep", "usleep", "sem_wait", "sem_timedwait", "pthread_create",
        "syscall",
    ]
}
#endif
