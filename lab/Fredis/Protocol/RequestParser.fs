namespace Cinnabar.Lab.Fredis.Protocol

open System

/// A client sent an invalid request; its connection ends with this text.
exception ProtocolError of text: string

/// What the parser wants next from the connection.
type Want =
    | Byte = 0
    | Block = 1
    | Nothing = 2

/// Takes one request out of what a connection reads. It does no I/O, so that the three layers differ only in
/// how they read: they bring it what it wants, protocol lines byte by byte, arguments in blocks.
///
///     *2\r\n $3\r\n GET \r\n $3\r\n key \r\n      or      GET key\r\n
///
/// As in Redis, the line end's second byte and the two behind an argument are not checked.
type RequestParser() =
    let line = ResizeArray<byte>()
    let arguments = ResizeArray<byte[]>()
    let mutable next = Unchecked.defaultof<byte -> unit>
    let mutable want = Want.Byte
    let mutable remaining = 0L
    let mutable requestBytes = 0L
    let mutable body = Array.empty<byte>
    let mutable bodyLength = 0
    let mutable filled = 0
    let mutable isEnded = false

    let fail text = raise (ProtocolError text)

    let addToLine tooLong character =
        if line.Count = Limits.lineBytesMax then
            fail tooLong

        line.Add character

    let takeLine () =
        let text = line.ToArray()
        line.Clear()
        text

    let charge size =
        requestBytes <- requestBytes + size + Limits.argumentBytes

        if requestBytes > Limits.requestBytesMax then
            fail "too big request"

    member private parser.AtStart first =
        if first = '*'B then
            next <- parser.InCount
        else
            next <- parser.InInline
            parser.InInline first

    member private _.InInline character =
        if character <> '\n'B then
            addToLine "too big inline request" character
        else
            if line.Count > 0 && line[line.Count - 1] = '\r'B then
                line.RemoveAt(line.Count - 1)

            match InlineRequest.trySplit (takeLine ()) with
            | ValueSome words -> arguments.AddRange words
            | ValueNone -> fail "unbalanced quotes in request"

            want <- Want.Nothing

    member private parser.InCount character =
        if character = '\r'B then
            next <- parser.BehindCount
        else
            addToLine "too big mbulk count string" character

    member private parser.BehindCount(_: byte) =
        match Integer.tryParse (takeLine ()) with
        | ValueSome count when count <= int64 Int32.MaxValue ->
            remaining <- count
            parser.ExpectArgument()
        | _ -> fail "invalid multibulk length"

    member private parser.ExpectArgument() =
        next <- parser.InLength
        want <- if remaining > 0L then Want.Byte else Want.Nothing

    member private parser.InLength character =
        if character = '\r'B then
            next <- parser.BehindLength
        else
            addToLine "too big bulk count string" character

    member private parser.BehindLength(_: byte) =
        let text = takeLine ()
        let mark = if text.Length > 0 then text[0] else '\r'B

        if mark <> '$'B then
            fail (String.Concat("expected '$', got '", string (char mark), "'"))

        match Integer.tryParse (Array.skip 1 text) with
        | ValueSome length when length >= 0L && length <= int64 Limits.valueBytesMax ->
            charge length
            bodyLength <- int length
            body <- Array.zeroCreate (min bodyLength Limits.unprovenBytesMax)
            filled <- 0
            next <- parser.BehindBody
            want <- if bodyLength > 0 then Want.Block else Want.Byte
        | _ -> fail "invalid bulk length"

    member private parser.BehindBody(_: byte) = next <- parser.BehindArgument

    member private parser.BehindArgument(_: byte) =
        arguments.Add body
        body <- Array.empty
        remaining <- remaining - 1L
        parser.ExpectArgument()

    /// Forgets the last request.
    member parser.Begin() =
        line.Clear()
        arguments.Clear()
        requestBytes <- 0L
        want <- Want.Byte
        next <- parser.AtStart

    /// What it wants next; nothing when the request is complete, or the connection at its end.
    member _.Want = want

    /// Takes the byte that it wanted.
    member _.Take(character: byte) = next character

    /// Where the block goes that it wants (buffer, offset, count); any part of it may be brought.
    member _.Block = struct (body, filled, body.Length - filled)

    /// Takes a part of the block that it wanted.
    member _.TakeBlock count =
        filled <- filled + count

        if filled = bodyLength then
            want <- Want.Byte
        elif filled = body.Length then
            let larger = Array.zeroCreate (int (min (int64 bodyLength) (2L * int64 body.Length)))
            Buffer.BlockCopy(body, 0, larger, 0, filled)
            body <- larger

    /// The input has ended.
    member _.End() =
        isEnded <- true
        want <- Want.Nothing

    /// The complete request, which may have no words; nothing at the connection's end.
    member _.Request =
        if isEnded then
            ValueNone
        else
            ValueSome(arguments.ToArray())
