namespace Cinnabar.Engine.Executions;

/// <summary>The copies of the arguments of a suspended execution, which outlive the input. Big arguments
/// stay in their blocks. The copies count as records of the session.</summary>
internal sealed unsafe class ArgumentCopies(SessionExecution execution) : IDisposable
{
    private readonly ArgumentBuffer _arguments = new();
    private readonly List<nint> _replacements = [];
    private byte* _bytes;
    private long _countedBytes;

    /// <summary>Whether there are copies.</summary>
    public bool IsHeld => _bytes != null;

    /// <summary>Copies the arguments of the execution.</summary>
    /// <returns>The copies.</returns>
    public ArgumentList Take(ArgumentList arguments)
    {
        Debug.Assert(!IsHeld, "arguments are copied once");
        long size = 0;
        for (int index = 0; index < arguments.Count; index++)
            size += execution.IsInRegion(in arguments[index]) ? 0 : arguments[index].Length;
        _bytes = (byte*)NativeMemory.Alloc((nuint)Math.Max(size, 1));
        Count(size + ((long)arguments.Count * sizeof(Argument)));
        _arguments.Clear();
        _arguments.EnsureCapacity(arguments.Count);
        byte* place = _bytes;
        for (int index = 0; index < arguments.Count; index++)
        {
            ref Argument argument = ref arguments[index];
            _arguments.Append(argument.Data, argument.Length, argument.Flags);
            ref Argument copy = ref _arguments.Items[index];
            copy.Hash = argument.Hash;
            if (execution.IsInRegion(in argument))
                continue;
            // SAFETY: `place` runs through a block of the sum of these lengths.
            argument.Span.CopyTo(new Span<byte>(place, argument.Length));
            copy.Data = place;
            place += argument.Length;
        }

        return new ArgumentList(_arguments.Items, _arguments.Count);
    }

    /// <summary>Gives one of the copies another value.</summary>
    public void Replace(int index, ReadOnlySpan<byte> value)
    {
        Debug.Assert(IsHeld, "only a copy is replaced");
        byte* bytes = (byte*)NativeMemory.Alloc((nuint)Math.Max(value.Length, 1));
        value.CopyTo(new Span<byte>(bytes, value.Length));
        _replacements.Add((nint)bytes);
        Count(value.Length);
        // SAFETY: the bytes are freed with the copies, in Release.
        ref Argument argument = ref _arguments.Items[index];
        argument.Data = bytes;
        argument.Length = value.Length;
    }

    /// <summary>Frees the copies.</summary>
    public void Release()
    {
        NativeMemory.Free(_bytes);
        _arguments.Clear();
        foreach (nint bytes in _replacements)
            NativeMemory.Free((void*)bytes);
        _replacements.Clear();
        _bytes = null;
        Count(-_countedBytes);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Release();
        _arguments.Dispose();
    }

    private void Count(long bytes)
    {
        if (bytes == 0)
            return;
        _countedBytes += bytes;
        execution.Server.Waits.CountArguments(execution.Session, bytes);
    }
}
