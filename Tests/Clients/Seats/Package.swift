// swift-tools-version: 6.2
import PackageDescription

// A seat-booking service that was written by following only the README and the articles. It has a rule, a command with a
// result, durable mails, an expiry after 15 minutes, a summary every evening, idempotency keys, an HTTP API, the inspector,
// and tests with time.
let settings: [SwiftSetting] = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

let package = Package(
    name: "seats",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "headrace", path: "../../..", traits: [.defaults, "AsyncHTTPClient", "Hummingbird"]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .executableTarget(
            name: "seats",
            dependencies: [
                .product(name: "Headrace", package: "headrace"),
                .product(name: "HeadraceInspector", package: "headrace"),
                .product(name: "HeadraceHummingbird", package: "headrace"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "seatsTests",
            dependencies: [
                "seats",
                .product(name: "Headrace", package: "headrace"),
                .product(name: "HeadraceInspector", package: "headrace"),
                .product(name: "HeadraceTesting", package: "headrace"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        // `import Headrace` beside the packages that servers use, and beside a package with common names.
        .target(name: "CommonNames"),
        .testTarget(
            name: "NeighborTests",
            dependencies: [
                "CommonNames",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Headrace", package: "headrace"),
                .product(name: "HeadraceHummingbird", package: "headrace"),
                .product(name: "HeadraceInspector", package: "headrace"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]
        ),
    ]
)
