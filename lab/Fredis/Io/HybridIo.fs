namespace Cinnabar.Lab.Fredis.Io

open System.IO
open System.Net.Sockets
open Cinnabar.Lab.Fredis.Protocol

/// `fredis-hybrid`: async at the borders. Only the first read of a request (the wait for a client) and the
/// last flush of a reply are asynchronous; all between is plain synchronous code, mostly on what the
/// buffers hold.
///
/// Where it is not, a thread waits: for a request's rest, for a client to take a long reply. A client that
/// keeps it waiting longer than `borderMs` loses its connection, or a few such clients would take all
/// threads.
type HybridIo(socket: Socket) =
    let borderMs = 30_000

    let stream =
        new NetworkStream(socket, ownsSocket = true, ReadTimeout = borderMs, WriteTimeout = borderMs)

    let input = new BufferedStream(stream, Limits.bufferBytes)
    let output = new BufferedStream(stream, Limits.bufferBytes)
    let parser = RequestParser()
    let single = Array.zeroCreate<byte> 1

    let readRest () =
        while parser.Want <> Want.Nothing do
            if parser.Want = Want.Byte then
                match input.ReadByte() with
                | -1 -> parser.End()
                | character -> parser.Take(byte character)
            else
                let struct (block, offset, count) = parser.Block

                match input.Read(block, offset, count) with
                | 0 -> parser.End()
                | count -> parser.TakeBlock count

    interface IConnectionIo with
        member _.Read() =
            async {
                parser.Begin()

                match! input.AsyncRead(single, 0, 1) with
                | 0 -> parser.End()
                | _ ->
                    parser.Take single[0]
                    readRest ()

                return parser.Request
            }

        member _.Write reply =
            async {
                for part in Reply.parts reply do
                    output.Write(part, 0, part.Length)

                do! output.FlushAsync() |> Async.AwaitTask
            }

        // Not the buffered streams: their end would write what the connection could not.
        member _.Dispose() = stream.Dispose()
