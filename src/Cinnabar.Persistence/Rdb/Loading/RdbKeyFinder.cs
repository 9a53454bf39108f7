using Cinnabar.Persistence.Rdb.Reading;

namespace Cinnabar.Persistence.Rdb.Loading;

/// <summary>Finds out whether a file has keys: it is read up to the first.</summary>
public sealed class RdbKeyFinder : IRdbItemSink
{
    private bool _hasKey;

    private RdbKeyFinder()
    {
    }

    /// <summary>Whether a file has keys.</summary>
    /// <exception cref="RdbFormatException">It is damaged before the first.</exception>
    /// <exception cref="System.IO.IOException">It cannot be read.</exception>
    public static bool HasKeys(Platform.Files.StoredFile file, RdbReadOptions options)
    {
        var finder = new RdbKeyFinder();
        var scanner = new RdbItemScanner(file, options, finder);
        scanner.ReadHeader();
        using var block = new RdbBlock(options.BlockSize);
        while (!scanner.IsAtEnd && !finder._hasKey)
            scanner.Fill(block);
        return finder._hasKey;
    }

    bool IRdbItemSink.Take(
        ref RdbCursor cursor, scoped in RdbItem item, scoped in RdbPrelude prelude, RdbBlock block)
    {
        if (item.Kind != RdbItemKind.Key)
            return false;
        cursor.ReadString();
        RdbValueSkipper.Skip(ref cursor, item.Type);
        _hasKey = true;
        return true;
    }

    void IRdbItemSink.ChecksumRead(ulong stored, ulong computed)
    {
    }
}
