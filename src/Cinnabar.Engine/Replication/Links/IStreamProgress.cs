namespace Cinnabar.Engine.Replication.Links;

/// <summary>Learns how far a master's stream was applied.</summary>
internal interface IStreamProgress
{
    /// <summary>These bytes of the stream, whole units or pieces of one, were applied; under the
    /// applier's lock.</summary>
    void Applied(ReadOnlySpan<byte> bytes);
}
