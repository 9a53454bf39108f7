/// The commands that take values as rows of bits; bit 0 is the highest of the first byte.
module Cinnabar.Lab.Fredis.Commands.BitCommands

open System
open System.Numerics
open System.Text
open Cinnabar.Lab.Fredis.Protocol

let private tryBitOffset (text: byte[]) =
    match Integer.tryParse text with
    | ValueSome offset when offset >= 0L && (offset >>> 3) < int64 Limits.valueBytesMax -> ValueSome offset
    | _ -> ValueNone

let private bitAt (value: byte[]) (offset: int64) =
    let index = int (offset >>> 3)

    if index < value.Length then
        (value[index] >>> (7 - int (offset &&& 7L))) &&& 1uy
    else
        0uy

let getBit (store: Store) (request: byte[][]) =
    match tryBitOffset request[2] with
    | ValueSome offset -> Reply.Integer(int64 (bitAt (store.GetOrEmpty request[1]) offset))
    | ValueNone -> Errors.bitOffset

let setBit (store: Store) (request: byte[][]) =
    match tryBitOffset request[2], Integer.tryParse request[3] with
    | ValueNone, _ -> Errors.bitOffset
    | ValueSome offset, ValueSome bit when bit = 0L || bit = 1L ->
        let old = store.GetOrEmpty request[1]
        let index = int (offset >>> 3)
        let value = Array.zeroCreate (max old.Length (index + 1))
        Buffer.BlockCopy(old, 0, value, 0, old.Length)
        let mask = 1uy <<< (7 - int (offset &&& 7L))
        value[index] <- if bit = 1L then value[index] ||| mask else value[index] &&& ~~~mask
        store.Set(request[1], value)
        Reply.Integer(int64 (bitAt old offset))
    | _ -> Errors.bitValue

let private countBits (value: byte[]) first last =
    let mutable count = 0L

    for index in first..last do
        count <- count + int64 (BitOperations.PopCount(uint32 value[index]))

    Reply.Integer count

let private countRange (value: byte[]) (request: byte[][]) =
    match Integer.tryParse request[2], Integer.tryParse request[3] with
    | ValueSome first, ValueSome last ->
        let struct (first, last) = ByteRange.clipOrdered value.Length first last
        countBits value first last
    | _ -> Errors.notInteger

/// BITCOUNT key [start end]; a missing key has no bits, whatever else is asked.
let bitCount (store: Store) (request: byte[][]) =
    match store.TryGet request[1] with
    | ValueNone -> Reply.Integer 0L
    | ValueSome value when request.Length = 2 -> countBits value 0 (value.Length - 1)
    | ValueSome value when request.Length = 4 -> countRange value request
    | ValueSome _ -> Errors.syntax

let private findBit (value: byte[]) bit first last =
    // The byte without the bit sought; what differs from it has the bit.
    let other = if bit = 1L then 0uy else 255uy
    let mutable index = first

    while index <= last && value[index] = other do
        index <- index + 1

    if index > last then
        ValueNone
    else
        let different = uint32 (value[index] ^^^ other)
        ValueSome(int64 index * 8L + int64 (BitOperations.LeadingZeroCount different) - 24L)

let private searchRange (value: byte[]) bit first last =
    let struct (start, stop) =
        ByteRange.clip value.Length first (ValueOption.defaultValue -1L last)

    if start > stop then
        Reply.Integer -1L
    else
        match findBit value bit start stop with
        | ValueSome position -> Reply.Integer position
        // Without an end the value counts as followed by zeros.
        | ValueNone when bit = 0L && last.IsNone -> Reply.Integer(int64 (stop + 1) * 8L)
        | ValueNone -> Reply.Integer -1L

let private searchValue (value: byte[]) bit (request: byte[][]) =
    match request.Length with
    | 3 -> searchRange value bit 0L ValueNone
    | 4 ->
        match Integer.tryParse request[3] with
        | ValueSome first -> searchRange value bit first ValueNone
        | ValueNone -> Errors.notInteger
    | 5 ->
        match Integer.tryParse request[3], Integer.tryParse request[4] with
        | ValueSome first, ValueSome last -> searchRange value bit first (ValueSome last)
        | _ -> Errors.notInteger
    | _ -> Errors.syntax

/// BITPOS key bit [start [end]]; a missing key is all zeros, whatever else is asked.
let bitPos (store: Store) (request: byte[][]) =
    match Integer.tryParse request[2] with
    | ValueNone -> Errors.notInteger
    | ValueSome bit when bit <> 0L && bit <> 1L -> Errors.bitArgument
    | ValueSome bit ->
        match store.TryGet request[1] with
        | ValueNone -> Reply.Integer(if bit = 1L then -1L else 0L)
        | ValueSome value -> searchValue value bit request

let private storeResult (store: Store) key (value: byte[]) =
    if value.Length = 0 then
        store.Remove key
    else
        store.Set(key, value)

    Reply.Integer value.Length

// The shorter values count as followed by zeros.
let private combine (store: Store) (request: byte[][]) (operation: byte -> byte -> byte) =
    let sources = Array.init (request.Length - 3) (fun index -> store.GetOrEmpty request[index + 3])
    let result = Array.zeroCreate (sources |> Seq.map Array.length |> Seq.max)
    Buffer.BlockCopy(sources[0], 0, result, 0, sources[0].Length)

    for source in Seq.skip 1 sources do
        for index in 0 .. result.Length - 1 do
            result[index] <- operation result[index] (if index < source.Length then source[index] else 0uy)

    storeResult store request[2] result

/// BITOP operation destination source [source ...]
let bitOp (store: Store) (request: byte[][]) =
    match (Encoding.Latin1.GetString request[1]).ToUpperInvariant() with
    | "AND" -> combine store request (&&&)
    | "OR" -> combine store request (|||)
    | "XOR" -> combine store request (^^^)
    | "NOT" when request.Length > 4 -> Errors.bitNot
    | "NOT" -> storeResult store request[2] (Array.map (~~~) (store.GetOrEmpty request[3]))
    | _ -> Errors.syntax
