using Cinnabar.Persistence.Rdb.Reading;

namespace Cinnabar.Persistence.Rdb.Loading;

/// <summary>Hears of what a file has beside its keys, on the thread that reads it.</summary>
public interface IRdbFileObserver
{
    /// <summary>A field that describes the file.</summary>
    void Described(ReadOnlySpan<byte> name, ReadOnlySpan<byte> text);

    /// <summary>The code of a library of functions.</summary>
    void FunctionsFound(ReadOnlySpan<byte> code);

    /// <summary>Data of a module that belong to no key; they are skipped.</summary>
    void ModuleDataSkipped(RdbModuleId module);

    /// <summary>The checksum was compared, or there is none.</summary>
    void ChecksumRead(ulong stored, ulong computed);

    /// <summary>More of the file has been loaded.</summary>
    void Advanced(RdbLoadProgress progress);

    /// <summary>A key was not loaded, since its collection is empty; from any thread.</summary>
    void EmptyKeySkipped(ReadOnlySpan<byte> key);

    /// <summary>A module's key, or a key's metadata of a module, was not loaded; from any thread.</summary>
    void ModuleKeySkipped(ReadOnlySpan<byte> key, string type);
}
