using System;

namespace Cinnabar.Tests.Simulation.Histories;

/// <summary>
/// The sequential meaning of a history's operations. A state is an array of numbers: a value for each key,
/// then for each client the set of keys it watches (a bit each) and whether one has changed (bit 62).
/// </summary>
public sealed class KeyValueModel : ISequentialModel
{
    private const long Dirty = 1L << 62;

    /// <inheritdoc/>
    public long[] Initial(int keyCount, int clientCount)
    {
        var state = new long[keyCount + clientCount];
        state.AsSpan(0, keyCount).Fill(Operation.Missing);
        return state;
    }

    /// <inheritdoc/>
    public bool TryApply(ref long[] state, int keyCount, Operation operation)
    {
        ref long watch = ref state[keyCount + operation.Client];
        if (operation.IsTransaction)
        {
            bool isRefused = (watch & Dirty) != 0;
            watch = 0;
            if (isRefused || (operation.IsKnown && operation.Results is null))
                return isRefused && (!operation.IsKnown || operation.Results is null);
        }

        int position = 0;
        foreach (Call call in operation.Calls)
        {
            if (!TryApply(state, keyCount, operation, call, ref position))
                return false;
        }

        return !operation.IsKnown || position == operation.Results!.Length;
    }

    private static bool TryApply(
        Span<long> state, int keyCount, Operation operation, Call call, ref int position)
    {
        ReadOnlySpan<long> results = operation.IsKnown ? operation.Results : default;
        long deletedCount = 0;
        for (int index = 0; index < call.Keys.Length; index++)
        {
            int key = call.Keys[index];
            switch (call.Kind)
            {
                case CallKind.Get or CallKind.GetMany:
                    if (operation.IsKnown && results[position++] != state[key])
                        return false;
                    break;
                case CallKind.Set or CallKind.SetMany:
                    Write(state, keyCount, key, call.Values[index]);
                    break;
                case CallKind.Increment:
                    Write(state, keyCount, key, (state[key] == Operation.Missing ? 0 : state[key]) + 1);
                    break;
                case CallKind.Delete when state[key] != Operation.Missing:
                    deletedCount++;
                    Write(state, keyCount, key, Operation.Missing);
                    break;
                case CallKind.Watch:
                    state[keyCount + operation.Client] |= 1L << key;
                    break;
            }
        }

        long answer = call.Kind switch
        {
            CallKind.Increment => state[call.Keys[0]],
            CallKind.Delete => deletedCount,
            _ => 0,
        };
        return !operation.IsKnown || call.Kind is CallKind.Get or CallKind.GetMany
            || results[position++] == answer;
    }

    private static void Write(Span<long> state, int keyCount, int key, long value)
    {
        state[key] = value;
        foreach (ref long watch in state[keyCount..])
        {
            if ((watch >> key & 1) != 0)
                watch |= Dirty;
        }
    }
}
