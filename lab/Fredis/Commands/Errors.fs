/// Redis's texts for what a client does wrong.
module Cinnabar.Lab.Fredis.Commands.Errors

open System
open System.Text
open Cinnabar.Lab.Fredis.Protocol

let syntax = Reply.Error "ERR syntax error"
let notInteger = Reply.Error "ERR value is not an integer or out of range"
let notFloat = Reply.Error "ERR value is not a valid float"
let notFinite = Reply.Error "ERR increment would produce NaN or Infinity"
let overflow = Reply.Error "ERR increment or decrement would overflow"
let decrementOverflow = Reply.Error "ERR decrement would overflow"
let offset = Reply.Error "ERR offset is out of range"
let tooLong = Reply.Error "ERR string exceeds maximum allowed size (proto-max-bulk-len)"
let bitOffset = Reply.Error "ERR bit offset is not an integer or out of range"
let bitValue = Reply.Error "ERR bit is not an integer or out of range"
let bitArgument = Reply.Error "ERR The bit argument must be 1 or 0."
let bitNot = Reply.Error "ERR BITOP NOT must be called with a single source key."
let outOfMemory = Reply.Error "ERR out of memory"
let fault = Reply.Error "ERR the command failed, the server's log says why"

let arity (name: string) =
    Reply.Error(String.Concat("ERR wrong number of arguments for '", name.ToLowerInvariant(), "' command"))

// Both the name and the arguments are shown up to 128 characters, and up to a zero byte.
let private shown (bytes: byte[]) sizeMax =
    let zero = Array.IndexOf(bytes, 0uy)
    let size = if zero < 0 then bytes.Length else zero
    Encoding.Latin1.GetString(bytes, 0, min size sizeMax)

let unknownCommand (request: byte[][]) =
    let arguments = StringBuilder()
    let mutable index = 1

    while index < request.Length && arguments.Length < 128 do
        let argument = shown request[index] (128 - arguments.Length)
        arguments.Append('\'').Append(argument).Append("' ") |> ignore
        index <- index + 1

    let name = shown request[0] 128
    Reply.Error $"ERR unknown command '{name}', with args beginning with: {arguments}"
