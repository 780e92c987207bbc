// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
@_exported public import struct HeadraceInspector.ServerSentEvent
#endif
