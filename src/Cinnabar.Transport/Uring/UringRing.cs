// A submission ring and its completion ring, shared with the kernel:
//
//   head ──► submitted ──► tail     the loop writes entries and the tail, the kernel moves the head
//   head ──► completed ──► tail     the kernel writes entries and the tail, the loop moves the head
//
// One thread uses it, the one that enabled it (single issuer). The kernel defers its work to calls of Enter
// by that thread: nothing is completed behind the loop's back, and a look at the ring without a call shows
// nothing new. But it sets a flag when there is such work (SetupTaskRunFlag), which HasWork looks at.
//
// Entries are submitted in the order of their preparation. What an entry points to must stay until its
// completion. InFlight counts entries whose last completion has not been read: a ring whose count is zero
// touches no memory.
//
// Completions that find no room are kept by the kernel, and the flag of the overflow is set; Enter brings
// them. A receive of many completions ends when that happens.

using System.ComponentModel;
using System.Runtime.Versioning;
using Cinnabar.Transport.Epoll;

namespace Cinnabar.Transport.Uring;

/// <summary>A ring of io_uring, with the buffers of its receives.</summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe class UringRing : IDisposable
{
    private const uint NeededFeatures = UringCalls.FeatureSingleMapping | UringCalls.FeatureNoDrop
        | UringCalls.FeatureWaitArgument;

    private const uint SetupFlags = UringCalls.SetupCompletionCount | UringCalls.SetupClamp
        | UringCalls.SetupDisabled | UringCalls.SetupSubmitAll | UringCalls.SetupTaskRunFlag
        | UringCalls.SetupSingleIssuer | UringCalls.SetupDeferTaskRun;

    private readonly UringKernel _kernel;
    private byte* _rings;
    private nuint _ringsLength;
    private UringSubmission* _submissions;
    private nuint _submissionsLength;
    private UringCompletion* _completions;
    private uint* _submissionHead;
    private uint* _submissionTail;
    private uint* _state;
    private uint* _completionHead;
    private uint* _completionTail;
    private uint _submissionCount;
    private uint _completionMask;
    private uint _prepared;
    private uint _read;

    private UringRing(UringKernel kernel, int descriptor, UringBuffers buffers) =>
        (_kernel, Descriptor, Buffers) = (kernel, descriptor, buffers);

    /// <summary>The buffers of its receives.</summary>
    public UringBuffers Buffers { get; }

    /// <summary>Its descriptor.</summary>
    public int Descriptor { get; }

    /// <summary>How many entries have not had their last completion.</summary>
    public int InFlight { get; private set; }

    /// <summary>Whether a call would submit something, run deferred work, or bring completions.</summary>
    // ORDER: the state and the tail are only hints here. Enter, a system call, orders what it brings.
    public bool HasWork => UnsubmittedCount > 0
        || (Volatile.Read(ref *_state) & (UringCalls.StateTaskRun | UringCalls.StateOverflow)) != 0
        || Volatile.Read(ref *_completionTail) != _read;

    /// <summary>Whether entries are prepared that the kernel has not taken.</summary>
    public bool HasUnsubmitted => UnsubmittedCount > 0;

    // ORDER: the kernel moves the head behind the entries that it has read.
    private uint UnsubmittedCount => _prepared - Volatile.Read(ref *_submissionHead);

    /// <summary>Makes a ring that is not enabled yet.</summary>
    /// <param name="kernel">The kernel.</param>
    /// <param name="sizes">How large it is.</param>
    /// <param name="error">Why there is none: a number of errno.</param>
    /// <returns>Null where the kernel refuses, or does not know what is needed.</returns>
    public static UringRing? TryMake(UringKernel kernel, UringSizes sizes, out int error)
    {
        var parameters = new UringParameters
        {
            Flags = SetupFlags,
            CompletionCount = (uint)sizes.CompletionCount,
        };
        var buffers = new UringBuffers(sizes);
        int descriptor = kernel.Setup((uint)sizes.SubmissionCount, &parameters);
        error = -descriptor;
        if (descriptor < 0)
        {
            buffers.Dispose();
            return null;
        }

        var ring = new UringRing(kernel, descriptor, buffers);
        error = (parameters.Features & NeededFeatures) != NeededFeatures ? UringCalls.Invalid
            : ring.TryMap(in parameters);
        if (error == 0)
            error = ring.Buffers.TryRegister(kernel, descriptor);
        if (error == 0)
            return ring;
        ring.Dispose();
        return null;
    }

    /// <summary>Makes the calling thread the one that uses the ring.</summary>
    /// <exception cref="Win32Exception">The kernel refuses.</exception>
    public void Enable()
    {
        int result = _kernel.Register(Descriptor, UringCalls.RegisterEnable, null, 0);
        if (result < 0)
            throw new Win32Exception(-result);
    }

    /// <summary>Prepares an entry, to be filled at once. It is submitted by the next call of
    /// <see cref="Enter"/>.</summary>
    public UringSubmission* Prepare(byte opcode, int descriptor, UringMark mark)
    {
        while (UnsubmittedCount == _submissionCount)
            Enter(0, 0);
        UringSubmission* submission = _submissions + (_prepared & (_submissionCount - 1));
        *submission = new UringSubmission { Opcode = opcode, Descriptor = descriptor, Mark = mark.Value };
        _prepared++;
        InFlight++;
        return submission;
    }

    /// <summary>Submits what is prepared, runs deferred work, and waits.</summary>
    /// <param name="completionCount">How many completions there must be before it returns.</param>
    /// <param name="timeoutMs">How long it may wait for them, in milliseconds; −1: for ever.</param>
    public void Enter(int completionCount, int timeoutMs)
    {
        // ORDER: the entries are written before the tail is: the kernel reads the tail first.
        Volatile.Write(ref *_submissionTail, _prepared);
        int result = _kernel.Enter(Descriptor, UnsubmittedCount, (uint)completionCount, timeoutMs);
        // A signal; the end of the time; or too many completions, or too little memory, for more entries now:
        // the caller reads completions and comes again.
        if (result < 0 && -result is not (EpollCalls.Interrupted or UringCalls.TimedOut or UringCalls.Busy
            or EpollCalls.Again or EpollCalls.NoMemory))
            throw new Win32Exception(-result);
    }

    /// <summary>Reads the next completion, if there is one.</summary>
    public bool TryRead(out UringCompletion completion)
    {
        // ORDER: the tail is read before the entries that it covers.
        if (Volatile.Read(ref *_completionTail) == _read)
        {
            completion = default;
            return false;
        }

        completion = _completions[_read & _completionMask];
        _read++;
        // ORDER: the entry is read before the head allows the kernel to write another in its place.
        Volatile.Write(ref *_completionHead, _read);
        if (!completion.HasMore && completion.Mark.Operation != UringOperation.Message)
            InFlight--;
        Debug.Assert(InFlight >= 0, "an entry has one last completion");
        return true;
    }

    /// <summary>Closes the ring; nothing may be in flight, or its thread has ended.</summary>
    public void Dispose()
    {
        _kernel.Close(Descriptor);
        if (_submissions is not null)
            _kernel.Unmap((byte*)_submissions, _submissionsLength);
        if (_rings is not null)
            _kernel.Unmap(_rings, _ringsLength);
        _submissions = null;
        _rings = null;
        Buffers.Dispose();
    }

    // SAFETY: the kernel says where the parts are in the two mappings, which are as long as the last of them.
    private int TryMap(in UringParameters parameters)
    {
        ref readonly UringOffsets offsets = ref parameters.Submissions;
        ref readonly UringOffsets completions = ref parameters.Completions;
        _submissionCount = parameters.SubmissionCount;
        _completionMask = parameters.CompletionCount - 1;
        _ringsLength = Math.Max(offsets.Array + (_submissionCount * sizeof(uint)),
            completions.Entries + (parameters.CompletionCount * (uint)sizeof(UringCompletion)));
        _submissionsLength = _submissionCount * (uint)sizeof(UringSubmission);
        int error = -_kernel.Map(Descriptor, _ringsLength, UringCalls.SubmissionRing, out _rings);
        if (error == 0)
        {
            error = -_kernel.Map(
                Descriptor, _submissionsLength, UringCalls.SubmissionEntries, out byte* submissions);
            _submissions = (UringSubmission*)submissions;
        }

        if (error != 0)
            return error;
        _submissionHead = (uint*)(_rings + offsets.Head);
        _submissionTail = (uint*)(_rings + offsets.Tail);
        _state = (uint*)(_rings + offsets.Flags);
        _completionHead = (uint*)(_rings + completions.Head);
        _completionTail = (uint*)(_rings + completions.Tail);
        _completions = (UringCompletion*)(_rings + completions.Entries);
        // Entry and place in the ring are the same.
        for (uint index = 0; index < _submissionCount; index++)
            ((uint*)(_rings + offsets.Array))[index] = index;
        return 0;
    }
}
