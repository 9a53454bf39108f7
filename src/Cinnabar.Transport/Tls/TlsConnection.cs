// A connection's TLS, between a socket that does not block and a loop that sees plain bytes. An engine does
// the protocol, a pipe has the buffers of the thread, and this class moves bytes so that the pipe is empty
// between two calls:
//
//   _rest     received, not yet decrypted: the loop had no more room
//   _unsent   encrypted, not yet taken by the socket; _ahead plain bytes of the loop are in it
//
// Send reports plain bytes as taken only when the socket has taken their records. The loop keeps what was not
// taken and offers it again, so that its limits of output count it and a session that closes after its reply
// waits for it. The _ahead bytes at the front of the next offer are those that are encrypted already.
//
// HasInput says that Receive has something to return without a new event of the socket. A transport calls it
// again then, in its next turn or when the session reads again; the end is returned again and again.

using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Transport.Tls;

/// <summary>TLS over one socket. One thread at a time uses it.</summary>
/// <param name="engine">The protocol.</param>
/// <param name="wire">The socket.</param>
/// <param name="pipe">The buffers of the thread.</param>
internal sealed unsafe class TlsConnection(TlsEngine engine, TlsWire wire, TlsPipe pipe)
{
    private const int InputMin = 1024;

    private readonly TlsEngine _engine = engine;
    private readonly TlsWire _wire = wire;
    private TlsPipe _pipe = pipe;
    private byte* _rest;
    private int _restLength;
    private byte* _unsent;
    private int _unsentLength;
    private int _unsentOffset;
    private int _ahead;
    private bool _hasBegun;
    private bool _hasDecrypted;
    private int _end = TlsEngine.Nothing;
    private bool _isClosed;

    /// <summary>Whether this end begins the handshake.</summary>
    public bool IsClient { get; init; }

    /// <summary>Whether <see cref="Receive"/> has something to return before the socket has.</summary>
    public bool HasInput => _hasDecrypted || _restLength > 0 || _end != TlsEngine.Nothing;

    /// <summary>Whether encrypted bytes wait until the socket takes them.</summary>
    public bool HasUnsent => _unsentLength > 0;

    /// <summary>Whether the last <see cref="Receive"/> has perhaps left bytes in the socket.</summary>
    public bool MayHaveMore { get; private set; }

    /// <summary>Whether the last <see cref="Receive"/> has taken bytes from the socket, also such as make no
    /// plain ones.</summary>
    public bool HasTaken { get; private set; }

    /// <summary>Why the connection failed, for the log.</summary>
    public string Fault { get; private set; } = "";

    /// <summary>The socket.</summary>
    public TlsWire Wire => _wire;

    private TlsBuffers* Buffers => _pipe.Buffers;

    /// <summary>Whether its handshake went on with an earlier session.</summary>
    public bool IsResumed => _engine.IsResumed;

    /// <summary>The names in the peer's certificate; see <see cref="TlsEngine.PeerNames"/>.</summary>
    public IReadOnlyList<string>? PeerNames(CertificateUser which) => _engine.PeerNames(which);

    /// <summary>Goes on with the buffers of another thread.</summary>
    public void Attach(TlsPipe pipe)
    {
        Debug.Assert(!_isClosed, "a closed connection does not move");
        _pipe = pipe;
        _engine.Use(pipe);
    }

    /// <summary>Goes on with the handshake as far as the socket lets it.</summary>
    public TlsStep Handshake()
    {
        AssertEmpty();
        _engine.Use(_pipe);
        while (true)
        {
            // Without bytes of the peer there is nothing to do: what a client sends first is an exception.
            bool isFirst = IsClient && !_hasBegun;
            _hasBegun = true;
            if (!isFirst && _restLength == 0 && !TryReceiveHandshake(out TlsStep wait))
                return wait;
            BeginInput();
            TlsStep step = _engine.Handshake();
            KeepRest();
            if (step == TlsStep.Failed)
                Fault = _engine.Fault;
            if (!TryFlush())
                return Fail("Connection reset by peer");
            if (step != TlsStep.NeedsInput)
                return step;
            if (HasUnsent)
                return TlsStep.NeedsOutput;
        }
    }

