using System;
using Cinnabar.Structures.HyperLogLogs;

namespace Cinnabar.Tests.Support.Structures;

/// <summary>A HyperLogLog that grows and becomes dense as the commands would make it.</summary>
public sealed class HyperLogLogMemory : IDisposable
{
    private readonly PackMemory _memory;
    private readonly int _sparseSizeMax;

    /// <param name="sparseSizeMax">hll-sparse-max-bytes.</param>
    /// <param name="sizeMax">The longest value that it is to become.</param>
    public HyperLogLogMemory(int sparseSizeMax = 3000, int sizeMax = HyperLogLog.DenseSize)
    {
        _memory = new PackMemory(sizeMax + 64);
        _sparseSizeMax = sparseSizeMax;
        _memory.Resize(HyperLogLog.EmptySize);
        HyperLogLog.WriteEmpty(_memory.Span);
    }

    /// <summary>The string.</summary>
    public Span<byte> Value => _memory.Span;

    /// <summary>Becomes these bytes, sound or not.</summary>
    public void Set(ReadOnlySpan<byte> bytes) => _memory.Set(bytes);

    /// <summary>Adds an element; whether that changed anything.</summary>
    public bool Add(ReadOnlySpan<byte> element)
    {
        var update = new HyperLogLogElement(element);
        return Raise(update.Register, update.Value);
    }

    /// <summary>Raises a register; whether that changed anything.</summary>
    public bool Raise(int register, int value)
    {
        RegisterUpdate update = TryRaise(register, value);
        return update == RegisterUpdate.Corrupt
            ? throw new InvalidOperationException("corrupt")
            : update == RegisterUpdate.Changed;
    }

    /// <summary>Raises a register, after the value became larger or dense where that is needed.</summary>
    public RegisterUpdate TryRaise(int register, int value)
    {
        for (int room = 0; ; room = HyperLogLogEditor.GrowthMax)
        {
            int length = _memory.Capacity;
            _memory.Resize(length + room);
            var editor = new HyperLogLogEditor(_memory.Span, length, _sparseSizeMax);
            RegisterUpdate update = editor.Raise(register, value);
            _memory.Resize(editor.Length);
            if (update == RegisterUpdate.NeedsDense && !MakeDense()) return RegisterUpdate.Corrupt;
            if (update <= RegisterUpdate.Changed || update == RegisterUpdate.Corrupt) return update;
        }
    }

    /// <summary>Raises registers to those of a union, as PFMERGE does.</summary>
    public void Merge(HyperLogLogUnion union)
    {
        int register = 0;
        for (int room = 0; ; room = 512)
        {
            int length = _memory.Capacity;
            _memory.Resize(Math.Min(length + room, HyperLogLog.DenseSize));
            var editor = new HyperLogLogEditor(_memory.Span, length, _sparseSizeMax);
            RegisterUpdate update = union.RaiseInto(ref editor, ref register);
            _memory.Resize(editor.Length);
            if (update <= RegisterUpdate.Changed) return;
            if (update == RegisterUpdate.NeedsDense) MakeDense();
        }
    }

    /// <summary>Becomes dense; false: it is corrupt.</summary>
    public bool MakeDense()
    {
        byte[] dense = new byte[HyperLogLog.DenseSize];
        if (!HyperLogLog.TryWriteDense(_memory.Span, dense)) return false;
        _memory.Set(dense);
        return true;
    }

    /// <inheritdoc/>
    public void Dispose() => _memory.Dispose();
}
