using Cinnabar.Persistence.Snapshots;

namespace Cinnabar.Engine.Scripts;

/// <summary>The libraries of one moment. It does not change, so every loop reads it without a lock.</summary>
internal sealed class LibrarySet
{
    private readonly Dictionary<string, LibraryFunction> _functions = new(new FunctionNames());
    private readonly Dictionary<string, LibraryFunction>.AlternateLookup<ReadOnlySpan<byte>> _byBytes;
    private readonly Dictionary<string, FunctionLibrary> _libraries = [];

    /// <summary>Makes a set.</summary>
    /// <exception cref="LibraryException">Two functions have the same name.</exception>
    public LibrarySet(IReadOnlyList<FunctionLibrary> libraries)
    {
        _byBytes = _functions.GetAlternateLookup<ReadOnlySpan<byte>>();
        Libraries = libraries;
        foreach (FunctionLibrary library in libraries)
        {
            _libraries.Add(library.Name, library);
            MemoryBytes += library.MemoryBytes;
            foreach (LibraryFunction function in library.Functions)
            {
                if (!_functions.TryAdd(function.Name, function))
                    throw new LibraryException($"Function {function.Name} already exists");
            }
        }
    }

    /// <summary>The libraries, in the order of their loading.</summary>
    public IReadOnlyList<FunctionLibrary> Libraries { get; }

    /// <summary>Number of their functions.</summary>
    public int FunctionCount => _functions.Count;

    /// <summary>About how many bytes they take.</summary>
    public long MemoryBytes { get; }

    /// <summary>The text of each library.</summary>
    public byte[][] Sources
    {
        get
        {
            var sources = new byte[Libraries.Count][];
            for (int index = 0; index < sources.Length; index++)
                sources[index] = Libraries[index].Source;
            return sources;
        }
    }

    /// <summary>The libraries as a file has them.</summary>
    public StoredLibrary[] Stored
    {
        get
        {
            var stored = new StoredLibrary[Libraries.Count];
            for (int index = 0; index < stored.Length; index++)
                stored[index] = new StoredLibrary(Libraries[index].Name, Libraries[index].Source);
            return stored;
        }
    }

    /// <summary>Finds a function by its name, in any case; null: there is none.</summary>
    public LibraryFunction? FindFunction(ReadOnlySpan<byte> name) =>
        _byBytes.TryGetValue(name, out LibraryFunction? function) ? function : null;

    /// <summary>Finds a library; null: there is none.</summary>
    public FunctionLibrary? FindLibrary(string name) => _libraries.GetValueOrDefault(name);
}
