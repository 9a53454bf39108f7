namespace Cinnabar.Engine.Gates;

/// <summary>Which gates of a server are shut. Any thread.</summary>
internal sealed class GateSet
{
    private int _value;

    /// <summary>The gates that are shut.</summary>
    public ServerGates Value => (ServerGates)Volatile.Read(ref _value);

    /// <summary>Whether a gate, or one of several, is shut.</summary>
    public bool Has(ServerGates gate) => (Value & gate) != 0;

    /// <summary>Shuts or opens a gate.</summary>
    public void Set(ServerGates gate, bool isShut)
    {
        Debug.Assert(BitOperations.IsPow2((int)gate), "one gate at a time");
        if (isShut)
            Interlocked.Or(ref _value, (int)gate);
        else
            Interlocked.And(ref _value, ~(int)gate);
    }
}
