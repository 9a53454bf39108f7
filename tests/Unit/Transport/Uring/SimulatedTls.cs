using System;
using System.Collections.Generic;
using Cinnabar.Engine.Configuration;
using Cinnabar.Transport.Tls;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>The server's end of <see cref="SimulatedRecords"/>. As OpenSSL does, it takes all input that it
/// is given, and keeps what is no whole record, and what of one found no room.</summary>
internal sealed unsafe class SimulatedTls : TlsEngine
{
    /// <summary>Bytes of its first record: more than some sockets take at once.</summary>
    public const int HelloSize = 3000;

    private readonly SimulatedRecords _input = new();
    private readonly SimulatedRecords _output = new();
    private byte[] _plain = [];
    private int _taken;
    private bool _hasEnded;
    private TlsPipe? _pipe;

    public override bool IsResumed => false;

    private TlsBuffers* Buffers => _pipe!.Buffers;

    public override void Use(TlsPipe pipe) => _pipe = pipe;

    public override TlsStep Handshake()
    {
        if (!TryTakeRecord())
            return TlsStep.NeedsInput;
        if (_input.Kind != SimulatedRecords.Hello)
            throw new InvalidOperationException("the first record is no greeting");
        Put(SimulatedRecords.Hello, new byte[HelloSize]);
        return TlsStep.Done;
    }

    public override int Decrypt(byte* place, int room)
    {
        while (_taken == _plain.Length && !_hasEnded)
        {
            if (!TryTakeRecord())
                return Nothing;
            _hasEnded = _input.Kind == SimulatedRecords.End;
        }

        if (_hasEnded)
            return Ended;
        int count = Math.Min(room, _plain.Length - _taken);
        _plain.AsSpan(_taken, count).CopyTo(new Span<byte>(place, count));
        _taken += count;
        return count;
    }

    public override bool TryEncrypt(byte* data, int length)
    {
        Put(SimulatedRecords.Data, new ReadOnlySpan<byte>(data, length));
        return true;
    }

    public override void End() => Put(SimulatedRecords.End, []);

    public override IReadOnlyList<string>? PeerNames(CertificateUser which) => null;

    public override void Dispose() => _pipe = null;

    private void Put(byte kind, ReadOnlySpan<byte> plain)
    {
        var room = new Span<byte>(
            Buffers->Output + Buffers->OutputLength, Buffers->OutputSize - Buffers->OutputLength);
        Buffers->OutputLength += _output.Encode(kind, plain, room);
    }

    private bool TryTakeRecord()
    {
        while (Buffers->InputLength > 0)
        {
            Buffers->InputLength--;
            if (_input.Decode(*Buffers->Input++) is not { } plain)
                continue;
            (_plain, _taken) = (_input.Kind == SimulatedRecords.Data ? plain : [], 0);
            return true;
        }

        return false;
    }
}
