// SPDX-License-Identifier: Apache-2.0

#if Server
import HTTPTypes
import Hummingbird
import LedgerApplication
import NIOCore

/// A file of the page, or the description of the API, embedded in the program.
struct PageFile: Sendable {
    let path: String
    let type: String
    let bytes: [UInt8]

    static let all = [
        PageFile(path: "/", type: "text/html; charset=utf-8", bytes: PackageResources.index_html),
        PageFile(path: "/page.css", type: "text/css; charset=utf-8", bytes: PackageResources.page_css),
        PageFile(path: "/icon.svg", type: "image/svg+xml", bytes: PackageResources.icon_svg),
        script("accounts", PackageResources.accounts_js),
        script("amounts", PackageResources.amounts_js),
        script("api", PackageResources.api_js),
        script("chart", PackageResources.chart_js),
        script("dom", PackageResources.dom_js),
        script("filter", PackageResources.filter_js),
        script("form", PackageResources.form_js),
        script("imports", PackageResources.imports_js),
        script("overview", PackageResources.overview_js),
        script("page", PackageResources.page_js),
        script("register", PackageResources.register_js),
        script("retries", PackageResources.retries_js),
        script("reversal", PackageResources.reversal_js),
        script("session", PackageResources.session_js),
        script("stream", PackageResources.stream_js),
        PageFile(path: "/openapi.json", type: "application/json", bytes: PackageResources.openapi_json),
    ]

    private static func script(_ name: String, _ bytes: [UInt8]) -> PageFile {
        PageFile(path: "/\(name).js", type: "text/javascript; charset=utf-8", bytes: bytes)
    }
}

extension RouterMethods<LedgerRequestContext> {
    /// Adds the routes for the page and the description of the API.
    ///
    /// The page signs its user in, and contains no data.
    func addPage() {
        for file in PageFile.all {
            let tag = "\"\(Fingerprint(bytes: file.bytes).rawValue)\""
            let headers: HTTPFields = [
                .contentType: file.type,
                .eTag: tag,
                .cacheControl: "no-cache",
            ]
            let body = ByteBuffer(bytes: file.bytes)
            on(RouterPath(file.path), method: .get) { request, _ in
                let known = request.headers[values: .ifNoneMatch].joined(separator: ",").split(separator: ",")
                if known.contains(where: { $0.drop { $0 == " " } == tag }) {
                    return Response(status: .notModified, headers: headers)
                }
                return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
            }
        }
    }
}
#endif
