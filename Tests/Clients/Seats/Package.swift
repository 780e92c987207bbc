// swift-tools-version: 6.2
import PackageDescription

// A seat-booking service that was written by following only the README and the articles. It has a rule, a durable
// confirmation, an expiry after 15 minutes, idempotency keys, an HTTP API, the inspector, and a test with time.
let settings: [SwiftSetting] = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

let package = Package(
    name: "seats",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "headrace", path: "../../.."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .executableTarget(
            name: "seats",
            dependencies: [
                .product(name: "Headrace", package: "headrace"),
                .product(name: "HeadraceInspector", package: "headrace"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
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
    ]
)
