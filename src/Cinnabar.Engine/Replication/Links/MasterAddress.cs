namespace Cinnabar.Engine.Replication.Links;

/// <summary>Where a master is.</summary>
/// <param name="Host">A name or an address.</param>
/// <param name="Port">The port.</param>
internal sealed record MasterAddress(string Host, int Port);
