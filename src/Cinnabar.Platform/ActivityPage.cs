namespace Cinnabar.Platform;

/// <summary>
/// What the threads of a server are doing, a row each, in memory that does not move: when a fatal signal ends
/// the process, the <see cref="CrashReport"/> shows it. The first rows are the loops', in order; the others
/// are for threads of the slow lane while they run something.
/// </summary>
public sealed unsafe class ActivityPage
{
    // A report shows at most this much work of the slow lane.
    private const int LaneCountMax = 16;
    private const int LoopKind = 1;
    private const int LaneKind = 2;

    private readonly nuint _byteCount;
    private readonly int _loopCount;

    /// <summary>Makes a page for a server's loops.</summary>
    public ActivityPage(int loopCount)
    {
        Debug.Assert(loopCount > 0, "a server has a loop");
        _loopCount = loopCount;
        // The last row is for work that found no free one; its kind stays 0, so that no report shows it.
        nuint rowBytes = (nuint)((RowCount + 1) * sizeof(ActivityRow));
        _byteCount = (rowBytes + NativePages.PageSize - 1) & ~(NativePages.PageSize - 1);
        // SAFETY: the mapping has room for all rows, and stays until the page is finalized.
        Rows = (ActivityRow*)NativePages.Map(_byteCount, NativePages.PageSize);
        for (int index = 0; index < RowCount; index++)
            Rows[index].Index = index < loopCount ? index : index - loopCount;
        for (int index = 0; index < loopCount; index++)
            Rows[index].Kind = LoopKind;
    }

    /// <summary>Unmaps it: threads may write to their rows while the page is referenced.</summary>
    ~ActivityPage()
    {
        // It has none where the mapping failed.
        if (Rows != null)
            NativePages.Unmap((byte*)Rows, _byteCount);
    }

    internal ActivityRow* Rows { get; }

    internal int RowCount => _loopCount + LaneCountMax;

    /// <summary>The row of a loop; it stays valid while the page is referenced.</summary>
    public ActivityRow* OfLoop(int index)
    {
        Debug.Assert((uint)index < (uint)_loopCount, "the page is as large as the server");
        return Rows + index;
    }

    /// <summary>Notes that the calling thread is the one that drives a loop.</summary>
    public void TakeLoop(int index) => OfLoop(index)->Thread = CurrentThread;

    /// <summary>Takes a row for what the calling thread executes off the loops.</summary>
    public ActivityRow* TakeLane()
    {
        ActivityRow* row = Rows + _loopCount;
        ActivityRow* spare = Rows + RowCount;
        while (row < spare && Interlocked.CompareExchange(ref row->Kind, LaneKind, 0) != 0)
            row++;
        if (row < spare)
            row->Thread = CurrentThread;
        return row;
    }

    /// <summary>Gives a row of <see cref="TakeLane"/> back.</summary>
    public void ReturnLane(ActivityRow* row)
    {
        Debug.Assert(row >= Rows + _loopCount && row <= Rows + RowCount, "a row of a lane");
        Debug.Assert(row == Rows + RowCount || row->Kind == LaneKind, "a row is given back once");
        Volatile.Write(ref row->Kind, 0);
    }

    private static nint CurrentThread => OperatingSystem.IsWindows() ? 0 : LibC.ThisThread();
}
