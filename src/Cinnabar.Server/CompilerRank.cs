using System;
using System.Globalization;
using System.Threading;
using Cinnabar.Platform;

namespace Cinnabar.Server;

/// <summary>
/// Keeps the run time's compiler below the threads that serve: where clients keep every processor busy, a
/// compiler of equal rank would have half of one. Its thread ends after four seconds without work, and the
/// next one has the rank of whoever called for it. So a loop tells when compiling begins
/// (<see cref="ServerOptions.CompilingBegan"/>), and the process's main thread looks for the thread then.
/// </summary>
internal sealed class CompilerRank
{
    /// <summary>How often to look for the thread, once it is to be looked for: what is compiled first may be
    /// what the loop itself needs at once, before there is that thread.</summary>
    internal const int LookCount = 50;

    // In the program's configuration of the run time (Cinnabar.Server.csproj).
    private const string StepsSetting = "Cinnabar.CompilerLowerBy";

    private const string ThreadName = ".NET Tiered Compilation Worker";
    private static readonly TimeSpan s_lookPeriod = TimeSpan.FromMilliseconds(20);

    private readonly EventWaitHandle _wake;
    private readonly Func<bool> _lower;
    private int _hasBegun;
    private int _looksLeft = LookCount;

    /// <param name="wake">Wakes the thread that looks.</param>
    internal CompilerRank(EventWaitHandle wake)
        : this(wake, static () =>
            ThreadRank.LowerOther(ThreadName, StepsOf(AppContext.GetData(StepsSetting))))
    {
    }

    /// <param name="wake">As the other form has it.</param>
    /// <param name="lower">Lowers the compiler's thread; whether there is one.</param>
    internal CompilerRank(EventWaitHandle wake, Func<bool> lower) => (_wake, _lower) = (wake, lower);

    /// <summary>How many steps below the loops the compiler is kept.</summary>
    /// <param name="setting">What the configuration says, a number as text; else as many as there
    /// are.</param>
    internal static int StepsOf(object? setting) =>
        int.TryParse(setting as string, CultureInfo.InvariantCulture, out int steps)
            ? steps : ThreadRank.LowestBy;

    /// <summary>How long to wait until the next look; null: until it is told that compiling begins. For the
    /// thread that looks.</summary>
    internal TimeSpan? Period => _looksLeft > 0 || Volatile.Read(ref _hasBegun) != 0 ? s_lookPeriod : null;

    /// <summary>Tells that compiling begins. From any thread.</summary>
    internal void Begin()
    {
        Volatile.Write(ref _hasBegun, 1);
        _wake.Set();
    }

    /// <summary>Looks for the thread, while it is to be looked for.</summary>
    internal void Look()
    {
        // ORDER: taken before the thread is looked for, with a full barrier: of who begins meanwhile the next
        // look knows, whatever this one finds.
        if (Interlocked.Exchange(ref _hasBegun, 0) != 0)
            _looksLeft = LookCount;
        if (_looksLeft > 0)
            _looksLeft = _lower() ? 0 : _looksLeft - 1;
    }
}
