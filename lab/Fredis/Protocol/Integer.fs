/// Redis's idea of an integer: 64 bits, signed, and only as it would be written ("+1", "01", "-0" and " 1"
/// are none).
module Cinnabar.Lab.Fredis.Protocol.Integer

open System
open System.Buffers.Text
open System.Globalization
open System.Text

let private isCanonical (text: byte[]) =
    let isLeading (digit: byte) = digit >= '1'B && digit <= '9'B

    match text.Length with
    | 0 -> false
    | 1 -> text[0] = '0'B || isLeading text[0]
    | _ -> isLeading text[0] || (text[0] = '-'B && isLeading text[1])

let tryParse (text: byte[]) =
    let mutable value = 0L
    let mutable size = 0

    if
        isCanonical text
        && Utf8Parser.TryParse(ReadOnlySpan<byte> text, &value, &size)
        && size = text.Length
    then
        ValueSome value
    else
        ValueNone

let format (value: int64) =
    Encoding.ASCII.GetBytes(value.ToString CultureInfo.InvariantCulture)
