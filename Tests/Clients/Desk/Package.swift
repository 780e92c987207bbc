// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "desk",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "headrace", path: "../../..")
    ],
    targets: [
        .executableTarget(
            name: "desk",
            dependencies: [.product(name: "Headrace", package: "headrace")]
        ),
        .testTarget(
            name: "deskTests",
            dependencies: ["desk", .product(name: "HeadraceTesting", package: "headrace")]
        ),
    ]
)
