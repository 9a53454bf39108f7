namespace Cinnabar.Engine.Configuration.Registry;

/// <summary>The line that set a directive.</summary>
/// <param name="Line">Its number, from 1.</param>
/// <param name="Text">The line itself, without blanks around it; one char a byte.</param>
public readonly record struct ConfigurationOrigin(int Line, string Text);
