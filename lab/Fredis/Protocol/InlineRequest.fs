/// A request as a person types it: words between blanks, with quotes ("\n\x41" or 'it\'s').
module Cinnabar.Lab.Fredis.Protocol.InlineRequest

open System

let private isBlank (character: byte) =
    character = ' 'B || (character >= 9uy && character <= 13uy)

// Fewer characters end a word than are skipped before one.
let private isSeparator (character: byte) =
    character = ' 'B || character = '\t'B || character = '\r'B || character = '\n'B

// Closing quotes end a word: a blank or nothing follows them.
let private isEnd (line: byte[]) index = index = line.Length || isBlank line[index]

let private escaped (line: byte[]) index =
    match line[index] with
    | 'n'B -> '\n'B
    | 'r'B -> '\r'B
    | 't'B -> '\t'B
    | 'b'B -> '\b'B
    | 'a'B -> 7uy
    | other -> other

let private isHexadecimal (line: byte[]) index =
    index + 3 < line.Length
    && line[index + 1] = 'x'B
    && Char.IsAsciiHexDigit(char line[index + 2])
    && Char.IsAsciiHexDigit(char line[index + 3])

/// Reads a word from its first character; the index behind it, or -1: its quotes are not closed.
let private readWord (line: byte[]) start (word: ResizeArray<byte>) =
    let mutable index = start
    let mutable quote = 0uy
    let mutable isOpen = true

    while isOpen && index < line.Length do
        let character = line[index]

        if quote = 0uy && isSeparator character then
            isOpen <- false
        elif quote = 0uy && (character = '"'B || character = '\''B) then
            quote <- character
            index <- index + 1
        elif quote <> 0uy && character = quote then
            quote <- 0uy
            isOpen <- false
            index <- if isEnd line (index + 1) then index + 1 else -1
        elif quote = '"'B && character = '\\'B && isHexadecimal line index then
            word.Add(Convert.ToByte(String([| char line[index + 2]; char line[index + 3] |]), 16))
            index <- index + 4
        elif quote = '"'B && character = '\\'B && index + 1 < line.Length then
            word.Add(escaped line (index + 1))
            index <- index + 2
        elif quote = '\''B && character = '\\'B && index + 1 < line.Length && line[index + 1] = '\''B then
            word.Add '\''B
            index <- index + 2
        else
            word.Add character
            index <- index + 1

    if quote = 0uy then index else -1

/// The words of a line, which a zero byte ends; nothing where its quotes are not balanced.
let trySplit (line: byte[]) =
    let line = Array.takeWhile (fun character -> character <> 0uy) line
    let words = ResizeArray<byte[]>()
    let mutable index = 0

    let skipBlanks () =
        while index >= 0 && index < line.Length && isBlank line[index] do
            index <- index + 1

    skipBlanks ()

    while index >= 0 && index < line.Length do
        let word = ResizeArray<byte>()
        index <- readWord line index word
        words.Add(word.ToArray())
        skipBlanks ()

    if index < 0 then ValueNone else ValueSome(words.ToArray())
