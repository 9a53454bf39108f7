namespace Cinnabar.Engine.Gates;

/// <summary>Which gates of a server are shut. Any thread.</summary>
internal sealed class GateSet
{
    private int _value;
    private Redirection? _redirection;

    /// <summary>The gates that are shut.</summary>
    public ServerGates Value => (ServerGates)Volatile.Read(ref _value);

    /// <summary>Whether a gate, or one of several, is shut.</summary>
    public bool Has(ServerGates gate) => (Value & gate) != 0;

    /// <summary>Where clients that follow redirections are sent; null: the server is a master.</summary>
    public Redirection? Redirection => Volatile.Read(ref _redirection);

    /// <summary>Sends clients elsewhere, or, with null, no longer.</summary>
    public void Redirect(Redirection? redirection)
    {
        Volatile.Write(ref _redirection, redirection);
        Set(ServerGates.Replica, redirection is not null);
    }

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
