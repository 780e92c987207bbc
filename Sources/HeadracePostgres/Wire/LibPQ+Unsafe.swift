// SPDX-License-Identifier: Apache-2.0

#if Postgres
import CLibPQ
import Foundation

/// A connection of libpq in pipeline mode.
///
/// Unsafe code: libpq takes pointers to texts and values, and returns pointers to results. Pointers to texts and values
/// are used during the call only, for which Swift keeps them valid. Each result is copied and cleared in the method that
/// takes it. The connection is finished once, in `deinit`, so no method can use it afterwards. libpq permits the use of a
/// connection by one thread at a time: the class isn't Sendable, and ``PollingThread`` receives each connection with
/// `sending`.
///
/// Related documentation: <https://www.postgresql.org/docs/15/libpq-pipeline-mode.html>.
@safe final class LibPQ {
    /// A step of the answers.
    enum Answer {
        case rows(PostgresRows)
        case failure(PostgresFailure)
        /// The answers of one statement are complete.
        case end
        /// The answers of one request are complete.
        case sync
    }

    private let connection: OpaquePointer

    /// Connects and blocks the calling thread meanwhile.
    ///
    /// - Throws: ``PostgresFailure``, `unreachable` if the server doesn't answer, `refused` if it refuses the connection.
    init(connecting url: String, timeout seconds: Int, defaults: [(String, String)] = []) throws {
        // The parameters in the URL override those before it.
        let process = ProcessInfo.processInfo
        let name = "\(process.processName.prefix(40)) (process \(process.processIdentifier))"
        let parameters =
            [("fallback_application_name", name), ("connect_timeout", "\(seconds)")] + defaults
            + [("dbname", url), ("client_encoding", "UTF8")]
        let pointer = unsafe Self.withTexts(parameters.map(\.0)) { keywords in
            unsafe Self.withTexts(parameters.map(\.1)) { values in
                unsafe PQconnectdbParams(keywords, values, 1)
            }
        }
        guard let pointer = unsafe pointer else {
            throw PostgresFailure.unreachable("libpq has no memory for a connection")
        }
        unsafe connection = pointer
        let status = unsafe PQstatus(connection)
        let isNonblocking = unsafe PQsetnonblocking(connection, 1) == 0
        let isPipelined = unsafe PQenterPipelineMode(connection) == 1
        if status != CONNECTION_OK || !isNonblocking || !isPipelined {
            // The object is complete, so its deinit finishes the connection.
            throw Self.failure(ofConnecting: message)
        }
    }

    deinit {
        unsafe PQfinish(connection)
    }

    /// The socket, which can change only while a connection is made.
    var socket: Int32 { unsafe PQsocket(connection) }

