namespace Cinnabar.Lab.Fredis.Commands

open System
open Cinnabar.Lab.Fredis.Protocol

/// The single place where commands run: all connections post their requests to one mailbox, which takes
/// them one after another. So the store needs no lock.
type Executor() =
    let store = Store()

    // A command changes the store with its last step: after a failure the others' commands go on.
    let execute request =
        try
            CommandTable.execute store request
        with
        | :? OutOfMemoryException -> Errors.outOfMemory
        | fault ->
            Console.Error.WriteLine $"a command failed: {fault}"
            Errors.fault

    let mailbox =
        MailboxProcessor<struct (byte[][] * AsyncReplyChannel<Reply>)>.Start(fun inbox ->
            let rec loop () =
                async {
                    let! struct (request, channel) = inbox.Receive()
                    channel.Reply(execute request)
                    return! loop ()
                }

            loop ())

    // Without its mailbox the server would hang.
    do mailbox.Error.Add(fun error -> Environment.FailFast("the executing mailbox ended", error))

    /// Queues a request; the reply comes when those before it are done.
    member _.Execute(request: byte[][]) =
        mailbox.PostAndAsyncReply(fun channel -> struct (request, channel))
