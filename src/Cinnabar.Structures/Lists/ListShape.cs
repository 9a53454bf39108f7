namespace Cinnabar.Structures.Lists;

/// <summary>How a big list lies in its pages.</summary>
/// <param name="PageCount">Pages.</param>
/// <param name="SqueezedCount">Those of them that are compressed.</param>
/// <param name="OpenBytes">Bytes of the elements in all pages, were none compressed.</param>
public readonly record struct ListShape(long PageCount, long SqueezedCount, long OpenBytes);
