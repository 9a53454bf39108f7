using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Text;

namespace Cinnabar.Bench.Load;

/// <summary>
/// Requests built ahead, in batches as they will be sent, in native memory.
///
/// Building a request while measuring would cost more than sending it; a plan costs the load generator one
/// addition a batch. A plan is a ring: after its last batch comes its first again. It lies in the order in
/// which it is sent, so the processor reads it ahead; keys within it are random.
///
/// Keys are 16 bytes (<c>key:</c> and twelve digits), values are all of one size, so every reply's size is
/// known when its request is built, and <see cref="ReplyCheck"/> has only to try it once.
/// </summary>
internal sealed unsafe class RequestPlan : IDisposable
{
    /// <summary>The size of every key, in bytes.</summary>
    public const int KeySize = 16;

    private const int DigitCount = 12;
    private readonly byte[] _get = Encoding.ASCII.GetBytes("*2\r\n$3\r\nGET\r\n$16\r\nkey:000000000000\r\n");
    private readonly byte[] _set;
    private readonly int _keyEndInSet;
    private readonly int _valueReplySize;
    private readonly List<PlanBatch> _batches = [];
    private byte* _data;
    private long _capacity = 1 << 20;
    private long _size;
    private PlanBatch _open;

    /// <summary>An empty plan for values of <paramref name="valueSize"/> bytes.</summary>
    public RequestPlan(int valueSize)
    {
        string head = $"*3\r\n$3\r\nSET\r\n$16\r\nkey:000000000000\r\n${valueSize}\r\n";
        _set = Encoding.ASCII.GetBytes(head + new string('x', valueSize) + "\r\n");
        _keyEndInSet = head.LastIndexOf("\r\n$", StringComparison.Ordinal);
        _valueReplySize = $"${valueSize}\r\n".Length + valueSize + 2;
        _data = (byte*)NativeMemory.Alloc((nuint)_capacity);
    }

    /// <summary>The batches, in the order in which they are sent.</summary>
    public ReadOnlySpan<PlanBatch> Batches => CollectionsMarshal.AsSpan(_batches);

    /// <summary>The size of one GET's request, in bytes.</summary>
    public int GetRequestSize => _get.Length;

    /// <summary>The size of one GET's reply, in bytes.</summary>
    public int GetReplySize => _valueReplySize;

    /// <summary>Random GETs, every key present.</summary>
    public static RequestPlan Gets(Workload workload, int depth) => Random(workload, depth, int.MaxValue);

    /// <summary>Random requests, on average one SET to <paramref name="getsPerSet"/> GETs.</summary>
    public static RequestPlan Random(Workload workload, int depth, int getsPerSet)
    {
        var plan = new RequestPlan(workload.ValueSize);
        var random = new Random(1);
        for (int batch = 0; batch < workload.PlannedCount / depth; batch++)
        {
            plan.Begin();
            for (int index = 0; index < depth; index++)
            {
                bool isSet = getsPerSet != int.MaxValue && random.Next(getsPerSet + 1) == 0;
                plan.Add(random.NextInt64(workload.KeyCount), isSet);
            }
            plan.End();
        }
        return plan;
    }

    /// <summary>A SET of each of the keys from <paramref name="first"/> on, once.</summary>
    public static RequestPlan Sets(Workload workload, int depth, long first, long count)
    {
        var plan = new RequestPlan(workload.ValueSize);
        for (long key = first; key < first + count;)
        {
            plan.Begin();
            for (int index = 0; index < depth && key < first + count; index++) plan.Add(key++, isSet: true);
            plan.End();
        }
        return plan;
    }

    /// <summary>The bytes of a batch.</summary>
    public byte* Data(in PlanBatch batch) => _data + batch.Offset;

    public void Dispose()
    {
        NativeMemory.Free(_data);
        _data = null;
    }

    private void Begin() => _open = new PlanBatch(_size, 0, 0, 0, 0);

    private void End() => _batches.Add(_open);

    private void Add(long key, bool isSet)
    {
        byte[] request = isSet ? _set : _get;
        while (_size + request.Length > _capacity)
        {
            _capacity *= 2;
            _data = (byte*)NativeMemory.Realloc(_data, (nuint)_capacity);
        }
        var target = new Span<byte>(_data + _size, request.Length);
        request.CopyTo(target);
        int end = isSet ? _keyEndInSet : request.Length - 2;
        for (int digit = 1; digit <= DigitCount; digit++, key /= 10)
            target[end - digit] = (byte)('0' + key % 10);
        _size += request.Length;
        _open = _open with
        {
            Size = _open.Size + request.Length,
            Count = _open.Count + 1,
            ReplySize = _open.ReplySize + (isSet ? "+OK\r\n".Length : _valueReplySize),
            FirstByte = _open.Count > 0 ? _open.FirstByte : (byte)(isSet ? '+' : '$'),
        };
    }
}
