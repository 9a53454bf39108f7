namespace Cinnabar.Engine.Scripts;

/// <summary>What a library says of a function when it registers it.</summary>
/// <param name="Name">Its name: letters, digits and underscores.</param>
/// <param name="Flags">Its flags.</param>
/// <param name="Description">What it is for; null: the library does not say.</param>
internal sealed record Registration(string Name, ScriptFlags Flags, byte[]? Description);
