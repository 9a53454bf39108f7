using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Cinnabar.Transport.Uring;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>The kernel's side of a ring's memory.</summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe class SimulatedRing
{
    private const int CompletionsOffset = 64;

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

    /// <summary>Makes a ring as it was asked for.</summary>
    public SimulatedRing(uint count, UringParameters* parameters)
    {
        (_submissionCount, _completionCount) = (count, parameters->CompletionCount);
        parameters->SubmissionCount = count;
        parameters->Features = uint.MaxValue;
        uint array = CompletionsOffset + (_completionCount * (uint)sizeof(UringCompletion));
        parameters->Submissions = new UringOffsets { Head = 0, Tail = 4, Flags = 8, Array = array };
        parameters->Completions = new UringOffsets { Head = 16, Tail = 20, Entries = CompletionsOffset };
        _rings = (byte*)NativeMemory.AllocZeroed(array + (count * sizeof(uint)));
        _submissions = (UringSubmission*)NativeMemory.AllocZeroed(count * (nuint)sizeof(UringSubmission));
    }

    public int OverflowCount { get; private set; }

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
        return offset == UringCalls.SubmissionRing ? _rings : (byte*)_submissions;
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
            OverflowCount++;
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

    public void Free()
    {
        NativeMemory.Free(_rings);
        NativeMemory.Free(_submissions);
    }
}
