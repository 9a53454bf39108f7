// The libraries of functions of a server. Every loop reads the set of the moment without a lock; a change
// makes another set. The commands that change it hold all stripes, so that a snapshot, which takes its
// moment under all stripes, has the libraries of its moment.

using Cinnabar.Memory;

namespace Cinnabar.Engine.Scripts;

/// <summary>The libraries of a server. Any thread.</summary>
/// <param name="loader">Makes libraries of texts.</param>
/// <param name="records">Counts what they take.</param>
internal sealed class FunctionLibraries(ILibraryLoader loader, CountedMemory records)
{
    private readonly ILibraryLoader _loader = loader;
    private readonly CountedMemory _records = records;
    private readonly Lock _lock = new();
    private LibrarySet _current = new([]);

    /// <summary>Called after a change; under no lock.</summary>
    public Action? Changed { get; set; }

    /// <summary>The libraries of the moment.</summary>
    public LibrarySet Current => Volatile.Read(ref _current);

    /// <summary>CONFIG RESETSTAT.</summary>
    public void ResetStatistics()
    {
        foreach (FunctionLibrary library in Current.Libraries)
        {
            foreach (LibraryFunction function in library.Functions)
                function.ResetCounters();
        }
    }

    /// <summary>Makes a library of its text, which it does not keep yet.</summary>
    /// <returns>The library; null: it takes longer than a loop has.</returns>
    /// <exception cref="LibraryException">It cannot be loaded.</exception>
    public FunctionLibrary? Load(ReadOnlySpan<byte> source, in LoadBounds bounds) =>
        _loader.Load(LibraryHeader.Read(source), source, in bounds);

    /// <summary>Makes a library of its text and keeps it.</summary>
    /// <param name="source">The text.</param>
    /// <param name="isReplacing">Whether a library of the same name gives way.</param>
    /// <param name="bounds">How long its code may run.</param>
    /// <returns>The library; null: it takes longer than a loop has.</returns>
    /// <exception cref="LibraryException">It cannot be loaded; nothing has changed.</exception>
    public FunctionLibrary? Add(ReadOnlySpan<byte> source, bool isReplacing, in LoadBounds bounds)
    {
        LibraryHeader header = LibraryHeader.Read(source);
        if (!isReplacing && Current.FindLibrary(header.Name) is not null)
            throw new LibraryException($"Library '{header.Name}' already exists");
        FunctionLibrary? library = _loader.Load(header, source, in bounds);
        if (library is not null)
            Restore([library], isReplacing ? RestorePolicy.Replace : RestorePolicy.Append);
        return library;
    }

    /// <summary>Keeps libraries, all or none.</summary>
    /// <exception cref="LibraryException">Names are taken; nothing has changed.</exception>
    public void Restore(IReadOnlyList<FunctionLibrary> libraries, RestorePolicy policy)
    {
        lock (_lock)
        {
            LibrarySet old = _current;
            List<FunctionLibrary> kept = policy == RestorePolicy.Flush ? [] : [.. old.Libraries];
            foreach (FunctionLibrary library in libraries)
            {
                int place = kept.FindIndex(other => other.Name == library.Name);
                if (place >= 0 && policy != RestorePolicy.Replace)
                    throw new LibraryException($"Library {library.Name} already exists");
                if (place >= 0)
                    kept.RemoveAt(place);
                kept.Add(library);
            }

            Replace(new LibrarySet(kept));
        }

        Changed?.Invoke();
    }

    /// <summary>Forgets a library.</summary>
    /// <returns>Whether there was one.</returns>
    public bool TryDelete(string name)
    {
        lock (_lock)
        {
            if (_current.FindLibrary(name) is not { } library)
                return false;
            List<FunctionLibrary> kept = [.. _current.Libraries];
            kept.Remove(library);
            Replace(new LibrarySet(kept));
        }

        Changed?.Invoke();
        return true;
    }

    /// <summary>Forgets all libraries.</summary>
    public void Clear()
    {
        lock (_lock)
            Replace(new LibrarySet([]));
        Changed?.Invoke();
    }

    private void Replace(LibrarySet set)
    {
        _records.Add(set.MemoryBytes - _current.MemoryBytes);
        Volatile.Write(ref _current, set);
    }
}
