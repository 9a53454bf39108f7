namespace Cinnabar.Transport.Uring;

/// <summary>Which operations of a connection are in flight.</summary>
[Flags]
internal enum UringUses : byte
{
    None = 0,
    Receive = 1,
    Watch = 2,
    AwaitRoom = 4,

    /// <summary>What is in flight where nothing comes and nothing goes.</summary>
    Idle = Receive | Watch,
}
