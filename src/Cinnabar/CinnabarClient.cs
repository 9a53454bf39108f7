// A client without a socket. Requests are written as RESP into the connection's input; replies are read on a
// thread of the pool, one at a time, and complete the waiting calls in order. The connection speaks RESP3,
// which distinguishes pushes from replies: pushes confirm subscriptions, one a channel. The number of
// confirmations of an UNSUBSCRIBE without channels follows from the earlier ones (Subscriptions).
//
// Limits: this client does not support commands that change the protocol (HELLO 2, RESET), suppress replies
// (CLIENT REPLY) or turn the connection into a stream (MONITOR), nor subscriptions in a transaction.

using System.Threading.Tasks;
using Cinnabar.Resp;
using Cinnabar.Transport;
using Cinnabar.Transport.InProcess;
using Cinnabar.Wire;

namespace Cinnabar;

/// <summary>A client of a server in this process. Any thread may use it; replies come in the order of the
/// calls.</summary>
public sealed class CinnabarClient : IDisposable, IThreadPoolWorkItem
{
    private readonly Lock _reading = new();
    private readonly Queue<PendingCall> _calls = new();
    private readonly ReplyQueue _replies = new();
    private readonly Subscriptions _subscriptions = new();
    private readonly InProcessConnection _connection;
    private int _readRequestCount;

    internal CinnabarClient(TransportHost host, string password)
    {
        // No reply is read before _connection is set.
        lock (_reading)
            _connection = host.Connect(OnReceived);
        Task<Reply> greeting = password.Length == 0
            ? CallAsync("HELLO", "3")
            : CallAsync([.. RequestFrame.Encode(["HELLO", "3", "AUTH", "default"]),
                Encoding.Latin1.GetBytes(password)]);
        _ = greeting.ContinueWith(Check, TaskScheduler.Default);
    }

    /// <summary>Called with each push (pub/sub messages and confirmations), in order, on a thread of the
    /// pool.</summary>
    public event Action<Reply>? Pushed;

    /// <summary>Sends a command and waits for its reply. Not for use within <see cref="Pushed"/>.</summary>
    /// <param name="arguments">The command and its arguments, as UTF-8.</param>
    /// <returns>The reply; an error of the server is a reply, too.</returns>
    /// <exception cref="ObjectDisposedException">The connection has ended.</exception>
    public Reply Call(params string[] arguments) => CallAsync(arguments).GetAwaiter().GetResult();

    /// <summary>Sends a command; calls need not wait for one another.</summary>
    /// <param name="arguments">The command and its arguments, as UTF-8.</param>
    /// <returns>The reply; an error of the server is a reply, too. Fails with
    /// <see cref="ObjectDisposedException"/> where the connection has ended.</returns>
    public Task<Reply> CallAsync(params string[] arguments) => CallAsync(RequestFrame.Encode(arguments));

    /// <summary>Sends a command; calls need not wait for one another.</summary>
    /// <param name="arguments">The command and its arguments.</param>
    /// <returns>The reply; an error of the server is a reply, too. Fails with
    /// <see cref="ObjectDisposedException"/> where the connection has ended.</returns>
    public Task<Reply> CallAsync(params byte[][] arguments)
    {
        ArgumentOutOfRangeException.ThrowIfZero(arguments.Length);
        // Frame first: a failed call must not wait for a reply, which would be the next call's.
        byte[] frame = RequestFrame.Make(arguments);
        var call = new PendingCall(ConfirmationCountOf(arguments));
        // No reply is read meanwhile, so that it finds its call. When the connection has ended, replies to
        // earlier calls may still be unread.
        lock (_calls)
        {
            if (_connection.Write(frame))
                _calls.Enqueue(call);
            else
                call.TrySetException(Ended());
        }

        return call.Task;
    }

    /// <summary>Closes the connection; calls that have no reply yet fail.</summary>
    public void Dispose() => _connection.Close();

    void IThreadPoolWorkItem.Execute()
    {
        lock (_reading)
        {
            int requestCount;
            do
            {
                requestCount = Volatile.Read(ref _readRequestCount);
                ReadReplies();
            }
            while (Interlocked.Add(ref _readRequestCount, -requestCount) != 0);
        }
    }

    private void OnReceived()
    {
        if (Interlocked.Increment(ref _readRequestCount) == 1)
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    private void ReadReplies()
    {
        bool isEnded = _connection.IsEnded;
        _connection.ReadTo(_replies.Bytes);
        ReplyReadOutcome outcome;
        while ((outcome = _replies.Take(out Reply? reply)) == ReplyReadOutcome.Complete)
            See(reply!);
        if (outcome == ReplyReadOutcome.Malformed)
            _connection.Close();
        if (isEnded)
            FailAll();
    }

    private void See(Reply reply)
    {
        PendingCall? call;
        lock (_calls)
        {
            _calls.TryPeek(out call);
            bool isAnswer = reply.Kind != ReplyKind.Push
                || (_subscriptions.TryNote(reply, out bool isLast) && call is not null
                    && call.IsConfirmedBy(isLast));
            if (isAnswer)
                _calls.TryDequeue(out call);
            else
                call = null;
        }

        if (reply.Kind == ReplyKind.Push)
            Pushed?.Invoke(reply);
        call?.TrySetResult(reply);
    }

    private void FailAll()
    {
        lock (_calls)
        {
            while (_calls.TryDequeue(out PendingCall? call))
                call.TrySetException(Ended());
        }
    }

    private static ObjectDisposedException Ended() =>
        new(nameof(CinnabarClient), "The connection has ended.");

    private void Check(Task<Reply> greeting)
    {
        // A server that ends meanwhile also fails the later calls, which report it.
        if (greeting.IsFaulted ? greeting.Exception is not null : greeting.Result.IsError)
            _connection.Close();
    }

    private static int ConfirmationCountOf(byte[][] arguments)
    {
        string name = Encoding.Latin1.GetString(arguments[0]);
        bool isConfirmed = name.EndsWith("SUBSCRIBE", StringComparison.OrdinalIgnoreCase);
        bool isOfAll = arguments.Length == 1
            && name.EndsWith("UNSUBSCRIBE", StringComparison.OrdinalIgnoreCase);
        return isOfAll ? PendingCall.UntilNoneIsLeft : isConfirmed ? Math.Max(arguments.Length - 1, 1) : 0;
    }
}
