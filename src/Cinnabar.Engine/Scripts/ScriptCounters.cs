namespace Cinnabar.Engine.Scripts;

/// <summary>Counts what the runs of a script cost: a row for each loop, which only that loop writes, and one
/// for the threads of the slow lane. Totals are read from any thread, without a lock of the loops.</summary>
/// <param name="loopCount">The number of the server's loops.</param>
internal sealed class ScriptCounters(int loopCount)
{
    private readonly Row[] _rows = new Row[loopCount + 1];
    private readonly Lock _laneLock = new();

    /// <summary>The sum of all rows.</summary>
    public ScriptTotals Total
    {
        get
        {
            ScriptTotals total = default;
            foreach (ref readonly Row row in _rows.AsSpan())
                total.Add(in row.Totals);
            return total;
        }
    }

    /// <summary>Counts a run on a loop.</summary>
    public void Add(int loop, in ScriptTotals run) => _rows[loop].Totals.Add(in run);

    /// <summary>Counts a run in the slow lane.</summary>
    public void AddOfLane(in ScriptTotals run)
    {
        lock (_laneLock)
            _rows[^1].Totals.Add(in run);
    }

    // A row takes a cache line: loops do not write to one another's.
    [StructLayout(LayoutKind.Sequential, Size = 64)]
    private struct Row
    {
        public ScriptTotals Totals;
    }
}
