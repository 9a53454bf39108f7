using System;
using System.Runtime.InteropServices;
using Cinnabar.Keyspace.Journaling;

namespace Cinnabar.Tests.Support.Engine;

/// <summary>Takes what executions record and keeps nothing.</summary>
public sealed unsafe class NullJournal : IJournal, IDisposable
{
    private const int Size = 1 << 20;

    private readonly byte* _data = (byte*)NativeMemory.Alloc(Size);

    /// <summary>Units.</summary>
    public long Count { get; private set; }

    /// <inheritdoc/>
    public JournalClaim Claim(in JournalUnit unit)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(unit.Length, Size);
        return new JournalClaim(_data, Count);
    }

    /// <inheritdoc/>
    public void Publish(in JournalClaim claim) => Count++;

    /// <inheritdoc/>
    public void AppendFor(JournalAudience audience, ReadOnlySpan<byte> commands) => Count++;

    /// <inheritdoc/>
    public void Dispose() => NativeMemory.Free(_data);
}
