using Cinnabar.Keyspace;

namespace Cinnabar.Importing;

/// <summary>A master whose keys are imported.</summary>
/// <param name="Address">The master.</param>
/// <param name="Slots">The slots of a cluster that it serves, first and last of each range; null: it is no
/// cluster's, and has all keys.</param>
internal sealed record SourceNode(ImportAddress Address, IReadOnlyList<(int First, int Last)>? Slots)
{
    /// <summary>Whether it serves a key.</summary>
    public bool Owns(byte[] key)
    {
        if (Slots is null)
            return true;
        int slot = HashSlot.Of(key);
        foreach ((int first, int last) in Slots)
        {
            if (slot >= first && slot <= last)
                return true;
        }

        return false;
    }
}