    /// The last message of libpq about the connection.
    var message: String {
        unsafe String(cString: PQerrorMessage(connection)).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Reads what the server has sent, and returns `false` if the connection has ended.
    func receive() -> Bool {
        unsafe PQconsumeInput(connection) == 1
    }

    /// Writes what waits to be sent.
    ///
    /// - Returns: Whether something still waits, or `nil` if the connection has ended.
    func flush() -> Bool? {
        switch unsafe PQflush(connection) {
        case 0: false
        case 1: true
        default: nil
        }
    }

    /// Sends a statement that the server prepares under `name`.
    func prepare(_ sql: String, name: String, types: [UInt32]) -> Bool {
        unsafe PQsendPrepare(connection, name, sql, Int32(types.count), types) == 1
    }

    /// Sends a statement, or the prepared statement `name`, with its values and the mark that ends the request.
    func send(
        _ sql: String,
        prepared name: String?,
        _ values: [PostgresValue],
        endsRequest: Bool = true
    ) -> Bool {
        var buffer: [UInt8] = []
        let ranges = values.map { value in
            let start = buffer.count
            return value.encode(into: &buffer) ? start..<buffer.count : nil
        }
        // The address of an empty array is NULL, which would mean the value NULL.
        buffer.append(0)
        let lengths = ranges.map { Int32($0?.count ?? 0) }
        let formats = ranges.map { _ in Int32(1) }
        let count = Int32(values.count)
        let isSent = unsafe buffer.withUnsafeBytes { bytes in
            let start = unsafe bytes.bindMemory(to: CChar.self).baseAddress
            let pointers = unsafe ranges.map { range in
                unsafe range.flatMap { range in unsafe start.map { unsafe $0 + range.lowerBound } }
            }
            if let name {
                return unsafe PQsendQueryPrepared(connection, name, count, pointers, lengths, formats, 1)
            }
            let types = values.map(\.type)
            return unsafe PQsendQueryParams(connection, sql, count, types, pointers, lengths, formats, 1)
        }
        if isSent != 1 { return false }
        if !endsRequest { return true }
        return unsafe PQpipelineSync(connection) == 1
    }

    /// Whether an answer is complete, or the connection has ended.
    var hasAnswer: Bool { unsafe PQisBusy(connection) == 0 }

    /// Takes the next answer.
    func takeAnswer() -> Answer {
        guard let result = unsafe PQgetResult(connection) else { return .end }
        defer { unsafe PQclear(result) }
        switch unsafe PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
            return .rows(unsafe Self.rows(of: result))
        case PGRES_PIPELINE_SYNC:
            return .sync
        default:
            // 67 is the field 'C', the state. <https://www.postgresql.org/docs/15/protocol-error-fields.html>
            let state = unsafe PQresultErrorField(result, 67).map { unsafe String(cString: $0) }
            // 87 is the field 'W', the context.
            let context = unsafe PQresultErrorField(result, 87).map { unsafe String(cString: $0) }
            let message = unsafe String(cString: PQresultErrorMessage(result))
            return .failure(
                .refused(
                    state: state ?? "",
                    message: message.trimmingCharacters(in: .whitespacesAndNewlines),
                    context: context ?? ""
                ))
        }
    }

    /// Returns the payloads of the notifications that have arrived.
    func takeNotifications() -> [String] {
        var payloads: [String] = []
        while let notification = unsafe PQnotifies(connection) {
            unsafe payloads.append(String(cString: notification.pointee.extra))
            unsafe PQfreemem(notification)
        }
        return payloads
    }

    private static func rows(of result: OpaquePointer) -> PostgresRows {
        var rows = PostgresRows()
        let columns = unsafe PQnfields(result)
        rows.columnCount = Int(columns)
        for row in 0..<(unsafe PQntuples(result)) {
            for column in 0..<columns {
                if unsafe PQgetisnull(result, row, column) == 1 {
                    rows.cells.append(nil)
                    continue
                }
                let length = Int(unsafe PQgetlength(result, row, column))
                let start = rows.bytes.count
                if let value = unsafe PQgetvalue(result, row, column) {
                    unsafe rows.bytes.append(contentsOf: UnsafeRawBufferPointer(start: value, count: length))
                }
                rows.cells.append(start..<start + length)
            }
        }
        return rows
    }

    /// Calls `body` with a list of C texts that ends with NULL.
    private static func withTexts<Value>(
        _ texts: [String],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
    ) -> Value {
        let copies = unsafe texts.map { unsafe strdup($0) }
        defer { unsafe copies.forEach { unsafe free($0) } }
        let pointers = unsafe copies.map { unsafe UnsafePointer($0) } + [nil]
        return unsafe pointers.withUnsafeBufferPointer { buffer in
            // The buffer has at least the NULL, so it has an address.
            guard let address = buffer.baseAddress else { preconditionFailure("the list of texts is empty") }
            return unsafe body(address)
        }
    }

    /// Texts of refusals that end without a change of the settings, of PostgreSQL and of pgbouncer.
    ///
    /// `the database system` begins all messages of a server that starts, recovers, or stops.
    private static let temporary = [
        "the database system", "shutting down", "terminating connection", "due to timeout", "cannot connect",
        "too many", "remaining connection slots", "query_wait_timeout", "server_login_retry",
    ]

    /// Returns the failure of a connection.
    ///
    /// A refusal by the server has the form `FATAL:  message`; libpq doesn't return its state. A message in another
    /// language counts as temporary.
    static func failure(ofConnecting message: String) -> PostgresFailure {
        let isTemporary = temporary.contains { message.contains($0) }
        return message.contains("FATAL:") && !isTemporary
            ? .refused(state: "08004", message: message) : .unreachable(message)
    }
}
#endif
