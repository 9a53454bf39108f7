namespace Cinnabar.Lab.Fredis.Io

open System.IO
open System.Net.Sockets
open Cinnabar.Lab.Fredis.Protocol

/// `fredis-async`: every read and write of a stream is an F# async of its own, even of a single byte that
/// the buffer already holds.
type AsyncIo(socket: Socket) =
    let stream = new NetworkStream(socket, ownsSocket = true)
    let input = new BufferedStream(stream, Limits.bufferBytes)
    let output = new BufferedStream(stream, Limits.bufferBytes)
    let parser = RequestParser()
    let single = Array.zeroCreate<byte> 1

    interface IConnectionIo with
        member _.Read() =
            async {
                parser.Begin()

                while parser.Want <> Want.Nothing do
                    if parser.Want = Want.Byte then
                        match! input.AsyncRead(single, 0, 1) with
                        | 0 -> parser.End()
                        | _ -> parser.Take single[0]
                    else
                        let struct (block, offset, count) = parser.Block

                        match! input.AsyncRead(block, offset, count) with
                        | 0 -> parser.End()
                        | count -> parser.TakeBlock count

                return parser.Request
            }

        member _.Write reply =
            async {
                for part in Reply.parts reply do
                    do! output.AsyncWrite part

                do! output.FlushAsync() |> Async.AwaitTask
            }

        // Not the buffered streams: their end would write what the connection could not.
        member _.Dispose() = stream.Dispose()
