using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Cinnabar.Transport.Epoll;
using Cinnabar.Transport.Uring;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>The kernel's side of a ring's memory.</summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe class SimulatedRing
{
    private const int CompletionsOffset = 64;

    private readonly SimulatedCounts _counts;
    private readonly uint _submissionCount;
    private readonly uint _completionCount;
    private readonly byte* _rings;
    private readonly UringSubmission* _submissions;
    private readonly Queue<UringCompletion> _overflow = new();
    private readonly HashSet<int> _provided = [];
    private UringBuffer* _buffers;
    private uint _bufferCount;
    private ushort _bufferHead;
    private ushort _bufferSeen;
    private bool _hasFailed;
    private bool _areRingsMapped;
    private bool _areSubmissionsMapped;

    /// <summary>Makes a ring as it was asked for.</summary>
    public SimulatedRing(int descriptor, uint count, UringParameters* parameters, SimulatedCounts counts)
    {
        (Descriptor, _counts) = (descriptor, counts);
        (_submissionCount, _completionCount) = (count, parameters->CompletionCount);
        parameters->SubmissionCount = count;
        uint array = CompletionsOffset + (_completionCount * (uint)sizeof(UringCompletion));
        parameters->Submissions = new UringOffsets { Head = 0, Tail = 4, Flags = 8, Array = array };
        parameters->Completions = new UringOffsets { Head = 16, Tail = 20, Entries = CompletionsOffset };
        _rings = (byte*)NativeMemory.AllocZeroed(array + (count * sizeof(uint)));
        _submissions = (UringSubmission*)NativeMemory.AllocZeroed(count * (nuint)sizeof(UringSubmission));
    }

    /// <summary>Its descriptor.</summary>
    public int Descriptor { get; }

    /// <summary>The thread that has enabled it.</summary>
    public int Thread { get; set; }

    /// <summary>What is in flight.</summary>
    public List<SimulatedRequest> InFlight { get; } = [];

    /// <summary>Whether it is closed.</summary>
    public bool IsClosed { get; private set; }

    public bool HasCompletions => *CompletionTail != *CompletionHead;

    public bool HasRoom => *CompletionTail - *CompletionHead < _completionCount;

    private uint* SubmissionHead => (uint*)_rings;

    private uint* SubmissionTail => (uint*)(_rings + 4);

    private uint* State => (uint*)(_rings + 8);

    private uint* CompletionHead => (uint*)(_rings + 16);

    private uint* CompletionTail => (uint*)(_rings + 20);

    public byte* Map(nuint length, long offset)
    {
        Assert.True(length > 0);
        if (offset == UringCalls.SubmissionRing)
        {
            _areRingsMapped = true;
            return _rings;
        }

        _areSubmissionsMapped = true;
        return (byte*)_submissions;
    }

    public void Provide(UringBufferRegistration* registration)
    {
        _buffers = (UringBuffer*)registration->Address;
        _bufferCount = registration->Count;
    }

    public UringSubmission TakeSubmission()
    {
        Assert.NotEqual(*SubmissionTail, *SubmissionHead);
        return _submissions[(*SubmissionHead)++ & (_submissionCount - 1)];
    }

    public void Complete(UringCompletion completion)
    {
        if (_overflow.Count > 0 || !HasRoom)
        {
            _counts.Overflows++;
            _overflow.Enqueue(completion);
            *State |= UringCalls.StateOverflow;
            return;
        }

        var entries = (UringCompletion*)(_rings + CompletionsOffset);
        entries[(*CompletionTail)++ & (_completionCount - 1)] = completion;
    }

    public void BringOverflow()
    {
        while (_overflow.Count > 0 && HasRoom)
        {
            var entries = (UringCompletion*)(_rings + CompletionsOffset);
            entries[(*CompletionTail)++ & (_completionCount - 1)] = _overflow.Dequeue();
        }

        if (_overflow.Count == 0)
            *State &= ~UringCalls.StateOverflow;
    }

    /// <summary>Takes a provided buffer; −1: there is none.</summary>
    public int TakeBuffer(out byte* place, out int size)
    {
        for (; _bufferSeen != _buffers->Tail; _bufferSeen++)
            Assert.True(_provided.Add(_buffers[_bufferSeen & (_bufferCount - 1)].Id), "given back twice");
        place = null;
        size = 0;
        if (_bufferHead == _buffers->Tail)
            return -1;
        ref UringBuffer buffer = ref _buffers[_bufferHead++ & (_bufferCount - 1)];
        Assert.True(_provided.Remove(buffer.Id));
        place = (byte*)buffer.Address;
        size = (int)buffer.Length;
        return buffer.Id;
    }

    /// <summary>Nothing of a descriptor is in flight.</summary>
    public void AssertNotInFlight(int descriptor) => Assert.DoesNotContain(
        InFlight, one => one.Entry.Descriptor == descriptor && one.Entry.Opcode != UringCalls.OpCancel);

    /// <summary>Notes the error of a call. After some the ring's owner can only close it.</summary>
    public void NoteFailure(int error) => _hasFailed |= error is not (EpollCalls.Interrupted
        or UringCalls.Busy or EpollCalls.Again or EpollCalls.NoMemory);

    /// <summary>Ends what is in flight: the ring's thread has ended.</summary>
    public void Abandon()
    {
        _hasFailed = true;
        InFlight.Clear();
    }

    /// <summary>Closes it. What is mapped stays until it is unmapped.</summary>
    public void Close()
    {
        Assert.True(_hasFailed || InFlight.Count == 0, "nothing is in flight in a ring that is closed");
        IsClosed = true;
        InFlight.Clear();
        if (!_areRingsMapped)
            NativeMemory.Free(_rings);
        if (!_areSubmissionsMapped)
            NativeMemory.Free(_submissions);
    }
}
