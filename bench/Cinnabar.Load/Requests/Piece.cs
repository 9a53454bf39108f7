namespace Cinnabar.Load.Requests;

/// <summary>A step in writing a request: bytes to copy, something to draw, or an argument with steps of its
/// own.</summary>
internal readonly record struct Piece(PieceKind Kind, byte[] Bytes, Piece[] Parts);
