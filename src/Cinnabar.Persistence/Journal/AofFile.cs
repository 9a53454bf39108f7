namespace Cinnabar.Persistence.Journal;

/// <summary>A file of the append-only file, as the manifest names it.</summary>
/// <param name="Name">Its name, without a directory.</param>
/// <param name="Sequence">Its number among the files of its kind.</param>
/// <param name="Kind">What it holds.</param>
public sealed record AofFile(string Name, long Sequence, AofFileKind Kind);
