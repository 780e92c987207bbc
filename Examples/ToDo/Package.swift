// swift-tools-version: 6.2
import PackageDescription

// Async functions run on the actor of their caller. SE-0461
let settings: [SwiftSetting] = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

// The default traits are SQLite, Macros, and Lifecycle. For the server of the inspector, add
// traits: [.defaults, "Hummingbird"] to the dependency.
let package = Package(
    name: "todo",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "headrace", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "todo",
            dependencies: [.product(name: "Headrace", package: "headrace")],
            swiftSettings: settings
        ),
        .testTarget(
            name: "todoTests",
            dependencies: [
                "todo",
                .product(name: "Headrace", package: "headrace"),
                .product(name: "HeadraceTesting", package: "headrace"),
            ],
            swiftSettings: settings
        ),
    ]
)
