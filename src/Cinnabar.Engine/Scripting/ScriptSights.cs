// What others could see of a script before it commits: the statistics of its commands, messages, lines of the
// log and of monitors. A run that can be rolled back keeps them until it commits or forgets them; any other
// lets them out at once.

using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Generated;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Specs;
using Cinnabar.Engine.Statistics;

namespace Cinnabar.Engine.Scripting;

/// <summary>What a run of a script shows to others when it commits.</summary>
internal sealed class ScriptSights
{
    // Of the calls of a command of constant cost one in so many is timed; the others count as long.
    private const int TimingInterval = 8;

    private const int ActionBytes = 200;

    private readonly Calls[] _calls = new Calls[CommandTable.IdCount];
    private readonly List<CommandId> _called = [];
    private readonly List<Action> _actions = [];

    /// <summary>Counts the errors of its commands.</summary>
    public ErrorStatistics Errors { get; } = new();

    /// <summary>About how many bytes what is to be shown takes.</summary>
    public long Bytes { get; private set; }

    /// <summary>Whether the call of a command that is about to begin is to be timed.</summary>
    public bool IsNextTimed(CommandSpec spec)
    {
        ref Calls calls = ref _calls[(int)spec.Id];
        if (spec.IsConstantCost && calls.UntimedCount > 0)
        {
            calls.UntimedCount--;
            return false;
        }

        calls.UntimedCount = TimingInterval - 1;
        return true;
    }

    /// <summary>Counts a command that was called.</summary>
    /// <param name="spec">The command.</param>
    /// <param name="elapsedNs">How long it took; negative: it was not timed.</param>
    /// <param name="isFailed">Whether it replied an error.</param>
    public void Called(CommandSpec spec, long elapsedNs, bool isFailed)
    {
        ref Calls calls = ref At(spec);
        if (elapsedNs >= 0)
            calls.SampleNs = elapsedNs;
        calls.Count++;
        calls.ElapsedNs += calls.SampleNs;
        calls.FailedCount += isFailed ? 1 : 0;
    }

    /// <summary>Counts a command that was refused.</summary>
    public void Refused(CommandSpec spec) => At(spec).RefusedCount++;

    /// <summary>Does something when the run commits.</summary>
    /// <param name="action">What.</param>
    /// <param name="bytes">Bytes of what it shows.</param>
    public void Add(Action action, long bytes)
    {
        _actions.Add(action);
        Bytes += ActionBytes + bytes;
    }

    /// <summary>Forgets everything: the run was rolled back.</summary>
    public void Forget()
    {
        foreach (CommandId id in _called)
            _calls[(int)id].Clear();
        _called.Clear();
        _actions.Clear();
        Bytes = 0;
        if (Errors.TotalCount != 0)
            Errors.Reset();
    }

    /// <summary>Shows everything: the run commits, on a loop or in the slow lane.</summary>
    public void Show(SessionExecution execution, ErrorStatistics errors)
    {
        foreach (Action action in _actions)
            action();
        _actions.Clear();
        Errors.MoveTo(errors);
        foreach (CommandId id in _called)
            Count(execution, CommandTable.Get(id), in _calls[(int)id]);
        Forget();
    }

    private static void Count(SessionExecution execution, CommandSpec spec, in Calls calls)
    {
        execution.Session.CommandCount += calls.Count;
        var call = new NestedCall(spec, calls.ElapsedNs, calls.Count, calls.FailedCount, calls.RefusedCount);
        if (execution.IsOffLoop)
            execution.NestedCalls.Add(call);
        else
            ((Loop)execution.Loop).Runner.Timer.RecordNested(in call);
    }

    private ref Calls At(CommandSpec spec)
    {
        ref Calls calls = ref _calls[(int)spec.Id];
        if (calls is { Count: 0, RefusedCount: 0 })
            _called.Add(spec.Id);
        return ref calls;
    }

    private struct Calls
    {
        public int Count;
        public int FailedCount;
        public int RefusedCount;
        public long ElapsedNs;

        // These outlive the run: how long the last timed call took, and how many follow untimed.
        public long SampleNs;
        public int UntimedCount;

        public void Clear() => (Count, FailedCount, RefusedCount, ElapsedNs) = (0, 0, 0, 0);
    }
}