    /// <summary>Receives and decrypts.</summary>
    /// <returns>How many plain bytes, or <see cref="TlsWire.Ended"/>, <see cref="TlsWire.Nothing"/> or
    /// <see cref="TlsWire.Failed"/>.</returns>
    public int Receive(byte* place, int room)
    {
        Debug.Assert(room > 0 && !_isClosed, "the loop has room");
        AssertEmpty();
        MayHaveMore = true;
        HasTaken = false;
        if (HasInput)
        {
            BeginInput();
            int decrypted = Decrypt(place, room);
            if (decrypted != TlsEngine.Nothing)
                return decrypted;
        }

        int asked = Math.Clamp(room, InputMin, TlsPipe.InputSize);
        while (true)
        {
            int received = _wire.Receive(_pipe.InputRoom, asked);
            MayHaveMore = received == asked;
            HasTaken = received > 0;
            if (received <= 0)
                return received;
            Buffers->Input = _pipe.InputRoom;
            Buffers->InputLength = received;
            int decrypted = Decrypt(place, room);
            if (decrypted != TlsEngine.Nothing || received < asked)
                return decrypted;
        }
    }

    /// <summary>Encrypts and sends, in the way of <see cref="LoopTransport.Send"/>.</summary>
    public long Send(OutputSegment* segments, int count)
    {
        Debug.Assert(!_isClosed, "a closed connection sends nothing");
        AssertEmpty();
        if (!TryFlush())
            return LoopTransport.SendFailed;
        if (HasUnsent)
            return 0;
        long taken = _ahead;
        long position = _ahead;
        _ahead = 0;
        var source = new SegmentReader(segments, count, position);
        while (source.HasMore)
        {
            int batch = 0;
            while (source.HasMore && _pipe.HasRoomForRecord)
            {
                byte* data = source.Take(_pipe.Gather, TlsPipe.RecordPlainMax, out int length);
                if (!_engine.TryEncrypt(data, length))
                {
                    Buffers->OutputLength = 0;
                    return LoopTransport.SendFailed;
                }

                batch += length;
            }

            if (!TryFlush())
                return LoopTransport.SendFailed;
            if (HasUnsent)
            {
                _ahead = batch;
                return taken;
            }

            taken += batch;
        }

        return taken;
    }

    /// <summary>Sends what waits, as far as the socket takes it.</summary>
    /// <returns>False where the connection is broken.</returns>
    public bool TryFlush()
    {
        bool isWhole = TrySendUnsent();
        // The pipe is the next connection's: nothing may stay in it, whatever becomes of this one.
        int length = Buffers->OutputLength;
        Buffers->OutputLength = 0;
        if (!isWhole || length == 0)
            return isWhole;
        int sent = 0;
        if (_unsentLength == 0 && !TrySend(Buffers->Output, length, out sent))
            return false;
        if (sent < length)
            KeepUnsent(Buffers->Output + sent, length - sent);
        return true;
    }

    /// <summary>Tells the peer the end, if the socket takes it, and frees everything; the socket stays open.
    /// </summary>
    public void Close()
    {
        if (_isClosed)
            return;
        if (!HasUnsent && _end != TlsEngine.Failed)
        {
            _engine.End();
            TrySend(Buffers->Output, Buffers->OutputLength, out _);
            Buffers->OutputLength = 0;
        }

        Abandon();
    }

    /// <summary>Sends the reason of a refusal, if the socket takes it at once, and closes.</summary>
    /// <param name="reason">An error reply, or nothing.</param>
    /// <param name="pipe">The buffers of the calling thread.</param>
    public void Refuse(ReadOnlySpan<byte> reason, TlsPipe pipe)
    {
        Attach(pipe);
        fixed (byte* text = reason)
        {
            var segment = new OutputSegment { Data = text, Length = reason.Length };
            if (!reason.IsEmpty)
                Send(&segment, 1);
        }

        Close();
    }

    /// <summary>Frees everything and tells the peer nothing; the socket stays open.</summary>
    public void Abandon()
    {
        if (_isClosed)
            return;
        _isClosed = true;
        _engine.Dispose();
        NativeMemory.Free(_rest);
        NativeMemory.Free(_unsent);
        _rest = _unsent = null;
        _restLength = _unsentLength = 0;
    }

