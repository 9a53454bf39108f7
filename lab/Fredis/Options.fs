namespace Cinnabar.Lab.Fredis

open System.Net.Sockets
open Cinnabar.Lab.Fredis.Io

/// What the command line asks for.
[<NoComparison; NoEquality>]
type Options =
    { Port: int
      Station: string
      Connect: Socket -> IConnectionIo }

module Options =
    let usage = "fredis --port PORT --io async|hybrid|saea"

    let private tryPort (text: string) =
        match System.UInt16.TryParse text with
        | true, port -> Some(int port)
        | false, _ -> None

    let private tryIo name : (Socket -> IConnectionIo) option =
        match name with
        | "async" -> Some(fun socket -> new AsyncIo(socket))
        | "hybrid" -> Some(fun socket -> new HybridIo(socket))
        | "saea" -> Some(fun socket -> new SaeaIo(socket))
        | _ -> None

    /// Reads the command line; nothing where it is not as `usage` says.
    let tryParse arguments =
        match arguments with
        | [ "--port"; port; "--io"; io ]
        | [ "--io"; io; "--port"; port ] ->
            Option.map2
                (fun port connect ->
                    { Port = port
                      Station = $"fredis-{io}"
                      Connect = connect })
                (tryPort port)
                (tryIo io)
        | _ -> None
