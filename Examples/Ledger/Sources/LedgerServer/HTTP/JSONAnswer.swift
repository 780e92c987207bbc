// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// A response with a JSON body.
struct JSONAnswer {
    private let json: Data
    private let status: HTTPResponse.Status
    private let headers: HTTPFields

    init(_ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        json = try encoder.encode(value)
        self.status = status
        self.headers = headers
    }

    func response() -> Response {
        Response(status: status, headers: allHeaders, body: ResponseBody(byteBuffer: ByteBuffer(bytes: json)))
    }

    private var allHeaders: HTTPFields {
        var headers = headers
        headers[.contentType] = "application/json; charset=utf-8"
        headers[.cacheControl] = "no-store"
        headers[.xContentTypeOptions] = "nosniff"
        return headers
    }
}
#endif
