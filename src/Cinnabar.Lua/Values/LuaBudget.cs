namespace Cinnabar.Lua.Values;

/// <summary>
/// The memory of one machine's runs. The collector of .NET frees what a script no longer reaches, and says of
/// no object whose it is; so a machine counts for itself.
///
/// Each allocation is charged before it is made: an upper bound of what is alive. When the bound passes the
/// limit, a walk over the roots measures what is alive in truth, and the count goes on from there. When that
/// is over the limit too, the run ends with <see cref="LuaMemoryException"/>.
///
/// Limits: a walk is made at most every 64th part of the limit, so a run that stays just below it does not
/// spend its time in walks; it may exceed its limit by that part. An object that only a host function's
/// locals hold is not counted by a walk.
///
/// Allocating is work, too: a script that copies long strings makes few steps. So each
/// <see cref="SliceBytes"/> the machine is asked whether the run goes on.
/// </summary>
public sealed class LuaBudget
{
    private const long Unlimited = long.MaxValue / 4;

    // Copying so much takes a fraction of a millisecond.
    private const long SliceBytes = 1 << 20;

    private readonly IMemoryWalk _walk;

    // What is left of the bound: of the slice, and beyond it.
    private long _left;
    private long _beyond;
    private long _bound;

    internal LuaBudget(IMemoryWalk walk, long limit)
    {
        Debug.Assert(limit >= 0);
        _walk = walk;
        Limit = limit;
        _bound = limit == 0 ? Unlimited : limit;
        BeginSlice(_bound);
    }

    /// <summary>Bytes that a run may hold; 0: any number.</summary>
    public long Limit { get; private set; }

    /// <summary>Asked before a table of its machine that is watched changes: it releases the table, or ends
    /// the run. Null: none is watched.</summary>
    public Action? Watcher { get; set; }

    /// <summary>Bytes that may be alive: those of the last walk and all that was charged since.</summary>
    public long Used => _bound - _left - _beyond;

    /// <summary>Bytes that were alive at the last walk.</summary>
    public long Live { get; private set; }

    /// <summary>The largest <see cref="Used"/> that a walk or <see cref="Peak"/> itself has seen.</summary>
    public long Peak
    {
        get
        {
            field = Math.Max(field, Used);
            return field;
        }

        private set;
    }

    /// <summary>Sets the limit of the runs to come; 0: none.</summary>
    public void SetLimit(long limit)
    {
        Debug.Assert(limit >= 0);
        long used = Used;
        Limit = limit;
        _bound = limit == 0 ? Unlimited : limit;
        BeginSlice(_bound - used);
    }

    /// <summary>Accounts for memory that is about to be allocated.</summary>
    /// <exception cref="LuaMemoryException">It would pass the limit.</exception>
    /// <exception cref="LuaInterruptException">The host ended the run.</exception>
    public void Charge(long bytes)
    {
        Debug.Assert(bytes >= 0);
        if ((_left -= bytes) < 0) EndSlice(bytes);
    }

    /// <summary>Counts anew what is alive.</summary>
    public void Measure()
    {
        _ = Peak;
        long live = _walk.MeasureLive();
        _bound = Limit == 0 ? Unlimited : Math.Max(Limit, live + Limit / 64);
        BeginSlice(_bound - live);
        Live = live;
    }

    /// <summary>Begins to look for the peak of a run.</summary>
    /// <returns>The bytes that are in use.</returns>
    public long BeginRun() => Peak = Used;

    private void BeginSlice(long left)
    {
        _left = Math.Min(left, SliceBytes);
        _beyond = left - _left;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void EndSlice(long bytes)
    {
        long left = _left + _beyond;
        if (left < 0)
            MakeRoom(bytes);
        else
            BeginSlice(left);
        _walk.Interrupt();
    }

    private void MakeRoom(long bytes)
    {
        if (Limit == 0)
        {
            BeginSlice(Unlimited);
            return;
        }

        long left = _left + _beyond + bytes;
        BeginSlice(left);
        if (bytes > Limit) throw new LuaMemoryException();
        Measure();
        if (Used + bytes > Limit) throw new LuaMemoryException();
        BeginSlice(_bound - Used - bytes);
    }
}