    [Conditional("DEBUG")]
    private void AssertEmpty()
    {
        Debug.Assert(Buffers->OutputLength == 0, "no bytes of another connection are in the pipe");
        Debug.Assert(Buffers->InputLength == 0, "no bytes of another connection are in the pipe");
    }

    private TlsStep Fail(string fault)
    {
        Fault = fault;
        return TlsStep.Failed;
    }

    private bool TryReceiveHandshake(out TlsStep wait)
    {
        wait = HasUnsent ? TlsStep.NeedsOutput : TlsStep.NeedsInput;
        int received = _wire.Receive(_pipe.InputRoom, TlsPipe.InputSize);
        if (received > 0)
        {
            KeepInput(_pipe.InputRoom, received);
            return true;
        }

        if (received != TlsWire.Nothing)
            wait = Fail(received == TlsWire.Ended ? "Connection closed by peer" : "Connection reset by peer");
        return false;
    }

    /// <summary>Gives the engine what an earlier call left.</summary>
    private void BeginInput()
    {
        Buffers->Input = _rest;
        Buffers->InputLength = _restLength;
    }

    private int Decrypt(byte* place, int room)
    {
        int total = 0;
        int last = _end;
        while (total < room && _end == TlsEngine.Nothing)
        {
            last = _engine.Decrypt(place + total, room - total);
            if (last > 0)
                total += last;
            else if (last == TlsEngine.Nothing)
                break;
            else
                _end = last;
        }

        // A place that is full may have left decrypted bytes in the engine.
        _hasDecrypted = total == room;
        KeepRest();
        if (Buffers->OutputLength > 0 && !TryFlush())
            _end = TlsEngine.Failed;
        if (_end == TlsEngine.Failed)
            Fault = _engine.Fault;
        return total > 0 ? total : last;
    }

    private void KeepRest()
    {
        int length = Buffers->InputLength;
        if (length == 0)
        {
            if (_rest is not null)
                NativeMemory.Free(_rest);
            _rest = null;
            _restLength = 0;
        }
        else if (length != _restLength || Buffers->Input != _rest)
        {
            KeepInput(Buffers->Input, length);
        }

        Buffers->Input = null;
        Buffers->InputLength = 0;
    }

    private void KeepInput(byte* data, int length)
    {
        var kept = (byte*)NativeMemory.Alloc((nuint)length);
        // SAFETY: the bytes are in the pipe or at the end of the earlier rest, which is freed only then.
        Buffer.MemoryCopy(data, kept, length, length);
        NativeMemory.Free(_rest);
        _rest = kept;
        _restLength = length;
    }

    private void KeepUnsent(byte* data, int length)
    {
        int left = _unsentLength;
        var kept = (byte*)NativeMemory.Alloc((nuint)(left + length));
        Buffer.MemoryCopy(_unsent + _unsentOffset, kept, left, left);
        Buffer.MemoryCopy(data, kept + left, length, length);
        NativeMemory.Free(_unsent);
        _unsent = kept;
        _unsentOffset = 0;
        _unsentLength = left + length;
    }

    private bool TrySendUnsent()
    {
        if (_unsentLength == 0)
            return true;
        if (!TrySend(_unsent + _unsentOffset, _unsentLength, out int sent))
            return false;
        DropSent(sent);
        return true;
    }

    private void DropSent(int count)
    {
        _unsentOffset += count;
        _unsentLength -= count;
        Debug.Assert(_unsentLength >= 0, "no more is sent than there is");
        if (_unsentLength > 0)
            return;
        NativeMemory.Free(_unsent);
        _unsent = null;
        _unsentOffset = 0;
    }

    private bool TrySend(byte* data, int length, out int sent)
    {
        sent = 0;
        while (sent < length)
        {
            int count = _wire.Send(data + sent, length - sent);
            if (count == TlsWire.Failed)
                return false;
            if (count == TlsWire.Nothing)
                break;
            sent += count;
        }

        return true;
    }
}
