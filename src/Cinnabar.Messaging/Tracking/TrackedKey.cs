namespace Cinnabar.Messaging.Tracking;

/// <summary>A tracked key with the ids of its clients, in ascending order (<see cref="TrackedKeys"/>). The
/// head of a block: key and ids follow.</summary>
// SAFETY: only on blocks that TrackedKeys has made, with room for the key and IdCapacity ids behind it.
public unsafe struct TrackedKey
{
    private const int Alignment = sizeof(long);

    internal TrackedKey* Next;
    internal ulong Hash;
    internal int KeyLength;
    internal int IdCapacity;
    private int _idCount;

    /// <summary>Number of clients.</summary>
    public int IdCount
    {
        readonly get => _idCount;
        internal set => _idCount = value;
    }

    /// <summary>The key.</summary>
    public ReadOnlySpan<byte> Key => new(KeyData, KeyLength);

    internal byte* KeyData => (byte*)Unsafe.AsPointer(ref this) + sizeof(TrackedKey);

    /// <summary>The clients, in ascending order.</summary>
    public long* Ids => (long*)(KeyData + Padded(KeyLength));

    internal nuint Size => SizeOf(KeyLength, IdCapacity);

    internal static nuint SizeOf(int keyLength, int idCapacity) =>
        (nuint)sizeof(TrackedKey) + Padded(keyLength) + ((nuint)idCapacity * sizeof(long));

    /// <summary>Where an id is, or belongs.</summary>
    internal int PlaceOf(long id)
    {
        (int low, int high) = (0, _idCount);
        while (low < high)
        {
            int middle = (low + high) / 2;
            if (Ids[middle] < id)
                low = middle + 1;
            else
                high = middle;
        }

        return low;
    }

    private static nuint Padded(int length) => ((nuint)length + Alignment - 1) & ~(nuint)(Alignment - 1);
}
