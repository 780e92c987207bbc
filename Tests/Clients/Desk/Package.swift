// swift-tools-version: 6.2
import PackageDescription

// Async functions run on the actor of their caller. SE-0461
let settings: [SwiftSetting] = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

let package = Package(
    name: "desk",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "headrace", path: "../../..")
    ],
    targets: [
        .executableTarget(
            name: "desk",
            dependencies: [
                .product(name: "Headrace", package: "headrace"),
                .product(name: "HeadraceFlux", package: "headrace"),
                .product(name: "HeadraceServices", package: "headrace"),
                .product(name: "HeadraceStations", package: "headrace"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "deskTests",
            dependencies: ["desk", .product(name: "HeadraceTesting", package: "headrace")],
            swiftSettings: settings
        ),
    ]
)
