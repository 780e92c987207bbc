// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import HeadraceClient
import HeadraceCommands
import Measuring
import NIOCore
import NIOHTTP1

/// Measures messages that a `RemoteDispatcher` sends against the same requests that a program sends by async-http-client.
///
/// The server is in the same process and the same in both cases, so its time counts, too.
@main
enum ClientBenchmark {
    static func main() {
        Benchmark([
            Figure(remoteCommand, floor: postedCommand, atMost: 1.3),
            Figure(remoteQuery, floor: requestedQuery, atMost: 1.6),
        ]).run()
    }

    private static let remoteCommand = Workload("remote-command", concurrent: true) {
        { iterations in
            let remote = try RemoteDispatcher(
                Seats.api, at: try await SeatServer.address, through: AsyncHTTPClientTransport(), configuration)
            for number in 0..<iterations {
                let reservation = try await remote.dispatch(ReserveSeat(seat: number, guest: "Ada"))
                precondition(reservation.seat == number)
            }
        }
    }

    private static let postedCommand = Workload("posted-command", concurrent: true) {
        { iterations in
            let address = try await SeatServer.address
            try await withClient { client in
                let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
                for number in 0..<iterations {
                    var request = HTTPClientRequest(url: "\(address)/seats/\(number)")
                    request.method = .PUT
                    request.headers.add(name: "Content-Type", value: "application/json")
                    request.headers.add(name: "Authorization", value: "Bearer ada")
                    request.headers.add(name: "Idempotency-Key", value: UUID().uuidString)
                    request.body = .bytes(try encoder.encode(ReserveSeat(seat: number, guest: "Ada")))
                    let response = try await client.execute(request, timeout: .seconds(60))
                    let body = try await response.body.collect(upTo: 1 << 20)
                    let reservation = try decoder.decode(Reservation.self, from: Data(body.readableBytesView))
                    precondition(response.status == .ok && reservation.seat == number)
                }
            }
        }
    }

    private static let remoteQuery = Workload("remote-query", concurrent: true) {
        { iterations in
            let remote = try RemoteDispatcher(
                Seats.api, at: try await SeatServer.address, through: AsyncHTTPClientTransport(), configuration)
            for number in 0..<iterations {
                let left = try await remote.dispatch(SeatsLeft(row: number))
                precondition(left == number)
            }
        }
    }

    private static let requestedQuery = Workload("requested-query", concurrent: true) {
        { iterations in
            let address = try await SeatServer.address
            try await withClient { client in
                let decoder = JSONDecoder()
                for number in 0..<iterations {
                    var request = HTTPClientRequest(url: "\(address)/rows/\(number)")
                    request.headers.add(name: "Authorization", value: "Bearer ada")
                    let response = try await client.execute(request, timeout: .seconds(60))
                    let body = try await response.body.collect(upTo: 1 << 20)
                    let left = try decoder.decode(Int.self, from: Data(body.readableBytesView))
                    precondition(left == number)
                }
            }
        }
    }

    private static var configuration: RemoteDispatcher.Configuration {
        var configuration = RemoteDispatcher.Configuration()
        configuration.token = { "ada" }
        return configuration
    }

    private static func withClient(_ body: (HTTPClient) async throws -> Void) async throws {
        let client = HTTPClient()
        do {
            try await body(client)
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }
}
