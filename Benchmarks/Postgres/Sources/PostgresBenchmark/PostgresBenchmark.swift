// SPDX-License-Identifier: Apache-2.0

import Floor
import Foundation

/// Compares ``HeadracePostgres/PostgresStore`` with loops in C over libpq, in the same run.
///
/// It needs a server. Its URL is in `HEADRACE_POSTGRES_URL`. The server must wait for the disk.
@main
enum PostgresBenchmark {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let url = ProcessInfo.processInfo.environment["HEADRACE_POSTGRES_URL"] else {
            print("To fix, run: HEADRACE_POSTGRES_SETTINGS='-c fsync=on' Scripts/postgres postgres-benchmark")
            exit(EX_USAGE)
        }
        Task.detached {
            do {
                if arguments.first == "worker" {
                    try await Worker(url: url, arguments: Array(arguments.dropFirst())).run()
                    exit(EXIT_SUCCESS)
                }
                let bench = try await Rows(url: url, arguments: arguments)
                exit(try await bench.run() ? EXIT_SUCCESS : EXIT_FAILURE)
            } catch {
                print("error: \(error)")
                exit(EXIT_FAILURE)
            }
        }
        DispatchSemaphore(value: 0).wait()
    }
}
