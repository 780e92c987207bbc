// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The result of a figure.
struct Measurement {
    /// Median of the subject over the rounds, in nanoseconds per operation.
    let subject: Double

    /// Median of the floor over the rounds, in nanoseconds per operation.
    let floor: Double

    /// Median of the ratios of the rounds.
    ///
    /// A disturbance of a round affects both of its halves.
    let ratio: Double

    /// Range that contains four of five ratios.
    let spread: ClosedRange<Double>

    /// Measures `figure` in rounds.
    ///
    /// Each round runs the floor and then the subject.
    init(_ figure: Figure, rounds: Int) async throws {
        let floor = figure.floor.makeLoop()
        let subject = figure.subject.makeLoop()
        let clock = figure.subject.isConcurrent ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID
        let floorIterations = try await Self.iterations(of: floor, by: clock)
        let subjectIterations = try await Self.iterations(of: subject, by: clock)

        var floors: [Double] = []
        var subjects: [Double] = []
        for _ in 0..<rounds {
            floors.append(try await Self.time(floor, floorIterations, by: clock))
            subjects.append(try await Self.time(subject, subjectIterations, by: clock))
        }

        self.floor = Self.median(floors)
        self.subject = Self.median(subjects)
        let ratios = zip(subjects, floors).map { $0 / $1 }.sorted()
        ratio = Self.median(ratios)
        spread = ratios[ratios.count / 10]...ratios[ratios.count - 1 - ratios.count / 10]
    }

    /// Returns a number of iterations that takes about three milliseconds.
    ///
    /// The search also warms up the workload.
    private static func iterations(
        of loop: @Sendable (Int) async throws -> Void,
        by clock: clockid_t
    ) async throws -> Int {
        var iterations = 1_000
        while try await time(loop, iterations, by: clock) * Double(iterations) < 3_000_000 {
            iterations *= 2
        }
        return iterations
    }

    /// Returns the nanoseconds per iteration.
    private static func time(
        _ loop: @Sendable (Int) async throws -> Void,
        _ iterations: Int,
        by clock: clockid_t
    ) async throws -> Double {
        let start = processorTime(by: clock)
        try await loop(iterations)
        return (processorTime(by: clock) - start) / Double(iterations)
    }

    /// Returns the processor time of this thread, or of all threads, in nanoseconds, without waits for a processor.
    ///
    /// A loop that does not suspend ends on the thread on which it began.
    private static func processorTime(by clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    private static func median(_ values: [Double]) -> Double {
        values.sorted()[values.count / 2]
    }
}
