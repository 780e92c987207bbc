// SPDX-License-Identifier: Apache-2.0

#if Client
import Foundation
import HeadraceClient
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceStorage

struct Lend: CQDCommand, Codable {
    var book: String
    var reader: String
    var due: Date?
}

struct Register: CQDCommand, Codable {
    typealias Output = Int?
    var name: String
}

struct FindBooks: CQDQuery, Codable {
    typealias Value = [String]
    var shelf: String
    var tags: [String] = []
    var limit: Int?
    var isOut = false
    var weight = 0.1
}

struct BooksDue: CQDQuery, Codable {
    typealias Value = Int
    var book: String
}

struct ListBooks: CQDStreamQuery, Codable {
    typealias Element = String
    var shelf: String
}

struct LoanError: CodedError, Codable, Equatable {
    enum Code: String, Codable, CaseIterable { case isOut }

    let code: Code
    let reader: String
    var message: String { "The book is out." }
}

/// A command whose shape has changed once.
struct Order: CQDCommand, DurableCommand {
    static let commandName = "order"
    static let commandVersion = 2
    static let commandMigrations = [JSONMigration(from: 1) { _ in }]

    var book: String
    var until: Date
}

/// A message without a route.
struct Burn: CQDCommand {}

let libraryAPI = MessageAPI([
    .put("books/{book}/loan", command: Lend.self, errors: [LoanError.self]),
    .post("readers", command: Register.self),
    .post("orders/{until}", command: Order.self),
    .get("shelves/{shelf}/books", query: FindBooks.self),
    .live("due/{book}", query: BooksDue.self),
    .get("shelves/{shelf}", stream: ListBooks.self, errors: [LoanError.self]),
])

/// A dispatcher for a library whose answers are scripted.
func library(
    _ transport: ScriptedTransport,
    _ change: (inout RemoteDispatcher.Configuration) -> Void = { _ in }
) throws -> RemoteDispatcher {
    var configuration = RemoteDispatcher.Configuration()
    configuration.backoff = Backoff(base: .zero)
    change(&configuration)
    return try RemoteDispatcher(libraryAPI, at: "https://library.example/api/", through: transport, configuration)
}
#endif
