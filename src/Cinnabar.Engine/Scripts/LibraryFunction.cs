namespace Cinnabar.Engine.Scripts;

/// <summary>A function of a library.</summary>
/// <param name="library">Its library.</param>
/// <param name="index">The number of functions that the library registered before.</param>
/// <param name="registration">How it was registered.</param>
internal sealed class LibraryFunction(FunctionLibrary library, int index, Registration registration)
    : Runnable
{
    /// <summary>Its library.</summary>
    public FunctionLibrary Library { get; } = library;

    /// <summary>Number of functions that the library registered before.</summary>
    public int Index { get; } = index;

    /// <summary>What it is for; null: the library does not say.</summary>
    public byte[]? Description { get; } = registration.Description;

    /// <inheritdoc/>
    public override string Name { get; } = registration.Name;

    /// <inheritdoc/>
    public override ScriptFlags Flags { get; } = registration.Flags;

    /// <inheritdoc/>
    public override bool HasFlags => true;
}
