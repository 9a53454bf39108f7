namespace Cinnabar.Tests.Simulation.Types;

/// <summary>What a key of the model has.</summary>
/// <param name="Content">Its value.</param>
/// <param name="Deadline">The last era that it is there in; null: for ever.</param>
internal sealed record Entry(Content Content, int? Deadline)
{
    /// <summary>A number that distinguishes it from others.</summary>
    public ulong Digest => Content.DigestOf($"{Content.Kind} {Content.Digest} {Deadline}");
}
