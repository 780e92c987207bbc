// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import Testing

/// Dispatching at the top level of a program, which the compiler treats like a synchronous function.
@Suite(.timeLimit(.minutes(2))) struct TopLevelTests {
    @Test func awaitingADispatchAtTheTopLevelAwaitsTheAction() throws {
        for run in 1...20 {
            let process = Process()
            let output = Pipe()
            // The tests and the subject are built into one folder.
            process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
                .appending(path: "TopLevelSubject")
            process.standardOutput = output
            try process.run()
            // Ends the program, should it wait for ever.
            let limit = DispatchWorkItem { process.terminate() }
            DispatchQueue.global().asyncAfter(deadline: .now() + 30, execute: limit)
            defer { limit.cancel() }
            let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()

            #expect(printed == "11\n12\n", "run \(run)")
            #expect(process.terminationStatus == 0, "run \(run)")
        }
    }
}
#endif
