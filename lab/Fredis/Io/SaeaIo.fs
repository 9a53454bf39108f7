namespace Cinnabar.Lab.Fredis.Io

open System
open System.Net.Sockets
open Cinnabar.Lab.Fredis.Protocol

/// `fredis-saea`: no streams, but the socket's own operations, adapted to F# async, over buffers of its
/// own. All asynchronous: each byte and block that is read, each piece that is written, is an F# async.
type SaeaIo(socket: Socket) =
    let receive = new SocketOperation(socket.ReceiveAsync)
    let send = new SocketOperation(socket.SendAsync)
    let input = Array.zeroCreate<byte> Limits.bufferBytes
    let output = Array.zeroCreate<byte> Limits.bufferBytes
    let parser = RequestParser()
    let mutable inputIndex = 0
    let mutable inputEnd = 0
    let mutable outputCount = 0

    let fill () =
        async {
            let! count = receive.Run(input, 0, input.Length)
            inputIndex <- 0
            inputEnd <- count
        }

    /// The next byte; -1 at the connection's end.
    let readByte () =
        async {
            if inputIndex = inputEnd then
                do! fill ()

            if inputIndex = inputEnd then
                return -1
            else
                inputIndex <- inputIndex + 1
                return int input[inputIndex - 1]
        }

    /// As many bytes as there are, at least one; 0 at the connection's end.
    let readBlock struct (block: byte[], offset, wanted) =
        async {
            if inputIndex = inputEnd && wanted >= input.Length then
                return! receive.Run(block, offset, wanted)
            else
                if inputIndex = inputEnd then
                    do! fill ()

                let count = min wanted (inputEnd - inputIndex)
                Buffer.BlockCopy(input, inputIndex, block, offset, count)
                inputIndex <- inputIndex + count
                return count
        }

    let sendAll buffer count =
        async {
            let mutable sent = 0

            while sent < count do
                let! more = send.Run(buffer, sent, count - sent)
                sent <- sent + more
        }

    let flush () =
        async {
            do! sendAll output outputCount
            outputCount <- 0
        }

    let write (part: byte[]) =
        async {
            if part.Length > output.Length - outputCount then
                do! flush ()

            if part.Length > output.Length then
                do! sendAll part part.Length
            else
                Buffer.BlockCopy(part, 0, output, outputCount, part.Length)
                outputCount <- outputCount + part.Length
        }

    interface IConnectionIo with
        member _.Read() =
            async {
                parser.Begin()

                while parser.Want <> Want.Nothing do
                    if parser.Want = Want.Byte then
                        match! readByte () with
                        | -1 -> parser.End()
                        | character -> parser.Take(byte character)
                    else
                        match! readBlock parser.Block with
                        | 0 -> parser.End()
                        | count -> parser.TakeBlock count

                return parser.Request
            }

        member _.Write reply =
            async {
                for part in Reply.parts reply do
                    do! write part

                do! flush ()
            }

        member _.Dispose() =
            socket.Dispose()
            receive.Dispose()
            send.Dispose()
