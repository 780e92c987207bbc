// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

// A separate package, because it needs async-http-client, and the trait of its transport.
let package = Package(
    name: "headrace-client-benchmark",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "client-benchmark", targets: ["ClientBenchmark"])],
    dependencies: [
        .package(name: "headrace", path: "../..", traits: ["AsyncHTTPClient", "Hummingbird"]),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    ],
    targets: [
        .target(name: "Measuring", swiftSettings: settings),
        .executableTarget(
            name: "ClientBenchmark",
            dependencies: [
                "Measuring",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "HeadraceClient", package: "headrace"),
                .product(name: "HeadraceCommands", package: "headrace"),
                .product(name: "HeadraceDomain", package: "headrace"),
                .product(name: "HeadraceHummingbird", package: "headrace"),
                .product(name: "HeadraceProcesses", package: "headrace"),
                .product(name: "HeadraceRelay", package: "headrace"),
                .product(name: "HeadraceResolution", package: "headrace"),
                .product(name: "HeadraceStorage", package: "headrace"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
