namespace Cinnabar.Load.Requests;

/// <summary>What a <see cref="Piece"/> of a request is.</summary>
internal enum PieceKind
{
    /// <summary>Bytes that are the same in every request.</summary>
    Literal,

    /// <summary>A key's number, with the prefix in a literal before it.</summary>
    Key,

    /// <summary>A value.</summary>
    Data,

    /// <summary>Twelve digits.</summary>
    Number,

    /// <summary>A whole argument whose size is known only when its pieces have been drawn.</summary>
    Argument,
}
