namespace Cinnabar.Engine.Scripts;

/// <summary>Makes libraries of their texts.</summary>
internal interface ILibraryLoader
{
    /// <summary>Compiles a library and has it register its functions.</summary>
    /// <param name="header">Its first line.</param>
    /// <param name="source">Its text.</param>
    /// <param name="bounds">How long its code may run.</param>
    /// <returns>The library; null: it takes longer than a loop has.</returns>
    /// <exception cref="LibraryException">It cannot be loaded.</exception>
    FunctionLibrary? Load(LibraryHeader header, ReadOnlySpan<byte> source, in LoadBounds bounds);
}
