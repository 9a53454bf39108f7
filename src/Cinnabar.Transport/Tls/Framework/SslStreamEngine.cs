// An SslStream as an engine: its asynchronous calls run inline, on the bytes of the pipe.
//
// Its reads are asked for in two steps. A read of no bytes waits, for as long as it takes, until something is
// decrypted, and holds no buffer meanwhile; then the read into the loop's place completes at once.

using System.IO;
using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Threading.Tasks;
using Cinnabar.Engine.Configuration;

namespace Cinnabar.Transport.Tls.Framework;

/// <summary>The protocol of one connection by the framework.</summary>
/// <param name="options">The configuration.</param>
internal sealed unsafe class SslStreamEngine(SslServerAuthenticationOptions options) : TlsEngine
{
    private readonly EngineStream _bytes = new();
    private readonly PointerMemory _place = new();
    private readonly PointerMemory _plain = new();
    private readonly SslServerAuthenticationOptions _options = options;
    private SslStream? _stream;
    private Task? _handshake;
    private Task<int>? _wait;

    /// <summary>Always false: the framework does not tell.</summary>
    public override bool IsResumed => false;

    private SslStream Stream => _stream ??= new SslStream(_bytes);

    /// <inheritdoc/>
    public override void Use(TlsPipe pipe) => _bytes.Pipe = pipe;

    /// <inheritdoc/>
    public override TlsStep Handshake()
    {
        try
        {
            _handshake ??= Stream.AuthenticateAsServerAsync(_options);
            _bytes.Feed();
            if (!_handshake.IsCompleted)
                return TlsStep.NeedsInput;
            _handshake.GetAwaiter().GetResult();
            return TlsStep.Done;
        }
        catch (Exception fault) when (IsOfPeer(fault))
        {
            Note(fault);
            return TlsStep.Failed;
        }
    }

    /// <inheritdoc/>
    public override int Decrypt(byte* place, int room)
    {
        try
        {
            _bytes.Feed();
            _wait ??= Stream.ReadAsync(Memory<byte>.Empty).AsTask();
            if (!_wait.IsCompleted)
                return Nothing;
            _wait.GetAwaiter().GetResult();
            _wait = null;
            ValueTask<int> read = Stream.ReadAsync(_place.Of(place, room));
            if (!read.IsCompleted)
                throw new IOException("a record was announced and did not come");
            return read.GetAwaiter().GetResult();
        }
        catch (Exception fault) when (IsOfPeer(fault))
        {
            Note(fault);
            return Failed;
        }
        finally
        {
            _place.Forget();
        }
    }

    /// <inheritdoc/>
    public override bool TryEncrypt(byte* data, int length)
    {
        try
        {
            ValueTask write = Stream.WriteAsync(_plain.Of(data, length));
            Debug.Assert(write.IsCompleted, "the pipe has room for the record");
            write.GetAwaiter().GetResult();
            return true;
        }
        catch (Exception fault) when (IsOfPeer(fault))
        {
            Note(fault);
            return false;
        }
        finally
        {
            _plain.Forget();
        }
    }

    /// <inheritdoc/>
    public override void End()
    {
        try
        {
            Task shutdown = Stream.ShutdownAsync();
            Debug.Assert(shutdown.IsCompleted, "the pipe has room for an alert");
            shutdown.GetAwaiter().GetResult();
        }
        catch (Exception fault) when (IsOfPeer(fault))
        {
            Note(fault);
        }
    }

    /// <inheritdoc/>
    public override IReadOnlyList<string>? PeerNames(CertificateUser which)
    {
        if (_stream?.RemoteCertificate is not X509Certificate2 certificate)
            return null;
        return which == CertificateUser.CommonName
            ? CertificateNames.CommonNames(certificate)
            : CertificateNames.Uris(certificate);
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
        _bytes.End();
        _stream?.Dispose();
        // What it says of the end is of interest to nobody.
        _ = _handshake?.Exception;
        _ = _wait is { IsCompleted: true } ? _wait.Exception : null;
    }

    private static bool IsOfPeer(Exception fault) => fault is IOException or AuthenticationException
        or CryptographicException or InvalidOperationException;

    private void Note(Exception fault) => Fault = (fault.InnerException ?? fault).Message;
}
