namespace Cinnabar.Tests.Simulation.Types;

/// <summary>A key of a database.</summary>
internal readonly record struct Place(int Database, string Key);
