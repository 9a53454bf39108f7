namespace Cinnabar.Lab.Fredis.Protocol

open System.Globalization
open System.Text

[<RequireQualifiedAccess>]
type Reply =
    | Status of string
    | Error of string
    | Integer of int64
    | Bulk of byte[]
    | Null
    | Array of Reply[]

[<CompilationRepresentation(CompilationRepresentationFlags.ModuleSuffix)>]
module Reply =
    let private lineEnd = "\r\n"B
    let private nullBulk = "$-1\r\n"B

    // A text from a client may hold a line's end; the reply is one line all the same.
    let private line (kind: string) (text: string) =
        let text = text.Replace('\r', ' ').Replace('\n', ' ')
        Encoding.Latin1.GetBytes(System.String.Concat(kind, text, "\r\n"))

    let private numberLine (kind: string) (number: int64) =
        line kind (number.ToString CultureInfo.InvariantCulture)

    let rec private append (parts: ResizeArray<byte[]>) reply =
        match reply with
        | Reply.Status text -> parts.Add(line "+" text)
        | Reply.Error text -> parts.Add(line "-" text)
        | Reply.Integer number -> parts.Add(numberLine ":" number)
        | Reply.Null -> parts.Add nullBulk
        | Reply.Bulk bytes ->
            parts.Add(numberLine "$" bytes.Length)
            parts.Add bytes
            parts.Add lineEnd
        | Reply.Array items ->
            parts.Add(numberLine "*" items.Length)

            for item in items do
                append parts item

    /// The reply in RESP2: the pieces that an I/O layer writes one after another. A value is a piece of its
    /// own, not a copy.
    let parts reply =
        let parts = ResizeArray 3
        append parts reply
        parts
