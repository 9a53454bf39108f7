/// The limits of a client, beyond which its connection ends; Redis's own where it has them.
module Cinnabar.Lab.Fredis.Protocol.Limits

/// A value, an argument: bytes.
let valueBytesMax = 512 * 1024 * 1024

/// A line of the protocol, without its end: bytes.
let lineBytesMax = 64 * 1024

/// All arguments of one request: bytes, with `argumentBytes` for each beside its own.
let requestBytesMax = 1024L * 1024L * 1024L

/// What an argument costs beside its bytes: an array's header and the reference to it.
let argumentBytes = 32L

/// An announced length allocates no more than this: a long argument's array grows as its bytes come.
let unprovenBytesMax = 64 * 1024

/// The buffer of either direction of a connection, bytes.
let bufferBytes = 8 * 1024
