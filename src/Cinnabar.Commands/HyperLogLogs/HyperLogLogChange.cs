// A HyperLogLog while a command changes it. A dense one is changed in place: its length stays. A sparse one
// grows and shrinks with every register, so it is copied to rented memory, changed there and stored again;
// it is seldom longer than hll-sparse-max-bytes, 3 kB. That has another good: a corrupt value is found out
// before anything was stored.
using System.Buffers;
using Cinnabar.Keyspace.Strings;
using Cinnabar.Structures.HyperLogLogs;

namespace Cinnabar.Commands.HyperLogLogs;

/// <summary>Changes a HyperLogLog of an execution; nothing is sure to be stored before
/// <see cref="Store"/>.</summary>
internal ref struct HyperLogLogChange
{
    private readonly Execution _execution;
    private readonly Key _key;
    private readonly int _sparseSizeMax;
    private byte[]? _rented;
    private HyperLogLogEditor _editor;

    /// <summary>Begins a change.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="key">The key; it holds a HyperLogLog or is missing, and then gets an empty one.</param>
    internal HyperLogLogChange(Execution execution, Key key)
    {
        _execution = execution;
        _key = key;
        _sparseSizeMax = (int)Math.Min(
            execution.Keys.Keyspace.Limits.HyperLogLogSparseBytesMax, int.MaxValue);
        EntryView entry = execution.Keys.Peek(in key);
        Debug.Assert(entry.IsMissing || entry.Type == KeyType.String, "no HyperLogLog");
        IsNew = entry.IsMissing;
        if (!IsNew)
            entry = HyperLogLogValues.MakeRaw(execution, in key, entry);
        IsDense = !IsNew && entry.StringLength == HyperLogLog.DenseSize
            && HyperLogLog.IsDense(entry.InlineBytes);
        if (IsDense)
            EditDense();
        else
            EditSparse(entry);
    }

    /// <summary>Whether the key was missing.</summary>
    internal bool IsNew { get; }

    /// <summary>Whether the value is a dense one now.</summary>
    internal bool IsDense { get; private set; }

    /// <summary>Adds an element.</summary>
    /// <returns>Changed, Unchanged or Corrupt.</returns>
    internal RegisterUpdate Add(ReadOnlySpan<byte> element)
    {
        RegisterUpdate update = _editor.Add(element);
        if (update <= RegisterUpdate.Changed)
            return update;
        return update == RegisterUpdate.NeedsDense && TryMakeDense()
            ? _editor.Add(element)
            : RegisterUpdate.Corrupt;
    }

    /// <summary>Raises the registers to those of a union that has these registers in it; the count is
    /// forgotten.</summary>
    /// <returns>False: the value is corrupt.</returns>
    internal bool TryMerge(HyperLogLogUnion union)
    {
        int register = 0;
        RegisterUpdate update = IsDense
            ? RegisterUpdate.NeedsDense
            : union.RaiseInto(ref _editor, ref register);
        if (update == RegisterUpdate.NeedsDense && (IsDense || TryMakeDense()))
        {
            union.StoreDense(_editor.Value);
            return true;
        }

        if (update > RegisterUpdate.Changed)
            return false;
        HyperLogLog.ForgetCount(_editor.Value);
        return true;
    }

    /// <summary>Makes a sparse value dense, in its entry.</summary>
    /// <returns>False: it is corrupt.</returns>
    internal bool TryMakeDense()
    {
        Debug.Assert(!IsDense, "it is dense already");
        Span<byte> dense = stackalloc byte[HyperLogLog.DenseSize];
        if (!HyperLogLog.TryWriteDense(_editor.Value, dense))
            return false;
        _execution.Strings.SetRaw(in _key, dense, StringStore.KeepDeadline, isEmbstrAllowed: false);
        IsDense = true;
        EditDense();
        return true;
    }

    /// <summary>Says that the count has to be computed again.</summary>
    internal readonly void ForgetCount() => HyperLogLog.ForgetCount(_editor.Value);

    /// <summary>Stores what was changed; declares nothing.</summary>
    internal readonly void Store()
    {
        if (!IsDense)
            _execution.Strings.SetRaw(
                in _key, _editor.Value, StringStore.KeepDeadline, isEmbstrAllowed: false);
    }

    /// <summary>Gives the rented memory back.</summary>
    public void Dispose()
    {
        if (_rented is null)
            return;
        ArrayPool<byte>.Shared.Return(_rented);
        _rented = null;
    }

    private void EditDense()
    {
        Span<byte> value = _execution.Strings.Edit(in _key, 0).SpanAt(0);
        Debug.Assert(value.Length == HyperLogLog.DenseSize, "a dense value has one length");
        _editor = new HyperLogLogEditor(value, HyperLogLog.DenseSize, _sparseSizeMax);
    }

    private void EditSparse(EntryView entry)
    {
        _rented = ArrayPool<byte>.Shared.Rent(HyperLogLog.SparseSizeMax + HyperLogLogEditor.GrowthMax);
        int length = HyperLogLog.EmptySize;
        if (IsNew)
        {
            HyperLogLog.WriteEmpty(_rented);
        }
        else
        {
            // What is longer than any sound value is cut down to its header, and so has no register.
            Span<byte> head = _rented.AsSpan(0, HyperLogLog.HeaderSize);
            ReadOnlySpan<byte> bytes = HyperLogLogValues.BytesOrHead(entry, head);
            length = bytes.Length > HyperLogLog.SparseSizeMax ? HyperLogLog.HeaderSize : bytes.Length;
            bytes[..length].CopyTo(_rented);
        }

        _editor = new HyperLogLogEditor(_rented, length, _sparseSizeMax);
    }
}
