/// A connection's life, the same on every I/O layer.
module Cinnabar.Lab.Fredis.Connection

open System
open System.IO
open System.Net.Sockets
open Cinnabar.Lab.Fredis.Commands
open Cinnabar.Lab.Fredis.Io
open Cinnabar.Lab.Fredis.Protocol

/// One request after another: read, executed, answered.
let rec private answerAll (io: IConnectionIo) (executor: Executor) =
    async {
        match! io.Read() with
        | ValueNone -> ()
        | ValueSome request ->
            // An empty line or array is no request.
            if request.Length > 0 then
                let! reply = executor.Execute request
                do! io.Write reply

            return! answerAll io executor
    }

let private answerUntilError io executor =
    async {
        try
            do! answerAll io executor
        with ProtocolError text ->
            do! io.Write(Reply.Error(String.Concat("ERR Protocol error: ", text)))
    }

/// Errors that end only the connection: the client is gone, or wants more memory than there is. F# async
/// wraps a task's errors.
let private isConnectionsEnd (error: exn) =
    match error.GetBaseException() with
    | :? IOException
    | :? SocketException
    | :? OutOfMemoryException -> true
    | _ -> false

/// Serves a client until it leaves or sends an invalid request.
let serve (connect: unit -> IConnectionIo) executor =
    async {
        try
            use io = connect ()
            do! answerUntilError io executor
        with error ->
            if not (isConnectionsEnd error) then
                Console.Error.WriteLine $"a connection ended by {error}"
    }
