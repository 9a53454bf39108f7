namespace Cinnabar.Load.Requests;

/// <summary>Where in a <see cref="PreparedBatch"/> a number stands that is drawn anew each time: the key's of
/// a command, or any.</summary>
internal readonly record struct BatchHole(int Offset, int Size, PieceKind Kind, int Command);
