using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Native;

/// <summary>
/// What every batch runs, in the native binary: from the batch's run, the scan, GET and SET down, along
/// direct calls, no function checks whether a class's constructor has run, looks a generic virtual method up,
/// or allocates. Handlers are called by the command table's addresses: these two stand for the others.
/// </summary>
public sealed partial class HotCodeTests
{
    // How far behind an allocation the throw of what was allocated is looked for.
    private const int ThrowDistanceMax = 60;
    private const int FunctionCountMin = 60;

    [Fact]
    public void NothingOfABatchNeedsTheRunTime()
    {
        Assert.SkipUnless(ServerProgram.IsNative, "the managed form is compiled as it runs");
        Assert.SkipUnless(File.Exists(ServerProgram.FilePath + ".dbg"), "the symbols are not there");
        Assert.SkipUnless(ProgramResult.CanRun("objdump"), "binutils is not installed");
        var code = new MachineCode(ServerProgram.FilePath);
        string[] roots = [.. code.Functions.Where(static name => Root().IsMatch(name))];
        Assert.Contains(roots, static name => name.EndsWith("BatchRunner__Run", StringComparison.Ordinal));
        Assert.Contains(roots, static name => name.EndsWith("dScanner__Scan", StringComparison.Ordinal));
        Assert.Contains(roots, static name => name.EndsWith("tScanner__Scan", StringComparison.Ordinal));
        Assert.Contains(roots, static name => name.EndsWith("GetCommands__Get", StringComparison.Ordinal));
        Assert.Contains(roots, static name => name.EndsWith("SetCommands__Set", StringComparison.Ordinal));
        var callers = new Dictionary<string, string>();
        var open = new Queue<string>();
        foreach (string root in roots)
        {
            callers[root] = "";
            open.Enqueue(root);
        }

        List<string> faults = [];
        while (open.TryDequeue(out string? function))
            Examine(code, function, callers, open, faults);
        Assert.True(callers.Count > FunctionCountMin, $"only {callers.Count} functions were found");
        Assert.True(faults.Count == 0, string.Join('\n', faults));
    }

    private static void Examine(MachineCode code, string function, Dictionary<string, string> callers,
        Queue<string> open, List<string> faults)
    {
        IReadOnlyList<MachineCode.Instruction> body = code.BodyOf(function);
        for (int index = 0; index < body.Count; index++)
        {
            string target = body[index].Target;
            if (target == function || target.Length == 0)
                continue;
            if (Forbidden().IsMatch(target))
            {
                if (!IsThrown(body, index))
                    faults.Add($"{target} in {Path(function, callers)}");
            }
            else if (target.Contains("Cinnabar", StringComparison.Ordinal) && !Rare().IsMatch(target)
                && callers.TryAdd(target, function))
            {
                open.Enqueue(target);
            }
        }
    }

    // An exception is allocated where it is thrown: until then nothing returns or goes elsewhere.
    private static bool IsThrown(IReadOnlyList<MachineCode.Instruction> body, int index)
    {
        foreach (MachineCode.Instruction next in body.Skip(index + 1).Take(ThrowDistanceMax))
        {
            if (next.Target.StartsWith("RhpThrow", StringComparison.Ordinal))
                return true;
            if (next.Operation is "ret" or "jmp")
                return false;
        }

        return false;
    }

    private static string Path(string function, Dictionary<string, string> callers)
    {
        List<string> path = [];
        for (string name = function; name.Length > 0; name = callers[name])
            path.Add(name);
        return string.Join(" <- ", path);
    }

    [GeneratedRegex("Loops_BatchRunner__Run$|Loops_CommandScanner__(Scan|PrefetchEntries)$"
        + "|Resp_RequestScanner__Scan$|Strings_(GetCommands__Get|SetCommands__Set)$")]
    private static partial Regex Root();

    [GeneratedRegex("^RhpNew|^RhNew|StaticBase|CheckStaticClass|EnsureClassConstructor|GVMLookup"
        + "|GenericLookup")]
    private static partial Regex Forbidden();

    // Where a batch leaves the way that most batches go: memory or a table grows, a session ends, is slow or
    // over its limits, output waits for its peer, the journal is full, another thread holds a mailbox, a key
    // is past its deadline, a command leaves the loop, waits, subscribes to a pattern, divides what it
    // records, or is written to the logs; freed memory is given back; a stripe gets its first key of a
    // database, a replica a deadline of its own, an error a code that is new; a master's command fails.
    [GeneratedRegex("___ctor$|__Grow|__set_Capacity$|__AddWithResize$|Array__Resize|__AddRange$"
        + "|CommandTimer__(Observe|MakeHistogram)$|SessionClosing__|MoveToSlowLane"
        + "|SessionOutput__(Send|QueueOwn)|__CloseOverLimit$|CommandLog__|LatencyMonitor__"
        + "|InputReceiver__PartialOf$|PartialInput__|StripeLock__|EffectBuffer__(Deliver|SettleDue)"
        + "|JournalRing__WaitForRoom$|KeyWaits__"
        + "|CommandRunner__Suspend$|SlowLane__|CommandGate__|LaneThreads__|SharedBlockPool__|PageSource__"
        + "|BatchRunner__(RunLong|TryRunAwaited)$|BlockSource__Free|BlockGuard__|NativePages__"
        + "|SegmentPool__Directories$|TreeSource__ReclaimSlice$|Selector__AllowsChannelPattern$"
        + "|Effects__(Select|Append)Divided$|Mailbox__EnterContended$|Stripe__NewTable$"
        + "|EntryDeadline__NoteOwn$|ErrorStatistics__AddCode$|UnsentReplies__NoteError$")]
    private static partial Regex Rare();
}
