using Cinnabar.Lua.Compiling;

namespace Cinnabar.Engine.Scripts;

/// <summary>
/// A library of functions: compiled, shared by all loops. Its functions keep state where a call can see what
/// another one has left in Lua: a variable or a table around them. Then one machine runs them all, under all
/// stripes; else each machine has them for itself.
/// </summary>
internal sealed class FunctionLibrary
{
    /// <summary>The name of its code, in errors.</summary>
    public const string ChunkName = "@user_function";

    // Objects, the entries of the registry.
    private const int OverheadBytes = 300;
    private const int FunctionOverheadBytes = 200;

    private volatile bool _hasState;

    /// <summary>Makes a library that its code has described.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="source">Its text, from the first line on.</param>
    /// <param name="prototype">Its code.</param>
    /// <param name="registrations">Its functions, in the order of their registration.</param>
    public FunctionLibrary(
        string name, byte[] source, Prototype prototype, IReadOnlyList<Registration> registrations)
    {
        Debug.Assert(registrations.Count > 0, "a library has functions");
        (Name, Source, Prototype) = (name, source, prototype);
        Functions = new LibraryFunction[registrations.Count];
        for (int index = 0; index < Functions.Length; index++)
            Functions[index] = new LibraryFunction(this, index, registrations[index]);
    }

    /// <summary>Its name.</summary>
    public string Name { get; }

    /// <summary>Its text.</summary>
    public byte[] Source { get; }

    /// <summary>Its code.</summary>
    public Prototype Prototype { get; }

    /// <summary>Its functions, in the order of their registration.</summary>
    public LibraryFunction[] Functions { get; }

    /// <summary>Whether its functions have tables around them, which a call may change: a run that could not
    /// be taken back runs where it may.</summary>
    public bool HasTables { get; init; }

    /// <summary>Whether its functions keep state.</summary>
    public bool HasState => _hasState;

    /// <summary>About how many bytes it takes.</summary>
    public long MemoryBytes =>
        OverheadBytes + Source.Length + Prototype.ByteCount + (FunctionOverheadBytes * Functions.Length);

    /// <summary>Remembers that its functions keep state.</summary>
    public void LearnState()
    {
        foreach (LibraryFunction function in Functions)
            function.LearnNoUndo();
        // ORDER: whoever sees it sees where the functions run.
        _hasState = true;
    }
}
