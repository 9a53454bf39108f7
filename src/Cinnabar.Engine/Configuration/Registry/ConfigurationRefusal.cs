namespace Cinnabar.Engine.Configuration.Registry;

/// <summary>A directive that must not be ignored silently, and why.</summary>
/// <param name="Origin">Where it was set.</param>
/// <param name="Reason">What would happen if it were ignored.</param>
public readonly record struct ConfigurationRefusal(ConfigurationOrigin Origin, string Reason);
